package store

import (
	"context"
	"errors"
	"fmt"

	"errand/internal/core"
	"errand/internal/events"
	"errand/internal/prompt"
	"errand/internal/store/sqldb"
)

// A TaskMessage is a message that a person or program sends to a task after its delegation.
type TaskMessage struct {
	Key    string         // the message's unique key
	Person core.PersonID  // the sender
	Agent  core.AgentName // the agent that sends it for Person; empty: none
	Role   core.Role      // the sender's role
	Text   string
	A2A    *A2AMessage
}

// An AddedMessage is a message that was added to a task.
type AddedMessage struct {
	Row    int64
	Agents []core.AgentName // the agents that will read it before their next step
}

// AddToTask stores a message for the agents of a task that still work. It fails with ErrClosed
// if none does. For a known key it returns the stored message, in any state of the task. It
// fails with ErrNoted if a program's message was noted earlier.
func (s *Store) AddToTask(ctx context.Context, id core.TaskID, m TaskMessage) (AddedMessage, error) {
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
		case there && known.ContinuedBy != "": // an earlier call, after the task had ended
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

func (t *tx) readers(task *core.Task, row int64) (agents []core.AgentName, err error) {
	for _, a := range task.Agents {
		reads, err := works(t, task, a)
		if err == nil && !reads {
			var one int
			reads, err = t.Value(&one, `SELECT 1 FROM task_message_takes WHERE owner = ? AND message = ?`, core.SubAgentOwner(task.ID, a), row)
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

// AddedMessages returns the messages that were added to a task while it ran, oldest first.
func (s *Store) AddedMessages(ctx context.Context, id core.TaskID) ([]core.AddedMessage, error) {
	var rows []struct {
		taskMessageRow
		Read bool
	}
	err := s.read(ctx).All(&rows, `SELECT m.id, m.person, m.agent, m.role, m.text, m.created, FALSE AS mine,
		EXISTS (SELECT 1 FROM task_message_takes k WHERE k.message = m.id) AS read FROM task_messages m WHERE m.task = ? AND m.continued_by = '' ORDER BY m.id LIMIT ?`, id, maxClaims)
	list := make([]core.AddedMessage, len(rows))
	for i, r := range rows {
		list[i] = core.AddedMessage{Person: core.PersonID(r.Person), Agent: core.AgentName(r.Agent), Text: core.Cut(r.Text, longestAdded), Created: at(r.Created), Read: r.Read}
	}
	return list, err
}

const longestAdded = 600 // characters that people see

func (t *tx) insertTaskMessage(id core.TaskID, m TaskMessage, continuedBy core.TaskID) (row int64, err error) {
	_, err = t.Value(&row, `INSERT INTO task_messages (task, key, person, agent, role, text, created, continued_by)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`, id, m.Key, m.Person, m.Agent, m.Role, m.Text, t.now, continuedBy)
	return row, err
}

// works reports whether an agent will take another step: it has not reported, its turn is open,
// or it has reported and still has to join its delegated tasks.
func works(q sqldb.Querier, task *core.Task, agent core.AgentName) (bool, error) {
	if task.State.Terminal() {
		return false, nil
	}
	owner := core.SubAgentOwner(task.ID, agent)
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
	Mine    bool // an earlier attempt of this step has taken it
}

const toTake = `FROM task_messages m LEFT JOIN task_message_takes t ON t.message = m.id AND t.owner = ?
	WHERE m.task = ? AND m.continued_by = '' AND (t.message IS NULL OR t.turn = ? AND t.step = ?)`

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
		if err := b.append(core.Message{Speaker: core.FromPerson, Text: text, Created: at(r.Created)}); err != nil {
			return err
		}
		_, err = b.Exec(`INSERT INTO task_message_takes (owner, message, turn, step) VALUES (?, ?, ?, ?)`, b.key.Owner, r.ID, b.key.Turn, b.key.Step)
		if err != nil {
			return err
		}
		// A turn has the lowest role of the messages that it answers.
		b.turn.Role = string(core.Lesser(core.Role(b.turn.Role), core.Role(r.Role)))
		b.changed = true
	}
	return nil
}

func (t *tx) addedText(n core.Nonce, of core.PersonID, r taskMessageRow) (string, error) {
	who := "the user"
	switch {
	case r.Agent != "":
		who = core.AgentName(r.Agent).Display() + ", an agent, not by the user"
	case core.PersonID(r.Person) != of:
		p, err := personWhere(t, `WHERE p.id = ?`, r.Person)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return "", err
		}
		if who, err = t.speaker(core.PersonID(r.Person), p); err != nil {
			return "", err
		}
	}
	return n.Mark("added to the task by "+prompt.Without(n, who)+":") + "\n" + prompt.Without(n, r.Text), nil
}

func (c *commit) hasUntaken() (bool, error) {
	if c.task == nil || c.task.Added == 0 {
		return false, nil
	}
	var one int
	return c.Value(&one, `SELECT 1 `+toTake+` LIMIT 1`, c.key.Owner, c.task.ID, 0, 0)
}

// UntakenTaskMessages returns the messages to a sub-agent's task that no step has taken.
func (s *Store) UntakenTaskMessages(ctx context.Context, owner core.Owner) ([]int64, error) {
	id, _, ok := owner.Task()
	if !ok {
		return nil, nil
	}
	var rows []int64
	err := s.read(ctx).All(&rows, `SELECT m.id `+toTake+` ORDER BY m.id LIMIT ?`, owner, id, 0, 0, maxClaims)
	return rows, err
}

func (b *stepBegin) narrowByAdded(task *core.Task) error {
	if task.Added == 0 {
		return nil
	}
	var roles []string
	err := b.All(&roles, `SELECT m.role FROM task_message_takes t JOIN task_messages m ON m.id = t.message WHERE t.owner = ? ORDER BY m.id`, b.key.Owner)
	for _, role := range roles {
		b.turn.Role = string(core.Lesser(core.Role(b.turn.Role), core.Role(role)))
	}
	return err
}
