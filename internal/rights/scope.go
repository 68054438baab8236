package rights

import (
	"fmt"
	"slices"
	"strings"
)

// A Scope limits a token: names of [ScopeNames] separated by spaces, as in OAuth (RFC 6749, section
// 3.3). It only narrows the person's role. The empty scope narrows nothing.
type Scope string

// The names of a scope.
const (
	ScopeRead     = "read"     // read the person's own data and the state of the installation
	ScopeChat     = "chat"     // talk with agents
	ScopeDelegate = "delegate" // delegate tasks, register an agent; read results and files, and answer questions
	ScopeAdmin    = "admin"    // everything that a token can do
)

// ScopeNames returns all names of a scope, in order.
func ScopeNames() []string { return []string{ScopeRead, ScopeChat, ScopeDelegate, ScopeAdmin} }

// inScope has the capabilities of each name except admin, which has all others, too. No scope
// includes the approval of tools, which only a person may give.
var inScope = map[string][]string{
	ScopeRead: {SelfRead, AgentsRead, InstallationRead, SessionsRead, SessionsSearch, SessionsFollow, SessionsStatus, SessionsCount,
		ArtifactsRead, FilesRead, TasksRead, QuestionsRead, RemindersRead, NotesRead, UsageRead, ChannelsRead, MetricsRead, MCPRead, MaintenanceRead},
	ScopeChat: {SelfRead, AgentsRead, InstallationRead, MessagesSend, SessionsRead, SessionsFollow, SessionsStatus, SessionsCount, SessionsSwitch,
		SessionsReset, SessionsStop, SessionsBusy, ChatsChange, ArtifactsRead, FilesRead, FilesChange, QuestionsRead, QuestionsAnswer},
	ScopeDelegate: {SelfRead, AgentsRead, InstallationRead, TasksRead, TasksDelegate, TasksCancel, TasksRetry, TasksSteer,
		AgentsRegister, QuestionsRead, QuestionsAnswer, ArtifactsRead, FilesRead},
}

// ParseScope parses names separated by spaces or commas, in any order. A text without a name is an
// error, because an empty scope narrows nothing.
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

// Covers reports whether a token with this scope may use a capability; every scope covers "".
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

// Includes reports whether s covers everything that other covers.
func (s Scope) Includes(other Scope) bool {
	if other == "" {
		return s == ""
	}
	return !slices.ContainsFunc(capabilities(), func(r Rule) bool { return other.Covers(r.Name) && !s.Covers(r.Name) })
}
