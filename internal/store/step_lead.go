package store

import (
	"slices"

	"errand/internal/core"
)

// Leaders are the agents that may lead a session.
type Leaders struct {
	Primary core.AgentName   // without a time limit
	Others  []core.AgentName // until their time ends
}

// A Lead has the facts that decide which agent leads a session.
type Lead struct {
	Agent    core.AgentName // the current agent of the session
	Role     core.Role      // of the person, at present
	Language string         // of the person; empty: unknown
	Expired  bool           // the agent's time with the session has ended
	Agreed   core.AgentName // the agent to which the person agreed just now; empty: none
}

// A LeadDecision names the agent that leads a session, and the notice of a change for its chat.
type LeadDecision struct {
	Lead
	Next   core.AgentName
	Notice string
	Cause  string // why the agent changes, for metrics
}

// A Consent says whether a message agrees to a proposal or declines it.
type Consent struct {
	Text    string
	Yes, No bool
}

// An UndecidedError refuses a step until the caller has decided which agent leads the session
// (Lead), or what an answer means (Answer). One of both is set. The caller begins the step
// again with its decision.
type UndecidedError struct {
	Lead   *Lead
	Answer *string
}

func (e *UndecidedError) Error() string {
	if e.Answer != nil {
		return "it is not decided what the answer to a proposal means"
	}
	return "it is not decided which agent thinks for the session"
}

func (in *BeginStep) staysWith(l Lead) bool {
	may, ok := in.Leaders[l.Role]
	return ok && l.Agreed == "" && (l.Agent == may.Primary || !l.Expired && slices.Contains(may.Others, l.Agent))
}

func (b *stepBegin) decideAgent(agreed core.AgentName) error {
	if b.in.Leaders == nil {
		return nil
	}
	now := Lead{
		Agent: b.out.Agent, Role: b.person.Role, Language: b.person.Language, Agreed: agreed,
		Expired: !b.opened && b.session.StickyUntil > 0 && b.session.StickyUntil <= b.now,
	}
	if b.in.staysWith(now) {
		return nil
	}
	i := slices.IndexFunc(b.in.Decisions, func(d LeadDecision) bool { return d.Lead == now })
	if i < 0 {
		return &UndecidedError{Lead: &now}
	}
	d := b.in.Decisions[i]
	if d.Next == b.out.Agent {
		return nil
	}
	b.out.TakenOverFrom, b.out.TakeoverCause, b.out.Agent = b.out.Agent, d.Cause, d.Next
	if err := b.putInCharge(b.key.Owner, d.Next, 0); err != nil {
		return err
	}
	return b.announceHandOver(b.out, d.Notice)
}

// consent ends the proposal, even if the message neither agrees nor declines.
func (b *stepBegin) consent(text string) error {
	proposed := core.AgentName(b.session.Proposal)
	if proposed == "" || b.in.Leaders == nil {
		return nil
	}
	i := slices.IndexFunc(b.in.Consents, func(c Consent) bool { return c.Text == text })
	if i < 0 {
		return &UndecidedError{Answer: &text}
	}
	b.session.Proposal = ""
	if _, err := b.Exec(`UPDATE sessions SET proposal = '' WHERE id = ?`, b.key.Owner); err != nil {
		return err
	}
	c := b.in.Consents[i]
	if err := b.answerProposal(c); err != nil {
		return err
	}
	switch {
	case c.Yes:
		if err := b.decideAgent(proposed); err != nil || b.out.Agent != proposed || proposed == b.in.Primary {
			return err
		}
		return b.lastUsed(b.out.Person, proposed)
	case c.No:
		b.out.DeclinedAgent = proposed
	}
	return nil
}

// answerProposal closes the open question of a proposal. If the message neither agrees nor
// declines, the question is withdrawn.
func (b *stepBegin) answerProposal(c Consent) error {
	if !b.asked {
		return nil
	}
	list, err := questionsWhere(b, `owner = ? AND kind = 'proposal' AND state = 'open'`, b.key.Owner)
	if err != nil {
		return err
	}
	for i := range list {
		in := CloseQuestion{State: core.QuestionWithdrawn}
		switch {
		case c.Yes:
			in = CloseQuestion{State: core.QuestionAnswered, Answer: c.Text, By: b.out.Person, In: b.out.Route.Channel}
		case c.No:
			in = CloseQuestion{State: core.QuestionDeclined, By: b.out.Person, In: b.out.Route.Channel}
		}
		if err := b.closeQuestion(&list[i], in); err != nil {
			return err
		}
	}
	return nil
}
