package activities

import (
	"fmt"
	"slices"
	"strings"

	"errand"
	"errand/internal/agents"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/texts"
	"errand/internal/tools"
)

// leaders are the agents that a session of somebody with a role may be with. here is
// the roster as it is on the session's account.
func (a *Activities) leaders(here *agents.Roster, role errand.Role) store.Leaders {
	if a.checkHandOver(here, role, here.Primary().Name) != nil {
		here = a.Roster // the account's agent is not for everybody
	}
	may := store.Leaders{Primary: here.Primary().Name}
	for _, name := range a.Roster.Names() {
		if name != may.Primary && a.checkHandOver(here, role, name) == nil {
			may.Others = append(may.Others, name)
		}
	}
	return may
}

// decideLead decides which agent thinks for a session: the one it is with, unless the
// person has agreed to another, its time is over, or it is not there for this person
// any more. Then the primary agent takes over and says so.
func (a *Activities) decideLead(here *agents.Roster, l store.Lead) store.LeadDecision {
	may := a.leaders(here, l.Role)
	stays := store.LeadDecision{Lead: l, Next: l.Agent}
	_, known := a.Roster.Agent(l.Agent)
	key := ""
	switch {
	case l.Agreed != "" && (l.Agreed == may.Primary || slices.Contains(may.Others, l.Agreed)):
		return store.LeadDecision{Lead: l, Next: l.Agreed, Notice: a.text(l.Language, "handover.takes_over", "agent", l.Agreed.Display()), Cause: "consent"}
	case l.Agreed != "", l.Agent == may.Primary:
		return stays
	case !known:
		key = "handover.agent_gone"
	case !slices.Contains(may.Others, l.Agent):
		key = "handover.agent_closed"
	case l.Expired:
		key = "handover.expired"
	default:
		return stays
	}
	return store.LeadDecision{Lead: l, Next: may.Primary, Cause: strings.TrimPrefix(key, "handover."),
		Notice: a.text(l.Language, key, "agent", l.Agent.Display(), "primary", may.Primary.Display())}
}

// handedOver counts and logs that another agent leads a session now: by a
// hand-over of the model's (cause "model"), the person's consent, or because the
// one before is not there any more.
func (a *Activities) handedOver(b *store.StepInput, from, to errand.AgentName, cause string) {
	a.Metrics.HandOvers.Add(string(from), string(to), cause)
	a.Logger.Info("conversation handed over", "session", b.Session, "from", from, "to", to, "cause", cause)
}

func (a *Activities) rosterAt(r errand.Route) *agents.Roster {
	return a.Accounts.Roster(a.Roster, r.At())
}

// checkHandOver says why a conversation of somebody with role may not be with the
// agent called name; nil if it may.
func (a *Activities) checkHandOver(here *agents.Roster, role errand.Role, name errand.AgentName) error {
	agent, ok := a.Roster.Agent(name)
	switch {
	case !ok:
		return fmt.Errorf("there is no agent %q", errand.Cut(string(name), 40))
	case !a.Rights.May(role, rights.Agent, string(name)):
		return fmt.Errorf("%s is not there for this person", name.Display())
	case name != here.Primary().Name && (agent.NotSticky || !a.Sticky):
		return fmt.Errorf("no conversation is handed over to %s", name.Display())
	}
	return nil
}

func (a *Activities) handoffTo(b *store.StepInput) []errand.AgentName {
	if b.Task != nil {
		return nil
	}
	var names []errand.AgentName
	here := a.rosterAt(b.Route)
	for _, h := range here.HandoffTo(b.Agent) {
		if a.checkHandOver(here, b.Role, h.Name) == nil {
			names = append(names, h.Name)
		}
	}
	return names
}

