package agents

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"errand/internal/core"
)

const (
	// DefaultModel is the key of the model for agents that name none.
	DefaultModel = "default"

	// DefaultMaxSteps limits the model calls in one turn of an agent that sets no limit.
	DefaultMaxSteps = 20

	// MaxMaxSteps is the highest limit an agent may set. The workflow of a sub-agent does not
	// continue as new, so its history grows with every step. A thousand steps stay well below
	// Temporal's limit.
	MaxMaxSteps = 1000
)

// NamePattern matches names that fit into workflow ids, URLs and tool arguments, and that
// people can type.
const NamePattern = `^[a-z][a-z0-9_-]{0,30}$`

var validName = regexp.MustCompile(NamePattern)

// An Agent is the definition of one agent. Only Name and Instructions are required. [New]
// sets the defaults.
type Agent struct {
	Name core.AgentName
	Kind core.AgentKind // where it runs; default: core.LocalAgent
	// One line for agents that may call it; default: the first sentence of Instructions.
	Description  string
	Instructions string // Markdown: part of every prompt
	Voice        string // Markdown: how it speaks; optional

	// Notification is the start of the agent's notifications of outcomes, by language (BCP 47;
	// "": the installation's). See [Places]. Default: the common text for all agents.
	Notification map[string]string

	Model string // key of a configured model; default: DefaultModel

	// Delegates are the agents that it may delegate to, in the order in which they are offered.
	Delegates []core.AgentName

	// Tools are names of tools it may use, or patterns such as "github.*" for an MCP server.
	// Nil means all built-in tools and no MCP tools; empty means none.
	Tools []string

	// Skills are names or patterns of its skills. Nil means all, and empty none.
	Skills []string

	MaxSteps int // model calls in one turn; default: DefaultMaxSteps

	// Effort is one of [Efforts], and Verbosity one of [Verbosities]; empty: the model's default.
	Effort    string
	Verbosity string

	// HandoffTo are the agents that it may hand a conversation over to, besides the primary
	// agent. Nil means those of the primary agent, which are its delegates by default.
	HandoffTo []core.AgentName

	// NotSticky says that conversations cannot be handed over to it.
	NotSticky bool

	// StickyFor is how long a conversation stays with it after its last reply; default: that
	// of the installation.
	StickyFor time.Duration

	// Role is the minimum role of a person who talks with it or delegates to it; default:
	// core.Guest.
	Role core.Role

	// ActsAs is the highest role with which it acts, even for people with a higher one;
	// default: core.MasterAdmin, no limit.
	ActsAs core.Role
}

// Efforts returns the values of Effort. If a model does not support one, its provider
// refuses the request with a clear error.
func Efforts() []string {
	return []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
}

// Verbosities returns the values of Verbosity.
func Verbosities() []string { return []string{"low", "medium", "high"} }

// MayUse reports whether a may use a tool. Names of MCP tools contain a dot.
func (a *Agent) MayUse(tool string) bool {
	if a.Tools == nil {
		return !strings.Contains(tool, ".")
	}
	return slices.ContainsFunc(a.Tools, func(t string) bool { return core.Matches(t, tool) })
}

// MayDelegate reports whether a may delegate to the agent called name.
func (a *Agent) MayDelegate(name core.AgentName) bool {
	for _, d := range a.Delegates {
		if d == name {
			return true
		}
	}
	return false
}

func (a Agent) withDefaults() *Agent {
	if a.Kind == "" {
		a.Kind = core.LocalAgent
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
	a.Delegates = append([]core.AgentName(nil), a.Delegates...)
	if a.HandoffTo != nil {
		a.HandoffTo = append([]core.AgentName{}, a.HandoffTo...)
	}
	if a.Role == "" {
		a.Role = core.Guest
	}
	if a.ActsAs == "" {
		a.ActsAs = core.MasterAdmin
	}
	if a.Tools != nil {
		a.Tools = append([]string{}, a.Tools...)
	}
	if a.Skills != nil {
		a.Skills = append([]string{}, a.Skills...)
	}
	return &a
}

// longestDescription is in characters. A prompt contains the descriptions of all delegates.
const longestDescription = 200

// firstSentence returns the first sentence of a text, without headings.
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

// startsSentence prevents a break after "e.g." in "e.g. trains".
func startsSentence(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return strings.ToLower(string(r)) != string(r)
}
