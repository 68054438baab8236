package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"errand"
	"errand/internal/events"
	"errand/internal/store/sqldb"
)

const (
	// presentFor is how long a registered agent is there after it last showed so.
	presentFor = time.Minute
	// seenEvery is how much later it is noted again that one is there: who asks a hundred
	// times a second is not a hundred rows.
	seenEvery = 15 * time.Second
	// worksFor is how long it may work on a request without a word: for so long it is
	// there, and nobody else of its name is given what it has.
	worksFor = 30 * time.Minute
	// mostRegistered is how many agents a person has registered. One more takes the place
	// of the one that was gone longest.
	mostRegistered = 8
	// mostUnanswered is how many requests that it has an agent is told of at once.
	mostUnanswered = 20
)

// ErrTooManyAgents refuses to register one more: those that a person has are all there.
var ErrTooManyAgents = errors.New("too many registered agents")

// A RegisteredAgent is a program of a person's, such as an editor, that takes requests
// under a name.
type RegisteredAgent struct {
	Name        errand.AgentName
	Description string
	Seen        time.Time // when it last showed that it is there
	Connected   bool      // it is there, by the clock of the store
}

// RegisterAgent keeps that a program of a person's takes requests under a name. The same
// name again is the same agent, come back: what it had taken and not answered is offered
// again. With ErrTooManyAgents it refuses one more than a person may have.
func (s *Store) RegisterAgent(ctx context.Context, person errand.PersonID, name errand.AgentName, description string) error {
	return s.write(ctx, "", func(t *tx) error {
		if err := t.byServerClock(); err != nil {
			return err
		}
		if _, err := t.Exec(`INSERT INTO registered_agents (person, name, description, created, seen) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (person, name) DO UPDATE SET description = excluded.description, seen = excluded.seen`, person, name, description, t.now, t.now); err != nil {
			return err
		}
		if _, err := t.Exec(`UPDATE peer_tasks SET taken = 0 WHERE offered_to = ? AND agent = ? AND `+atWork, person, name); err != nil {
			return err
		}
		list, err := registeredAgents(t, t.now, person)
		if err != nil || len(list) <= mostRegistered {
			return err
		}
		for _, a := range slices.Backward(list) { // one that was seen long ago may be at work
			if !a.Connected {
				_, err = t.Exec(`DELETE FROM registered_agents WHERE person = ? AND name = ?`, person, a.Name)
				return err
			}
		}
		return fmt.Errorf("%d are connected: %w", mostRegistered, ErrTooManyAgents)
	})
}

// The condition of the partial index of what registered agents are offered.
const (
	atWork  = `offered_to <> '' AND state IN ('submitted', 'working')`
	offered = `p.offered_to <> '' AND p.state IN ('submitted', 'working')` // of joined tables
)

// RegisteredAgents returns the agents that a person has registered: those that were seen
// last first.
func (s *Store) RegisteredAgents(ctx context.Context, person errand.PersonID) ([]RegisteredAgent, error) {
	q := s.read(ctx)
	now, err := s.serverNow(q)
	if err != nil {
		return nil, err
	}
	return registeredAgents(q, now, person)
}

// RegisteredAgent returns an agent that a person has registered, or ErrNotFound.
func (s *Store) RegisteredAgent(ctx context.Context, person errand.PersonID, name errand.AgentName) (RegisteredAgent, error) {
	list, err := s.RegisteredAgents(ctx, person)
	for _, a := range list {
		if a.Name == name {
			return a, nil
		}
	}
	if err == nil {
		err = fmt.Errorf("registered agent %s: %w", name, ErrNotFound)
	}
	return RegisteredAgent{}, err
}

// IsRegistered reports whether a person has registered an agent of a name.
func (s *Store) IsRegistered(ctx context.Context, person errand.PersonID, name errand.AgentName) (bool, error) {
	var one int
	return s.read(ctx).Value(&one, `SELECT 1 FROM registered_agents WHERE person = ? AND name = ?`, person, name)
}

func registeredAgents(q sqldb.Querier, now int64, person errand.PersonID) ([]RegisteredAgent, error) {
	var rows []struct {
		Name, Description string
		Seen, Taken       int64
	}
	// Who works on a request does not ask for another one.
	err := q.All(&rows, `SELECT r.name, r.description, r.seen, COALESCE((SELECT MAX(p.taken) FROM peer_tasks p
		WHERE p.offered_to = ? AND p.agent = r.name AND `+offered+`), 0) AS taken
		FROM registered_agents r WHERE r.person = ? ORDER BY r.seen DESC, r.name`, person, person)
	list := make([]RegisteredAgent, len(rows))
	for i, r := range rows {
		there := now-r.Seen < presentFor.Microseconds() || r.Taken > 0 && now-r.Taken < worksFor.Microseconds()
		list[i] = RegisteredAgent{errand.AgentName(r.Name), r.Description, at(max(r.Seen, r.Taken)), there}
	}
	return list, err
}

