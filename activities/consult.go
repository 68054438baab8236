package activities

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"errand"
	"errand/internal/store"
	"errand/internal/tools"
)

// Pairs bounds how often two agents ask each other; package service implements it.
type Pairs interface {
	// AllowPairs counts that from asks each of to, in a conversation. Where a pair has
	// asked each other too often it counts nothing, and returns how long it has to wait.
	AllowPairs(conversation string, from errand.AgentName, to []errand.AgentName) (wait time.Duration)
}

// allowPairs says that two of the agents have asked each other too often; nil: they have
// not. A chain ends by itself. Two that ask each other again with every result do not.
func (a *Activities) allowPairs(b *store.StepInput, to []errand.AgentName) error {
	if a.Pairs == nil {
		return nil
	}
	conversation := string(b.SessionKey)
	if conversation == "" {
		conversation = b.Root
	}
	wait := a.Pairs.AllowPairs(conversation, b.Agent, to)
	if wait <= 0 {
		return nil
	}
	names := make([]string, len(to))
	for i, n := range to {
		names[i] = n.Display()
	}
	return fmt.Errorf("%s and %s have asked each other too often in this conversation; again in %d s. Go on with what you have, or report what is missing",
		b.Agent.Display(), strings.Join(names, ", "), int(math.Ceil(wait.Seconds())))
}

// colleagues are the agents whom the specialist that leads a conversation may consult:
// those that it may send on tasks, and those to whom it may hand the conversation over.
// The primary agent delegates, and so does who works on a task.
func (a *Activities) colleagues(b *store.StepInput) []errand.AgentName {
	if b.Task != nil || b.Agent == a.rosterAt(b.Route).Primary().Name {
		return nil
	}
	names := a.delegates(b)
	for _, h := range a.rosterAt(b.Route).HandoffTo(b.Agent) {
		if !slices.Contains(names, h.Name) && a.inReach(b, h.Name) == nil {
			names = append(names, h.Name)
		}
	}
	return names
}

// consult plans a call of consult: a task whose report the call waits for, or with ask,
// the question whether the person agrees, with which the turn ends.
func (a *Activities) consult(b *store.StepInput, call errand.ToolCall, c *store.CommitStep) (store.NewTask, error) {
	in, err := tools.ParseConsult(call.Arguments)
	if err != nil {
		return store.NewTask{}, err
	}
	may := a.colleagues(b)
	switch {
	case len(may) == 0:
		return store.NewTask{}, fmt.Errorf("there is nobody here whom %s can consult", b.Agent.Display())
	case !slices.Contains(may, in.Agent):
		return store.NewTask{}, fmt.Errorf("%s cannot consult %q; whom it can: %s", b.Agent.Display(), errand.Cut(string(in.Agent), 40), strings.Join(errand.Strings(may), ", "))
	case !in.Ask:
		agents := []errand.AgentName{in.Agent}
		return store.NewTask{Agents: agents, Text: in.Question, Waits: true}, a.allowPairs(b, agents)
	case b.Person == "", b.Cause == store.CauseResults:
		return store.NewTask{}, errors.New("nobody is there who could be asked: consult without ask, or go on without")
	case len(c.Calls) > 1 || c.HandOver != nil:
		return store.NewTask{}, errors.New("ask the person in a step of its own, without other calls")
	}
	c.Ask = &store.NewQuestion{
		ID: errand.NewQuestionID(), Text: a.text(b.Language, "consult.ask", "agent", in.Agent.Display(), "question", in.Question),
		Options: []string{a.text(b.Language, "consult.yes"), a.text(b.Language, "consult.no")}, Pace: a.QuestionPace,
	}
	c.Ask.Pace.RemindAfter = nil // as of all that the agent of a conversation asks
	return store.NewTask{}, nil
}
