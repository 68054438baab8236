package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"errand"
)

// ContinueTask makes a new task that goes on with one that has ended: for the same agents,
// with origin, and with m.Text as what is to be done now. The transcript of each agent
// begins with what it had, word for word and with the same nonce, so that its prompt begins
// as before. Where that is no longer kept, it begins with what was asked for and what came
// of it. Said again under the same key, it is the task that it was.
//
// Agents that were to decide something decide it anew, by the same policy and in the same
// time. A branch that has followed already does not follow again.
//
// With ErrOpenTasks it refuses to go on with what is at work, and with ErrNoted a message of a
// program's that has come before.
func (s *Store) ContinueTask(ctx context.Context, id errand.TaskID, origin errand.Origin, m TaskMessage) (errand.Task, error) {
	var task errand.Task
	err := s.write(ctx, conversation(origin), func(t *tx) error {
		var known string
		if _, err := t.Value(&known, `SELECT continued_by FROM task_messages WHERE key = ?`, m.Key); err != nil {
			return err
		}
		var err error
		if known != "" {
			task, err = taskByID(t, errand.TaskID(known))
			return err
		}
		old, err := taskByID(t, id)
		if err != nil {
			return err
		}
		if !old.State.Terminal() {
			return fmt.Errorf("%w: %s", ErrOpenTasks, id)
		}
		task = errand.Task{
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

// decideAgain has a task decide anew what one before it was to decide.
func (t *tx) decideAgain(old, task *errand.Task) {
	task.Policy, task.Then, task.Else = old.Policy, old.Then, old.Else
	if !old.Deadline.IsZero() {
		task.Deadline = t.deadline(old.Deadline.Sub(old.Created))
	}
	switch {
	case old.FollowedBy == "":
	case old.Decision == errand.AnswerYes:
		task.Then = nil
	default:
		task.Else = nil
	}
}

// continueTranscript puts what an agent had in its transcript in front of the one of the
// task that goes on: it is its turn 0.
func (t *tx) continueTranscript(old, task *errand.Task, agent errand.AgentName) error {
	from, to := errand.SubAgentOwner(old.ID, agent), errand.SubAgentOwner(task.ID, agent)
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
		messages = []errand.Message{{Speaker: errand.FromPerson, Text: forgotten(old), Created: old.Created}}
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

// latest are the messages since a summary that a prompt would begin with, in whole steps;
// none where the first of them are gone.
func (t *tx) latest(owner errand.Owner, sum summaryRow) ([]errand.Message, error) {
	messages, err := promptMessagesWhere(t, `owner = ? AND (turn, step) > (?, ?) ORDER BY turn DESC, step DESC, idx DESC LIMIT ?`,
		owner, sum.Turn, sum.Step, maxWindow+1)
	if err != nil || len(messages) == 0 {
		return nil, err
	}
	slices.Reverse(messages)
	first := messages[0]
	switch {
	case len(messages) > maxWindow: // its first step may be cut
		return slices.DeleteFunc(messages, func(m errand.Message) bool { return m.Turn == first.Turn && m.Step == first.Step }), nil
	case sum.Text == "" && (first.Step > 0 || first.Index > 0):
		return nil, nil
	}
	return messages, nil
}

// copyUntaken adds what was said to a task and its agent did not come to read.
func (t *tx) copyUntaken(old *errand.Task, from, to errand.Owner, step int) error {
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
		err = t.insertMessage(to, errand.Message{Step: step, Index: i, Speaker: errand.FromPerson, Text: text, Created: at(r.Created)})
		if err != nil {
			return err
		}
	}
	return nil
}

// forgotten is what is known of a task whose transcript is no longer kept, or that never
// began.
func forgotten(old *errand.Task) string {
	if old.ModelCalls == 0 {
		return old.Nonce.Without(old.Text)
	}
	drawn := errand.NewNonce()
	text := old.Text + "\n" + drawn.Mark("the steps of this task are no longer kept. Its outcome:") + "\n" + old.Report(drawn)
	return old.Nonce.Reseal(text, drawn)
}

func asked(n errand.Nonce, task *errand.Task) string {
	if task.Continues == "" {
		return taskText(n, task)
	}
	return n.Mark("task "+string(task.Continues)+" has ended, and what it delegated with it. It goes on now, as task "+string(task.ID)+", and this is what is to be done:") + "\n" + task.Text
}
