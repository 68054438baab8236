package store

import (
	"slices"

	"errand"
)

// Leaders are the agents that a session may be with.
type Leaders struct {
	Primary errand.AgentName   // for as long as it likes
	Others  []errand.AgentName // until their time is over
}

// A Lead is what it depends on which agent thinks for a session.
type Lead struct {
	Agent    errand.AgentName // with whom the session is
	Role     errand.Role      // of the person, now
	Language string           // of the person; empty: not known
	Expired  bool             // its time with the session has run out
	Agreed   errand.AgentName // to whom the person has just agreed to be handed over; empty: to nobody
}

// A LeadDecision says which agent thinks for a session, and what its chat is told
// where that is another one than before.
type LeadDecision struct {
	Lead
	Next   errand.AgentName
	Notice string
	Cause  string // of the change, for whoever counts them
}

// A Consent says what a message means as the answer to what was proposed.
type Consent struct {
	Text    string
	Yes, No bool
}

// An UndecidedError refuses a step until its caller has decided what the store cannot
// know: which agent thinks for the session, or what an answer means. One of both is
// set. The caller begins the step again with its decision.
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

// staysWith reports whether it needs no decision that a session stays with its agent.
func (in *BeginStep) staysWith(l Lead) bool {
	may, ok := in.Leaders[l.Role]
	return ok && l.Agreed == "" && (l.Agent == may.Primary || !l.Expired && slices.Contains(may.Others, l.Agent))
}

// decideAgent decides who thinks, and hands the session over where that is somebody
// else than before.
func (b *stepBegin) decideAgent(agreed errand.AgentName) error {
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

// consent looks whether a message answers the question whether to hand the
// session over. Whatever it says, the question has had its answer.
func (b *stepBegin) consent(text string) error {
	proposed := errand.AgentName(b.session.Proposal)
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

// answerProposal ends the question of the proposal that a message answers, if it is open:
// whoever has agreed or declined from elsewhere has ended it. Other words answer nothing,
// and it lapses.
func (b *stepBegin) answerProposal(c Consent) error {
	if !b.asked {
		return nil
	}
	list, err := questionsWhere(b, `owner = ? AND kind = 'proposal' AND state = 'open'`, b.key.Owner)
	if err != nil {
		return err
	}
	for i := range list {
		in := CloseQuestion{State: errand.QuestionWithdrawn}
		switch {
		case c.Yes:
			in = CloseQuestion{State: errand.QuestionAnswered, Answer: c.Text, By: b.out.Person, In: b.out.Route.Channel}
		case c.No:
			in = CloseQuestion{State: errand.QuestionDeclined, By: b.out.Person, In: b.out.Route.Channel}
		}
		if err := b.closeQuestion(&list[i], in); err != nil {
			return err
		}
	}
	return nil
}
