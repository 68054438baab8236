package store

import (
	"context"
	"fmt"

	"errand/internal/core"
	"errand/internal/events"
	"errand/internal/store/sqldb"
)

// maxRegistered is the limit per person. A further registration replaces the oldest one.
const maxRegistered = 8

// RegisterAgent records that a program of a person takes requests under a name. Registering the
// name again renews the registration and leaves unanswered requests as they are.
func (s *Store) RegisterAgent(ctx context.Context, person core.PersonID, name core.AgentName, description string) error {
	return s.write(ctx, "", func(t *tx) error {
		if _, err := t.Exec(`DELETE FROM registered_agents WHERE person = ? AND name <> ? AND name NOT IN (
			SELECT name FROM registered_agents WHERE person = ? AND name <> ? ORDER BY registered DESC, name LIMIT ?)`,
			person, name, person, name, maxRegistered-1); err != nil {
			return err
		}
		_, err := t.Exec(`INSERT INTO registered_agents (person, name, description, registered) VALUES (?, ?, ?, ?)
			ON CONFLICT (person, name) DO UPDATE SET description = excluded.description, registered = excluded.registered`, person, name, description, t.now)
		return err
	})
}

// RegisteredAgents returns the agents that a person has registered, by name.
func (s *Store) RegisteredAgents(ctx context.Context, person core.PersonID) (list []core.RegisteredAgent, err error) {
	err = s.read(ctx).All(&list, `SELECT name, description FROM registered_agents WHERE person = ? ORDER BY name`, person)
	return list, err
}

// IsRegistered reports whether a person has registered an agent of a name.
func (s *Store) IsRegistered(ctx context.Context, person core.PersonID, name core.AgentName) (bool, error) {
	return isRegistered(s.read(ctx), person, name)
}

func isRegistered(q sqldb.Querier, person core.PersonID, name core.AgentName) (bool, error) {
	var one int
	return q.Value(&one, `SELECT 1 FROM registered_agents WHERE person = ? AND name = ?`, person, name)
}

// OfferRequest makes a task a request to a registered agent of the person who asked for it.
func (s *Store) OfferRequest(ctx context.Context, id core.TaskID, agent core.AgentName) error {
	return s.writeTask(ctx, id, func(t *tx) error {
		task, err := taskByID(t, id)
		if err != nil {
			return err
		}
		n, err := t.Exec(`UPDATE peer_tasks SET offered_to = ? WHERE task = ? AND agent = ? AND offered_to = ''`, task.Origin.Person, id, agent)
		if n > 0 {
			t.changed(task.Origin.Person, events.Tasks) // wakes next_request
		}
		return err
	})
}

// NextRequest returns the oldest unanswered request to a registered agent, or nil if there is
// none. It changes nothing: each call returns the same request until it is answered or has ended.
// The error is ErrNotFound if the agent is not registered.
func (s *Store) NextRequest(ctx context.Context, person core.PersonID, name core.AgentName) (*core.Task, error) {
	q := s.read(ctx)
	known, err := isRegistered(q, person, name)
	if err == nil && !known {
		err = fmt.Errorf("registered agent %s: %w", name, ErrNotFound)
	}
	if err != nil {
		return nil, err
	}
	var id core.TaskID
	found, err := q.Value(&id, `SELECT p.task FROM peer_tasks p JOIN tasks t ON t.id = p.task
		WHERE p.offered_to = ? AND p.agent = ? AND p.offered_to <> '' AND p.state IN ('submitted', 'working') AND p.given_up = 0 AND t.finished = 0
		ORDER BY p.begun, p.task LIMIT 1`, person, name)
	if err != nil || !found {
		return nil, err
	}
	task, err := taskByID(q, id)
	return &task, err
}

// AnswerRequest stores the answer of a person's registered agent as the report of the agent. The
// first answer is final: repeating it changes nothing, and a different one returns ErrAnswered.
// The error is ErrClosed if the task has ended without an answer, and ErrNotFound if the person
// has no agent with such a request.
func (s *Store) AnswerRequest(ctx context.Context, person core.PersonID, id core.TaskID, agent core.AgentName, answer core.PeerTask) error {
	return s.writeTask(ctx, id, func(t *tx) error {
		work, err := t.peerWork(id, agent)
		switch {
		case err != nil:
			return err
		case work.OfferedTo != person || person == "":
			return fmt.Errorf("request %s of %s: %w", id, person, ErrNotFound)
		case work.State.Terminal():
			var was struct{ State, Text string }
			_, err := t.Row(&was, `SELECT state, text FROM reports WHERE task = ? AND agent = ?`, id, agent)
			if err == nil && (was.State != string(answer.State) || was.Text != answer.Text) {
				err = fmt.Errorf("request %s: %w", id, ErrAnswered)
			}
			return err
		case work.Ended > 0:
			return fmt.Errorf("request %s: %w", id, ErrClosed)
		}
		_, err = t.keepPeerTask(work, answer)
		return err
	})
}
