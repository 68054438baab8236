package agents

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"errand"
)

const (
	// DefaultModel is the key of the model that speaks for an agent that names none.
	DefaultModel = "default"

	// DefaultMaxSteps bounds the model calls of one turn of an agent that sets no bound.
	DefaultMaxSteps = 20

	// MaxMaxSteps is the highest bound an agent may set. The workflow of a
	// sub-agent does not continue as new, so its event history grows with
	// every step; a thousand steps stay well below Temporal's limit.
	MaxMaxSteps = 1000
)

// NamePattern is what the name of an agent looks like. Names are part of
// workflow ids, URLs and tool arguments, and are typed by people.
const NamePattern = `^[a-z][a-z0-9_-]{0,30}$`

var validName = regexp.MustCompile(NamePattern)

// An Agent is one named definition of the roster.
//
// Only Name and Instructions are required: [New] fills in the rest.
type Agent struct {
	Name         errand.AgentName
	Kind         errand.AgentKind // where it works; default: errand.LocalAgent
	Description  string           // one line that tells callers what it is good at; default: first sentence of Instructions
	Instructions string           // Markdown: what it is told in every prompt
	Voice        string           // Markdown: how it speaks; may be empty

	// Notification are the words with which it begins when it tells the outcome of an
	// errand by itself, with no session around it, by language (BCP 47; "": the
	// installation's). See [Places]. Where it has none in a person's language, it begins
	// as agents do.
	Notification map[string]string

	Model string // key of a configured model; default: DefaultModel

	// Delegates are the agents it may send on errands, in the order in which
	// they are offered to it.
	Delegates []errand.AgentName

	// Tools are the names of the tools it may use, or patterns of them: "github.*" is
	// every tool of an MCP server. Nil means all that are built in, and none of MCP
	// servers; empty means none.
	Tools []string

	// Skills are the names of the skills it has, or patterns of them. Nil means all, and
	// empty none.
	Skills []string

	MaxSteps int // model calls in one turn; default: DefaultMaxSteps

	// Effort is how long its model is to reason, one of [Efforts], and Verbosity how much
	// it is to write, one of [Verbosities]; empty: as the model does by itself.
	Effort    string
	Verbosity string

	// HandoffTo are the agents to which it may hand a conversation over. Nil
	// means, for the primary agent, its delegates, and for the others those to
	// whom the primary agent hands over. Back to the primary agent it always may.
	HandoffTo []errand.AgentName

	// NotSticky: no conversation is handed over to it.
	NotSticky bool

	// StickyFor is how long a conversation stays with it after its last reply;
	// default: the installation's.
	StickyFor time.Duration

	// Role is the least role of a person who may talk with it or have it sent on
	// an errand; default: errand.Guest.
	Role errand.Role

	// ActsAs bounds what it may do for anybody, whatever they may themselves;
	// default: errand.MasterAdmin, no bound.
	ActsAs errand.Role
}

// Efforts are what an agent may ask of its model. Not every model has each: one that a
// model has not is refused by its provider, which says so.
func Efforts() []string {
	return []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
}

// Verbosities are how much an agent may have its model write.
func Verbosities() []string { return []string{"low", "medium", "high"} }

// MayUse reports whether a may use the tool of that name. Those of MCP servers have a
// dot in theirs.
func (a *Agent) MayUse(tool string) bool {
	if a.Tools == nil {
		return !strings.Contains(tool, ".")
	}
	return slices.ContainsFunc(a.Tools, func(t string) bool { return errand.Matches(t, tool) })
}

// MayDelegate reports whether a may send the agent called name on an errand.
func (a *Agent) MayDelegate(name errand.AgentName) bool {
	for _, d := range a.Delegates {
		if d == name {
			return true
		}
	}
	return false
}

func (a Agent) withDefaults() *Agent {
	if a.Kind == "" {
		a.Kind = errand.LocalAgent
	}
	a.Instructions = strings.TrimSpace(a.Instructions)
	a.Voice = strings.TrimSpace(a.Voice)
	a.Notification = maps.Clone(a.Notification)
	for tag, text := range a.Notification {
		a.Notification[tag] = strings.TrimSpace(text)
	}
	a.Description = strings.Join(strings.Fields(a.Description), " ")
	if a.Description == "" {
		a.Description = firstSentence(a.Instructions)
	}
	if a.Model == "" {
		a.Model = DefaultModel
	}
	if a.MaxSteps == 0 {
		a.MaxSteps = DefaultMaxSteps
	}
	a.Delegates = append([]errand.AgentName(nil), a.Delegates...)
	if a.HandoffTo != nil {
		a.HandoffTo = append([]errand.AgentName{}, a.HandoffTo...)
	}
	if a.Role == "" {
		a.Role = errand.Guest
	}
	if a.ActsAs == "" {
		a.ActsAs = errand.MasterAdmin
	}
	if a.Tools != nil {
		a.Tools = append([]string{}, a.Tools...)
	}
	if a.Skills != nil {
		a.Skills = append([]string{}, a.Skills...)
	}
	return &a
}

// longestDescription is in characters. Every caller's prompt carries the
// descriptions of all its delegates.
const longestDescription = 200

// firstSentence returns the first sentence of a Markdown text, on one line,
// without the headings above it.
func firstSentence(markdown string) string {
	var words []string
	for line := range strings.Lines(markdown) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		if line == "" && len(words) > 0 {
			break
		}
		words = append(words, strings.Fields(line)...)
	}
	for i, w := range words {
		if strings.ContainsAny(w[len(w)-1:], ".!?") && (i+1 == len(words) || startsSentence(words[i+1])) {
			words = words[:i+1]
			break
		}
	}
	sentence := strings.Join(words, " ")
	if utf8.RuneCountInString(sentence) > longestDescription {
		sentence = string([]rune(sentence)[:longestDescription-1]) + "…"
	}
	return sentence
}

// startsSentence keeps "e.g. trains" in one piece.
func startsSentence(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return strings.ToLower(string(r)) != string(r)
}
