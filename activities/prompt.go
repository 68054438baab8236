package activities

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"errand/internal/agents"
	"errand/internal/prompt"
	"errand/internal/store"
	"errand/internal/tools"
)

// A Prompter renders the prompts of models: the system prompt, the note, and the tools.
type Prompter struct {
	*worker
	*authority
	tools *tools.Set
	model Model
	zone  *time.Location

	rules    sync.Map     // *stepRules by rulesOf
	rendered atomic.Int64 // prompts
}

// system returns the system prompt. It stays the same, byte for byte, while the session is with its
// agent, because providers cache prefixes. Everything that changes is in the note.
func (p *Prompter) system(b *store.StepInput) string {
	var text strings.Builder
	if agent, ok := p.roster.Agent(b.Agent); ok {
		text.WriteString(prompt.Persona(agent.Instructions, agent.Voice))
	} else {
		text.WriteString(prompt.NoPersona(b.Agent))
	}
	text.WriteString("\n\n" + prompt.Rules(b.Nonce) + "\n")
	if b.Task != nil {
		text.WriteString(prompt.Task(b.Task, b.Nonce, p.answers(b)))
	}
	if decides(b) {
		text.WriteString(prompt.Decides(tools.SubmitVerdict))
	}
	text.WriteString(p.conversation(b))
	text.WriteString(p.consulting(b))
	text.WriteString(p.skills(b))
	return text.String()
}

func (p *Prompter) answers(b *store.StepInput) string {
	tool, ok := p.tools.Tool(tools.AskUser)
	if agent, _ := p.roster.Agent(b.Agent); ok && b.Route.Chat != "" && p.mayUse(b, agent, tool) {
		return prompt.AskPerson(tools.AskUser)
	}
	return prompt.NoAnswers
}

// skills returns the same text in every prompt, because skills are loaded once at start.
func (p *Prompter) skills(b *store.StepInput) string {
	list := p.roster.Skills(b.Agent)
	tool, ok := p.tools.Tool(agents.ReadSkill)
	if agent, _ := p.roster.Agent(b.Agent); len(list) == 0 || !ok || !p.mayUse(b, agent, tool) {
		return ""
	}
	var text strings.Builder
	text.WriteString(prompt.Skills(agents.ReadSkill))
	for _, s := range list {
		fmt.Fprintf(&text, "- %s: %s\n", s.Name, s.Description)
	}
	return text.String()
}

func (p *Prompter) conversation(b *store.StepInput) string {
	primary := p.rosterAt(b.Route).Primary().Name
	var text strings.Builder
	if b.Task == nil && b.SessionKey.Shared() {
		text.WriteString(prompt.SharedChat)
	}
	if b.Task == nil && b.Group && !b.SessionKey.Shared() {
		text.WriteString(prompt.GroupChat)
	}
	if b.Task == nil && b.Agent != primary {
		text.WriteString(prompt.Specialist(primary, tools.TransferToAgent))
	}
	return text.String()
}

func (p *Prompter) consulting(b *store.StepInput) string {
	tool, ok := p.tools.Tool(tools.Consult)
	agent, known := p.roster.Agent(b.Agent)
	if !ok || !known || !p.mayUse(b, agent, tool) || len(p.colleagues(b)) == 0 {
		return ""
	}
	return prompt.Consults(tools.Consult)
}
