package api

import (
	"time"

	"errand/internal/core"
	"errand/internal/rights"
)

type GetUsageInput struct {
	Days int `query:"days" default:"1" maximum:"3660" description:"number of days, default 1"`
	Person
	By []core.UsageBy `query:"by" description:"add sums by day, agent, person, model or tree; several separated by commas. A tree is all work that one message or one task started"`
}

// UsageBys returns all values of [core.UsageBy].
func UsageBys() []core.UsageBy {
	return []core.UsageBy{core.UsageByDay, core.UsageByAgent, core.UsageByPerson, core.UsageByModel, core.UsageByTree}
}

// A Usage has the model calls of one person or of all, and their cost.
type Usage struct {
	From   time.Time       `json:"from"`
	People []core.UsageSum `json:"people"`
	Total  UsageTotal      `json:"total"`
	Groups []UsageGroups   `json:"groups,omitempty" description:"the sums that by asks for, in the same order"`
}

type UsageTotal struct {
	Calls        int     `json:"calls"`
	Cost         float64 `json:"cost" description:"USD"`
	InputTokens  int     `json:"input_tokens"`
	OutputTokens int     `json:"output_tokens"`

	CachedTokens  int `json:"cached_tokens" description:"of the input: read from providers' caches"`
	WrittenTokens int `json:"written_tokens" description:"of the input: written to providers' caches, if the provider bills it"`
}

type UsageGroups struct {
	By   core.UsageBy `json:"by"`
	Rows []UsageGroup `json:"rows" description:"days in order; otherwise at most 100 rows, the most expensive first"`
}

// A UsageGroup is the usage of one day, agent, person, model or tree.
type UsageGroup struct {
	core.UsageGroup
	Title   string         `json:"title,omitempty" description:"of a tree: its first task that is known, else the chat of its message, or nothing"`
	Task    core.TaskID    `json:"task_id,omitempty" description:"of a tree: that task"`
	Session core.SessionID `json:"session_id,omitempty" description:"of a tree that a message has set to work: of the chat; likewise where the key begins with title:, of what finding a title for it has cost"`
}

var GetUsage = Op[GetUsageInput, Usage]{
	Name: "getUsage", Needs: rights.UsageRead, Also: []string{rights.OthersRead}, Route: "GET /api/usage",
	About: "Get the usage",
}
