package activities

import (
	"errors"
	"fmt"
	"strings"

	"errand"
	"errand/internal/store"
	"errand/internal/tools"
)

// maxAsked is how many questions one step may ask: a person answers one after the other.
const maxAsked = 3

// askPerson plans a call of ask_user. A sub-agent's question is shown where its errand came
// from, and its turn waits. The agent of a conversation asks with the reply of its turn.
func (a *Activities) askPerson(b *store.StepInput, call errand.ToolCall, index int, c *store.CommitStep) error {
	q, err := tools.ParseQuestion(call.Arguments)
	switch {
	case err != nil:
		return err
	case b.Person == "", b.Task != nil && !b.Route.HasReader():
		return errors.New("nobody is there who could be asked: say in your report what you would need to know")
	case b.Task == nil && (len(c.Calls) > 1 || c.HandOver != nil):
		return errors.New("ask the person in a step of its own, without other calls")
	case len(c.Questions) >= maxAsked:
		return fmt.Errorf("at most %d questions in one step are asked; this one was not", maxAsked)
	}
	q.ID, q.Pace = errand.NewQuestionID(), a.QuestionPace
	if b.Task == nil {
		// Who talks with the agent sees its question, and is not reminded of the talk.
		q.Pace.RemindAfter = nil
		c.Ask = &q
		return nil
	}
	q.Shown = a.questionText(b, q)
	if c.Questions == nil {
		c.Questions = map[int]store.NewQuestion{}
	}
	c.Questions[index] = q
	return nil
}

// questionText is what the person reads of a sub-agent's question: what it asks, what
// that is about, and how it can be answered.
func (a *Activities) questionText(b *store.StepInput, q store.NewQuestion) string {
	how := "question.how"
	if len(q.Options) > 0 {
		how = "question.how_options"
	}
	return q.Text + "\n\n" + a.text(b.Language, "question.about", "agent", b.Agent.Display(), "task", string(b.Task.ID), "title", b.Task.Title) +
		"\n" + a.text(b.Language, how, "question", string(q.ID))
}

// askInReply turns a step into the question that its agent asks.
func askInReply(c *store.CommitStep) {
	if text := strings.TrimSpace(c.Text); text != "" && !strings.Contains(text, c.Ask.Text) {
		c.Text = text + "\n\n" + c.Ask.Text
	} else if text == "" {
		c.Text = c.Ask.Text
	}
	c.Options = c.Ask.Options
	c.Calls, c.Planned = nil, nil
}
