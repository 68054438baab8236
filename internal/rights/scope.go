package rights

import (
	"fmt"
	"slices"
	"strings"
)

// A Scope is what a token is for, whoever's it is: the names of [ScopeNames] with spaces
// between them, as OAuth writes a scope (RFC 6749, section 3.3). It only narrows what the
// person's role lets them do. The empty one narrows nothing.
type Scope string

// The names that a scope consists of.
const (
	ScopeRead     = "read"     // look at what is the person's own, and at the installation
	ScopeChat     = "chat"     // talk with agents
	ScopeDelegate = "delegate" // send agents on tasks, and be one; read what became of them, and files, and answer questions
	ScopeAdmin    = "admin"    // everything that a token can do
)

// ScopeNames returns the names that a scope consists of, in their order.
func ScopeNames() []string { return []string{ScopeRead, ScopeChat, ScopeDelegate, ScopeAdmin} }

// inScope are the capabilities of each name but admin, which has all that any token can
// have. What is in no list only admin has, and the yes to a tool no scope at all: that is
// for a person.
var inScope = map[string][]string{
	ScopeRead: {SelfRead, AgentsRead, InstallationRead, SessionsRead, SessionsSearch, SessionsFollow, SessionsStatus, SessionsCount,
		ArtifactsRead, FilesRead, TasksRead, QuestionsRead, RemindersRead, NotesRead, UsageRead, ChannelsRead, MetricsRead, MCPRead, MaintenanceRead},
	ScopeChat: {SelfRead, AgentsRead, InstallationRead, MessagesSend, SessionsRead, SessionsFollow, SessionsStatus, SessionsCount, SessionsSwitch,
		SessionsReset, SessionsStop, SessionsBusy, ChatsChange, ArtifactsRead, FilesRead, FilesChange, QuestionsRead, QuestionsAnswer},
	ScopeDelegate: {SelfRead, AgentsRead, InstallationRead, TasksRead, TasksDelegate, TasksCancel, TasksRetry, TasksSteer,
		AgentsRegister, QuestionsRead, QuestionsAnswer, ArtifactsRead, FilesRead},
}

// ParseScope reads a scope: names with spaces or commas between them, in any order.
// Where nothing is said it is empty; what is said and names nothing is no scope, for it would
// narrow nothing.
func ParseScope(s string) (Scope, error) {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r == ' ' || r == ',' })
	var names []string
	for _, name := range ScopeNames() {
		if slices.Contains(words, name) {
			names = append(names, name)
		}
	}
	for _, name := range words {
		if !slices.Contains(names, name) {
			return "", fmt.Errorf("there is no scope %q", name)
		}
	}
	if s != "" && len(names) == 0 {
		return "", fmt.Errorf("%q names no scope", s)
	}
	return Scope(strings.Join(names, " ")), nil
}

// Covers reports whether a token of that scope may have a capability; the empty one stands
// for what everybody may do.
func (s Scope) Covers(capability string) bool {
	if s == "" || capability == "" {
		return true
	}
	return slices.ContainsFunc(strings.Fields(string(s)), func(name string) bool {
		if name == ScopeAdmin {
			return capability != ApprovalsAnswer
		}
		return slices.Contains(inScope[name], capability)
	})
}

// Includes reports whether all that other covers s covers too.
func (s Scope) Includes(other Scope) bool {
	if other == "" {
		return s == ""
	}
	return !slices.ContainsFunc(capabilities(), func(r Rule) bool { return other.Covers(r.Name) && !s.Covers(r.Name) })
}