// OfferRequest has a task wait for a registered agent of the person who asked for it.
func (s *Store) OfferRequest(ctx context.Context, id errand.TaskID, agent errand.AgentName) error {
	return s.writeTask(ctx, id, func(t *tx) error {
		task, err := taskByID(t, id)
		if err != nil {
			return err
		}
		n, err := t.Exec(`UPDATE peer_tasks SET offered_to = ? WHERE task = ? AND agent = ? AND offered_to = ''`, task.Origin.Person, id, agent)
		if n > 0 {
			t.changed(task.Origin.Person, events.Tasks) // whoever waits for one looks
		}
		return err
	})
}

// A Request is a task as the registered agent that is to do it has it.
type Request struct {
	Task  errand.Task
	Agent errand.AgentName
	Again bool // it was taken before
}

// Requests are what there is for a registered agent.
type Requests struct {
	Next       *Request  // that it has taken now; nil: there is none yet
	Unanswered []Request // that it has, the oldest first
	Canceled   []errand.TaskID
}

// RequestWaits reports whether a registered agent would be told something by TakeRequest.
func (s *Store) RequestWaits(ctx context.Context, person errand.PersonID, name errand.AgentName) (bool, error) {
	q := s.read(ctx)
	now, err := s.serverNow(q)
	if err != nil {
		return false, err
	}
	var one int
	return q.Value(&one, `SELECT 1 FROM peer_tasks p JOIN tasks t ON t.id = p.task WHERE p.offered_to = ? AND p.agent = ? AND `+offered+`
		AND (`+waiting+` OR `+dropped+`) LIMIT 1`, person, name, now-worksFor.Microseconds())
}

// Of the requests of an agent: those to take, and those that it has though nobody wants them
// any more.
const (
	waiting = `p.given_up = 0 AND t.finished = 0 AND p.taken < ?`
	dropped = `p.given_up = 0 AND t.finished > 0 AND p.taken > 0`
)

// TakeRequest gives a registered agent its oldest request that it does not have, if there is
// one, and tells it which of those that it has are canceled, once. It notes that the agent
// is there. ErrNotFound: it is not registered.
func (s *Store) TakeRequest(ctx context.Context, person errand.PersonID, name errand.AgentName) (out Requests, err error) {
	if waits, err := s.RequestWaits(ctx, person, name); err != nil {
		return out, err
	} else if !waits {
		q := s.read(ctx)
		seen, err := s.justSeen(q, person, name)
		if err != nil {
			return out, err
		}
		if seen {
			out.Unanswered, err = unanswered(q, person, name, "")
			return out, err
		}
	}
	err = s.write(ctx, "", func(t *tx) error {
		out = Requests{}
		if err := t.byServerClock(); err != nil {
			return err
		}
		if err := t.seeAgent(person, name); err != nil {
			return err
		}
		if err := t.dropRequests(person, name, &out); err != nil {
			return err
		}
		var row struct {
			Task  errand.TaskID
			Taken int64
		}
		found, err := t.Row(&row, `SELECT p.task, p.taken `+requestsOf+` AND `+waiting+` ORDER BY p.begun, p.task LIMIT 1`, person, name, t.now-worksFor.Microseconds())
		if err != nil {
			return err
		}
		if found {
			n, err := t.Exec(`UPDATE peer_tasks SET taken = ? WHERE task = ? AND agent = ? AND taken = ?`, t.now, row.Task, name, row.Taken)
			if err != nil {
				return err
			}
			if n > 0 {
				task, err := taskByID(t, row.Task)
				if err != nil {
					return err
				}
				out.Next = &Request{task, name, row.Taken > 0}
			}
		}
		var next errand.TaskID
		if out.Next != nil {
			next = out.Next.Task.ID
		}
		out.Unanswered, err = unanswered(t, person, name, next)
		return err
	})
	return out, err
}

const requestsOf = `FROM peer_tasks p JOIN tasks t ON t.id = p.task WHERE p.offered_to = ? AND p.agent = ? AND ` + offered

// unanswered are the requests that an agent has taken and not answered, but for one.
func unanswered(q sqldb.Querier, person errand.PersonID, name errand.AgentName, but errand.TaskID) (list []Request, err error) {
	var has []struct{ Task errand.TaskID }
	if err := q.All(&has, `SELECT p.task `+requestsOf+` AND p.given_up = 0 AND t.finished = 0 AND p.taken > 0 ORDER BY p.begun, p.task LIMIT ?`, person, name, mostUnanswered); err != nil {
		return nil, err
	}
	for _, r := range has {
		if r.Task == but {
			continue
		}
		task, err := taskByID(q, r.Task)
		if err != nil {
			return nil, err
		}
		list = append(list, Request{task, name, true})
	}
	return list, nil
}

// justSeen reports whether it was noted a moment ago that a registered agent is there.
// ErrNotFound: it is not registered.
func (s *Store) justSeen(q sqldb.Querier, person errand.PersonID, name errand.AgentName) (bool, error) {
	now, err := s.serverNow(q)
	if err != nil {
		return false, err
	}
	var seen int64
	found, err := q.Value(&seen, `SELECT seen FROM registered_agents WHERE person = ? AND name = ?`, person, name)
	if err == nil && !found {
		err = fmt.Errorf("registered agent %s: %w", name, ErrNotFound)
	}
	return now-seen < seenEvery.Microseconds(), err
}

