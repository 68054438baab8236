package core

type UsageBy string

const (
	UsageByDay    UsageBy = "day" // UTC, as 2026-11-26
	UsageByAgent  UsageBy = "agent"
	UsageByPerson UsageBy = "person"
	UsageByModel  UsageBy = "model"
	// UsageByTree has three kinds of keys: "task:" and a task's id if no chat requested the task;
	// "turn:", a session's id and the number of a turn; [TitleTree] and a session's id. It omits
	// usage that clean-up has already summed by day.
	UsageByTree UsageBy = "tree"
)

// TitleTree begins the key of the usage for naming a chat.
const TitleTree = "title:"

// ConnectionTest is the agent of the usage of trials of models. No agent in errand.yaml can have
// this name.
const ConnectionTest AgentName = "connection test"

// A UsageGroup is the usage of one day, agent, person, model or tree.
type UsageGroup struct {
	Key           string  `json:"key"`
	Calls         int     `json:"calls"`
	InputTokens   int     `json:"input_tokens"`
	OutputTokens  int     `json:"output_tokens"`
	CachedTokens  int     `json:"cached_tokens" description:"of the input: read from providers' caches"`
	WrittenTokens int     `json:"written_tokens" description:"of the input: written to providers' caches, if the provider bills it"`
	Cost          float64 `json:"cost" description:"USD"`
}

// A UsageSum is one person's usage of one model with one agent.
type UsageSum struct {
	Person       PersonID  `json:"person"`
	Agent        AgentName `json:"agent"`
	Model        string    `json:"model"`
	Calls        int       `json:"calls"`
	InputTokens  int       `json:"input_tokens"`
	OutputTokens int       `json:"output_tokens"`
	Cost         float64   `json:"cost"` // USD

	CachedTokens  int `json:"cached_tokens"`  // part of the input that providers read from their caches
	WrittenTokens int `json:"written_tokens"` // part of the input that providers wrote to their caches, if they bill that
}
