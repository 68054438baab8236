package store

import (
	"context"
	"errors"
	"fmt"

	"errand"
	"errand/internal/events"
	"errand/internal/store/sqldb"
)

// A TaskMessage is what somebody says to a task after it was delegated.
type TaskMessage struct {
	Key    string           // by which it is said once, however often it comes
	Person errand.PersonID  // who says it
	Agent  errand.AgentName // that says it for them; empty: they do themselves
	Role   errand.Role      // with which it is said
	Text   string
	A2A    *A2AMessage // by which a program says it, noted with it; nil: none does
}

// An AddedMessage is a message that a task has.
type AddedMessage struct {
	Row    int64
	Agents []errand.AgentName // who will read it, before their next step
}

// AddToTask keeps what is said to a task, for all of its agents that are still at work.
// With ErrClosed it refuses, and keeps nothing, when none is: the task has ended, or lacks
// nothing but its end. What came before is there already, whatever has become of the task.
// With ErrNoted it refuses a message of a program's that has come before, for whatever.
func (s *Store) AddToTask(ctx context.Context, id errand.TaskID, m TaskMessage) (AddedMessage, error) {
	var added AddedMessage
	err := s.writeTask(ctx, id, func(t *tx) error {
		added = AddedMessage{}
		task, err := taskByID(t, id)
		if err != nil {
			return err
		}
		var known struct {
			ID          int64
			ContinuedBy string
		}
		there, err := t.Row(&known, `SELECT id, continued_by FROM task_messages WHERE key = ?`, m.Key)
		switch {
		case err != nil:
			return err
		case there && known.ContinuedBy != "": // it has come before, when the task had ended
			return fmt.Errorf("task %s: %w", id, ErrClosed)
		}
		if err := t.noteA2A(m.A2A, id); err != nil {
			return err
		}
		added.Row = known.ID
		if added.Agents, err = t.readers(&task, known.ID); err != nil || there {
			return err
		}
		if len(added.Agents) == 0 {
			return fmt.Errorf("task %s: %w", id, ErrClosed)
		}
		if _, err := t.Exec(`UPDATE tasks SET added = added + 1 WHERE id = ?`, id); err != nil {
			return err
		}
		t.changed(task.Origin.Person, events.Tasks)
		added.Row, err = t.insertTaskMessage(id, m, "")
		return err
	})
	return added, err
}

// readers are the agents of a task that read a message: those at work, and those that
// have read it already.
func (t *tx) readers(task *errand.Task, row int64) (agents []errand.AgentName, err error) {
	for _, a := range task.Agents {
		reads, err := works(t, task, a)
		if err == nil && !reads {
			var one int
			reads, err = t.Value(&one, `SELECT 1 FROM task_message_takes WHERE owner = ? AND message = ?`, errand.SubAgentOwner(task.ID, a), row)
		}
		if err != nil {
			return nil, err
		}
		if reads {
			agents = append(agents, a)
		}
	}
	return agents, nil
}

// insertTaskMessage writes what is said to a task; continuedBy is the task that goes on
// with it.
func (t *tx) insertTaskMessage(id errand.TaskID, m TaskMessage, continuedBy errand.TaskID) (row int64, err error) {
	_, err = t.Value(&row, `INSERT INTO task_messages (task, key, person, agent, role, text, created, continued_by)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`, id, m.Key, m.Person, m.Agent, m.Role, m.Text, t.now, continuedBy)
	return row, err
}

// works reports whether an agent of a task takes another step: it has not reported yet,
// its turn runs, or it has reported and joins what it delegated.
func works(q sqldb.Querier, task *errand.Task, agent errand.AgentName) (bool, error) {
	if task.State.Terminal() {
		return false, nil
	}
	owner := errand.SubAgentOwner(task.ID, agent)
	var one int
	return q.Value(&one, `SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM reports WHERE task = ? AND agent = ?)
		OR EXISTS (SELECT 1 FROM turns WHERE open AND owner = ?)
		OR EXISTS (SELECT 1 FROM reports WHERE task = ? AND agent = ? AND state = 'completed')
			AND EXISTS (SELECT 1 FROM tasks WHERE caller_owner = ? AND caller_owner <> '' AND (`+open+` OR `+wayUndecided+`))`,
		task.ID, agent, owner, task.ID, agent, owner)
}