// seeAgent notes that a registered agent is there. ErrNotFound: it is not registered.
func (t *tx) seeAgent(person errand.PersonID, name errand.AgentName) error {
	n, err := t.Exec(`UPDATE registered_agents SET seen = ? WHERE person = ? AND name = ?`, t.now, person, name)
	if err == nil && n == 0 {
		err = fmt.Errorf("registered agent %s: %w", name, ErrNotFound)
	}
	return err
}

func (t *tx) dropRequests(person errand.PersonID, name errand.AgentName, out *Requests) error {
	var rows []struct{ Task errand.TaskID }
	err := t.All(&rows, `SELECT p.task FROM peer_tasks p JOIN tasks t ON t.id = p.task WHERE p.offered_to = ? AND p.agent = ? AND `+offered+` AND `+dropped+`
		ORDER BY p.begun, p.task`, person, name)
	if err != nil {
		return err
	}
	for _, r := range rows {
		out.Canceled = append(out.Canceled, r.Task)
		if _, err := t.Exec(`UPDATE peer_tasks SET taken = 0 WHERE task = ? AND agent = ?`, r.Task, name); err != nil {
			return err
		}
	}
	return nil
}

// An AnsweredRequest is what became of an answer to a request.
type AnsweredRequest struct {
	Work   PeerWork
	Before bool // it was answered with this before
	Late   bool // nobody waits for the answer any more: see [Store.KeepLateAnswer]
}

// AnswerRequest keeps what a registered agent of a person answers: the report of the agent.
// The first answer is final; with ErrAnswered another one is refused. ErrClosed: the task was
// canceled. ErrNotFound: the person's agents were sent no such request.
func (s *Store) AnswerRequest(ctx context.Context, person errand.PersonID, id errand.TaskID, agent errand.AgentName, told errand.PeerTask) (out AnsweredRequest, err error) {
	err = s.writeTask(ctx, id, func(t *tx) error {
		out = AnsweredRequest{}
		if out.Work, err = t.peerWork(id, agent); err != nil {
			return err
		}
		if out.Work.OfferedTo != person || person == "" {
			return fmt.Errorf("request %s of %s: %w", id, person, ErrNotFound)
		}
		if err := t.showAgent(person, agent); err != nil {
			return err
		}
		if out.Work.State.Terminal() {
			var was struct{ State, Text string }
			_, err := t.Row(&was, `SELECT state, text FROM reports WHERE task = ? AND agent = ?`, id, agent)
			if out.Before = was.State == string(told.State) && was.Text == told.Text; err == nil && !out.Before {
				out.Before, err = t.hasLate(id, agent, told)
			}
			if err == nil && !out.Before {
				err = fmt.Errorf("request %s: %w", id, ErrAnswered)
			}
			return err
		}
		if out.Late = out.Work.GivenUp > 0; out.Late {
			return nil
		}
		out.Work, err = t.keepPeerTask(out.Work, told)
		return err
	})
	return out, err
}

// hasLate reports whether an answer of an agent is kept as the late one to a task.
func (t *tx) hasLate(id errand.TaskID, agent errand.AgentName, told errand.PeerTask) (bool, error) {
	late, err := tasksWhere(t, `late_of = ? AND late_of <> '' AND late_kind = ?`, id, told.LateKind())
	for _, l := range late {
		if l.Agents[0] == agent && l.LateText() == told.Text {
			return true, err
		}
	}
	return false, err
}

// KeepRequest notes that a registered agent is still at work on a request: it is there, and
// the request stays its own. ErrClosed: nobody waits for it any more. ErrAnswered: it has an
// answer. ErrNotFound: the person's agents were sent no such request.
func (s *Store) KeepRequest(ctx context.Context, person errand.PersonID, id errand.TaskID, agent errand.AgentName) error {
	return s.writeTask(ctx, id, func(t *tx) error {
		work, err := t.peerWork(id, agent)
		if err != nil {
			return err
		}
		switch {
		case work.OfferedTo != person || person == "":
			return fmt.Errorf("request %s of %s: %w", id, person, ErrNotFound)
		case work.State.Terminal():
			return fmt.Errorf("request %s: %w", id, ErrAnswered)
		case work.Ended > 0:
			return fmt.Errorf("request %s: %w", id, ErrClosed)
		}
		now, err := t.s.serverNow(t)
		if err != nil {
			return err
		}
		kept, err := t.Exec(`UPDATE peer_tasks SET taken = ? WHERE task = ? AND agent = ? AND taken <= ?`, now, id, agent, now-seenEvery.Microseconds())
		if err != nil || kept == 0 {
			return err
		}
		return t.showAgent(person, agent)
	})
}

// showAgent notes that an agent is there, if it is registered still.
func (t *tx) showAgent(person errand.PersonID, name errand.AgentName) error {
	now, err := t.s.serverNow(t)
	if err != nil {
		return err
	}
	_, err = t.Exec(`UPDATE registered_agents SET seen = ? WHERE person = ? AND name = ?`, now, person, name)
	return err
}
