package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"errand/internal/core"
	"errand/internal/prompt"
)

// ContinueTask creates a task that continues an ended one, with the same agents, with origin,
// and with the text of m. Each agent's transcript begins with its earlier one, word for word
// and with the same nonce, so that its prompt begins as before. If that was deleted, it begins
// with the old task and its result. The same key returns the same task. Agents that had to
// decide decide again, by the same policy and within the same time. A branch that has followed
// does not follow again. It fails with ErrOpenTasks if the old task is open, and with ErrNoted
// if a program's message was noted earlier.
func (s *Store) ContinueTask(ctx context.Context, id core.TaskID, origin core.Origin, m TaskMessage) (core.Task, error) {
	var task core.Task
	err := s.write(ctx, conversation(origin), func(t *tx) error {
		var known string
		if _, err := t.Value(&known, `SELECT continued_by FROM task_messages WHERE key = ?`, m.Key); err != nil {
			return err
		}
		var err error
		if known != "" {
			task, err = taskByID(t, core.TaskID(known))
			return err
		}
		old, err := taskByID(t, id)
		if err != nil {
			return err
		}
		if !old.State.Terminal() {
			return fmt.Errorf("%w: %s", ErrOpenTasks, id)
		}
		task = core.Task{
			Agents: old.Agents, From: old.From, Text: m.Text, Origin: origin,
			Nonce: old.Nonce, Continues: old.ID, First: cmp.Or(old.First, old.ID),
		}
		t.decideAgain(&old, &task)
		if err := t.mayOpenTask(origin); err != nil {
			return err
		}
		if err := t.insertTask(&task); err != nil {
			return err
		}
		if err := t.noteA2A(m.A2A, task.ID); err != nil {
			return err
		}
		for _, agent := range old.Agents {
			if err := t.continueTranscript(&old, &task, agent); err != nil {
				return err
			}
		}
		_, err = t.insertTaskMessage(id, m, task.ID)
		return err
	})
	return task, err
}

func (t *tx) decideAgain(old, task *core.Task) {
	task.Policy, task.Then, task.Else = old.Policy, old.Then, old.Else
	if !old.Deadline.IsZero() {
		task.Deadline = t.deadline(old.Deadline.Sub(old.Created))
	}
	switch {
	case old.FollowedBy == "":
	case old.Decision == core.AnswerYes:
		task.Then = nil
	default:
		task.Else = nil
	}
}

// continueTranscript copies the old transcript to turn 0 of the new one.
func (t *tx) continueTranscript(old, task *core.Task, agent core.AgentName) error {
	from, to := core.SubAgentOwner(old.ID, agent), core.SubAgentOwner(task.ID, agent)
	sum, err := summaryOf(t, from)
	if err != nil {
		return err
	}
	if sum.Text != "" {
		if _, err := t.Exec(`INSERT INTO summaries (owner, turn, step, text, created) VALUES (?, 0, -1, ?, ?)`, to, sum.Text, t.now); err != nil {
			return err
		}
	}
	messages, err := t.latest(from, sum)
	if err != nil {
		return err
	}
	if sum.Text == "" && len(messages) == 0 {
		messages = []core.Message{{Speaker: core.FromPerson, Text: forgotten(old), Created: old.Created}}
	}
	next := 0
	for i, m := range messages {
		if i > 0 && (m.Turn != messages[i-1].Turn || m.Step != messages[i-1].Step) {
			next++
		}
		m.Turn, m.Step = 0, next
		if err := t.insertMessage(to, m); err != nil {
			return err
		}
	}
	return t.copyUntaken(old, from, to, next+1)
}

// latest returns the latest messages in whole steps; none if the first messages were deleted.
func (t *tx) latest(owner core.Owner, sum summaryRow) ([]core.Message, error) {
	messages, err := promptMessagesWhere(t, `owner = ? AND (turn, step) > (?, ?) ORDER BY turn DESC, step DESC, idx DESC LIMIT ?`,
		owner, sum.Turn, sum.Step, maxWindow+1)
	if err != nil || len(messages) == 0 {
		return nil, err
	}
	slices.Reverse(messages)
	first := messages[0]
	switch {
	case len(messages) > maxWindow: // the first step may be incomplete
		return slices.DeleteFunc(messages, func(m core.Message) bool { return m.Turn == first.Turn && m.Step == first.Step }), nil
	case sum.Text == "" && (first.Step > 0 || first.Index > 0):
		return nil, nil
	}
	return messages, nil
}

func (t *tx) copyUntaken(old *core.Task, from, to core.Owner, step int) error {
	var rows []taskMessageRow
	err := t.All(&rows, `SELECT m.id, m.person, m.agent, m.role, m.text, m.created `+toTake+` ORDER BY m.id LIMIT ?`, from, old.ID, 0, 0, maxClaims)
	if err != nil {
		return err
	}
	for i, r := range rows {
		text, err := t.addedText(old.Nonce, old.Origin.Person, r)
		if err != nil {
			return err
		}
		err = t.insertMessage(to, core.Message{Step: step, Index: i, Speaker: core.FromPerson, Text: text, Created: at(r.Created)})
		if err != nil {
			return err
		}
	}
	return nil
}

// forgotten replaces a transcript that was deleted or never began.
func forgotten(old *core.Task) string {
	if old.ModelCalls == 0 {
		return prompt.Without(old.Nonce, old.Text)
	}
	drawn := core.NewNonce()
	text := old.Text + "\n" + drawn.Mark("the steps of this task were deleted. Its outcome:") + "\n" + old.Report(drawn)
	return prompt.Reseal(old.Nonce, text, drawn)
}

func asked(n core.Nonce, task *core.Task) string {
	if task.Continues == "" {
		return taskText(n, task)
	}
	return n.Mark("task "+string(task.Continues)+" and everything it delegated has ended. It continues now as task "+string(task.ID)+". What to do:") + "\n" + task.Text
}