// handOver plans a call of transfer_to_agent. The primary agent hands over, and
// everybody hands back to it. A specialist asks the person before it hands them
// on to another: the reply is then that question.
func (a *Activities) handOver(b *store.StepInput, call errand.ToolCall, c *store.CommitStep) error {
	t, err := tools.ParseTransfer(call.Arguments)
	if err != nil {
		return err
	}
	may := a.handoffTo(b)
	switch {
	case t.Agent == b.Agent:
		return fmt.Errorf("the conversation is with %s already", b.Agent.Display())
	case !slices.Contains(may, t.Agent):
		return fmt.Errorf("%s cannot hand over to %q; to whom it can: %s", b.Agent.Display(), errand.Cut(string(t.Agent), 40), strings.Join(errand.Strings(may), ", "))
	case c.HandOver != nil || c.Propose != "":
		return fmt.Errorf("a conversation is handed over to one agent only; this call was not carried out")
	case t.Agent == b.DeclinedAgent:
		return fmt.Errorf("the person has just declined to be handed over to %s: answer yourself, as well as you can", t.Agent.Display())
	}
	primary := a.rosterAt(b.Route).Primary().Name
	if b.Agent != primary && t.Agent != primary && b.TakenOverFrom == "" {
		if len(c.Calls) > 1 {
			return fmt.Errorf("ask the person about handing over in a step of its own, without other calls")
		}
		c.Propose = t.Agent
		return nil
	}
	c.HandOver = &store.HandOver{
		To: t.Agent, StickFor: a.rosterAt(b.Route).StickFor(t.Agent, a.StickyFor),
		Notice: a.text(b.Language, "handover.takes_over", "agent", t.Agent.Display()),
		Result: fmt.Sprintf("The conversation has been handed over by %s to %s, who answers the person's last message now, directly.", b.Agent.Display(), t.Agent.Display()),
	}
	if t.Reason != "" {
		c.HandOver.Result += " Reason: " + t.Reason
	}
	return nil
}

// propose turns a step into the question whether to hand over.
func (a *Activities) propose(b *store.StepInput, c *store.CommitStep) {
	if strings.TrimSpace(c.Text) == "" {
		c.Text = a.text(b.Language, "handover.proposal", "agent", c.Propose.Display())
	} else {
		c.Text = strings.TrimSpace(c.Text) + "\n\n" + a.text(b.Language, "handover.question", "agent", c.Propose.Display())
	}
	c.Options = []string{a.text(b.Language, "handover.yes"), a.text(b.Language, "handover.no")}
	if b.Person != "" {
		pace := a.QuestionPace
		pace.RemindAfter = nil // whoever talks with the agent sees what it proposes
		c.Ask = &store.NewQuestion{ID: errand.NewQuestionID(), Kind: errand.Proposes, Text: c.Text, Options: c.Options, Pace: pace}
	}
	c.Calls, c.Planned = nil, nil
}

func (a *Activities) text(language, key string, args ...string) string {
	return a.Texts.For(language, a.Language).Localize(key, args...)
}

// role is what an agent may do in a step: the lesser of the person's rights and
// its own.
func (a *Activities) role(b *store.StepInput) errand.Role {
	agent, ok := a.Roster.Agent(b.Agent)
	if !ok {
		return b.Role
	}
	return errand.Lesser(b.Role, agent.ActsAs)
}

// mayUse reports whether the agent of a step may use a tool for this person.
func (a *Activities) mayUse(b *store.StepInput, agent *agents.Agent, t tools.Tool) bool {
	switch {
	case t.By == store.ByVerdict:
		return agent != nil && decides(b)
	case agent == nil || !agent.MayUse(t.Name) || !a.role(b).Includes(a.Rights.LeastTool(t.Name, t.Role)):
		return false
	case t.For != nil && !t.For(agent.Name):
		return false
	case t.Name == tools.AnswerTask:
		return b.Task == nil // a sub-agent hears no person
	case t.By == store.ByHandover:
		return len(a.handoffTo(b)) > 0
	}
	return true
}

func consent(text string) store.Consent {
	yes, no := texts.Consent(text)
	return store.Consent{Text: text, Yes: yes, No: no}
}
