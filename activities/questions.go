package activities

import (
	"errors"
	"fmt"
	"strings"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/tools"
)

// maxAsked limits the questions of one step, because a person answers one after the other.
const maxAsked = 3

// askPerson plans a call of ask_user. A sub-agent's question appears where its task was requested,
// and its turn waits. The agent of a conversation asks with the reply of its turn.
func (l *planner) askPerson(b *store.StepInput, call core.ToolCall, index int, c *store.CommitStep) error {
	q, err := tools.ParseQuestion(call.Arguments)
	switch {
	case err != nil:
		return err
	case b.Person == "", b.Task != nil && !b.Route.HasReader():
		return errors.New("nobody can be asked here: write in your report what you need to know")
	case b.Task == nil && (len(c.Calls) > 1 || c.HandOver != nil):
		return errors.New("ask the user in a separate step, without other calls")
	case len(c.Questions) >= maxAsked:
		return fmt.Errorf("at most %d questions are asked per step; this one was not asked", maxAsked)
	}
	q.ID, q.Pace = core.NewQuestionID(), l.pace
	if b.Task == nil {
		// The person sees the question in the conversation and needs no reminder.
		q.Pace.RemindAfter = nil
		c.Ask = &q
		return nil
	}
	q.Shown = l.questionText(b, q)
	if c.Questions == nil {
		c.Questions = map[int]store.NewQuestion{}
	}
	c.Questions[index] = q
	return nil
}

func askInReply(c *store.CommitStep) {
	if text := strings.TrimSpace(c.Text); text != "" && !strings.Contains(text, c.Ask.Text) {
		c.Text = text + "\n\n" + c.Ask.Text
	} else if text == "" {
		c.Text = c.Ask.Text
	}
	c.Options = c.Ask.Options
	c.Calls, c.Planned = nil, nil
}