type taskMessageRow struct {
	ID      int64
	Person  string
	Agent   string
	Role    string
	Text    string
	Created int64
	Mine    bool // the step has taken it, in an earlier attempt
}

const toTake = `FROM task_messages m LEFT JOIN task_message_takes t ON t.message = m.id AND t.owner = ?
	WHERE m.task = ? AND m.continued_by = '' AND (t.message IS NULL OR t.turn = ? AND t.step = ?)`

// takeTaskMessages appends what was said to the sub-agent's task since its last step.
func (b *stepBegin) takeTaskMessages() error {
	task := b.out.Task
	if task.Added == 0 {
		return nil
	}
	var rows []taskMessageRow
	err := b.All(&rows, `SELECT m.id, m.person, m.agent, m.role, m.text, m.created, t.message IS NOT NULL AS mine `+toTake+` ORDER BY m.id LIMIT ?`,
		b.key.Owner, task.ID, b.key.Turn, b.key.Step, maxClaims)
	if err != nil {
		return err
	}
	for _, r := range rows {
		b.claims++
		b.taken = append(b.taken, r.ID)
		if r.Mine {
			continue
		}
		text, err := b.addedText(b.out.Nonce, task.Origin.Person, r)
		if err != nil {
			return err
		}
		if err := b.append(errand.Message{Speaker: errand.FromPerson, Text: text, Created: at(r.Created)}); err != nil {
			return err
		}
		_, err = b.Exec(`INSERT INTO task_message_takes (owner, message, turn, step) VALUES (?, ?, ?, ?)`, b.key.Owner, r.ID, b.key.Turn, b.key.Step)
		if err != nil {
			return err
		}
		// A turn has the lesser of the rights of all that it answers.
		b.turn.Role = string(errand.Lesser(errand.Role(b.turn.Role), errand.Role(r.Role)))
		b.changed = true
	}
	return nil
}

// addedText is what stands in the transcript for a message: who has added it, and its
// words. of is whose task it is.
func (t *tx) addedText(n errand.Nonce, of errand.PersonID, r taskMessageRow) (string, error) {
	who := "the person it is for"
	switch {
	case r.Agent != "":
		who = errand.AgentName(r.Agent).Display() + ", an agent, and not by a person"
	case errand.PersonID(r.Person) != of:
		p, err := personWhere(t, `WHERE p.id = ?`, r.Person)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return "", err
		}
		if who, err = t.speaker(errand.PersonID(r.Person), p); err != nil {
			return "", err
		}
	}
	return n.Mark("added to the task by "+n.Without(who)+":") + "\n" + n.Without(r.Text), nil
}

// hasUntaken reports whether something was said to the sub-agent's task that it has not
// read.
func (c *commit) hasUntaken() (bool, error) {
	if c.task == nil || c.task.Added == 0 {
		return false, nil
	}
	var one int
	return c.Value(&one, `SELECT 1 `+toTake+` LIMIT 1`, c.key.Owner, c.task.ID, 0, 0)
}

// UntakenTaskMessages returns the rows that were added to the task of a sub-agent and that
// no step of it has taken.
func (s *Store) UntakenTaskMessages(ctx context.Context, owner errand.Owner) ([]int64, error) {
	id, _, ok := owner.Task()
	if !ok {
		return nil, nil
	}
	var rows []int64
	err := s.read(ctx).All(&rows, `SELECT m.id `+toTake+` ORDER BY m.id LIMIT ?`, owner, id, 0, 0, maxClaims)
	return rows, err
}

func (b *stepBegin) narrowByAdded(task *errand.Task) error {
	if task.Added == 0 {
		return nil
	}
	var roles []string
	err := b.All(&roles, `SELECT m.role FROM task_message_takes t JOIN task_messages m ON m.id = t.message WHERE t.owner = ? ORDER BY m.id`, b.key.Owner)
	for _, role := range roles {
		b.turn.Role = string(errand.Lesser(errand.Role(b.turn.Role), errand.Role(role)))
	}
	return err
}
