package store

import (
	"context"
	"fmt"

	"errand"
	"errand/internal/events"
)

// A PeerAsks is what a peer needs from the person whose task it works on.
type PeerAsks struct {
	Status errand.PeerTask
	// Question is what the person is asked; where Told says that they are to log in at the
	// peer, its Shown is all: they are told so, and no answer is taken.
	Question NewQuestion
}

// KeepPeerAsks keeps that a peer waits for the person whose task it works on, and shows them
// what it says, once for each of its words. What it asks next withdraws what it has asked
// before and nobody has answered. queued says that a platform has to be called. It fails
// with ErrClosed when the task has ended without it.
func (s *Store) KeepPeerAsks(ctx context.Context, id errand.TaskID, agent errand.AgentName, in PeerAsks) (work PeerWork, queued bool, err error) {
	err = s.writeTask(ctx, id, func(t *tx) error {
		queued = false
		if work, err = t.peerWork(id, agent); err != nil || work.IsOver() {
			return err
		}
		task, err := taskByID(t, id)
		if err != nil {
			return err
		}
		if err := t.alive(&task); err != nil {
			return err
		}
		if work.PeerTask == "" {
			work.PeerTask = in.Status.ID
		}
		var known string
		if _, err := t.Value(&known, `SELECT asked FROM peer_tasks WHERE task = ? AND agent = ?`, id, agent); err != nil {
			return err
		}
		if known != in.Status.Word {
			if queued, err = t.peerAsks(&task, agent, in); err != nil {
				return err
			}
			if queued {
				known = in.Status.Word
			}
		}
		if work.State, err = t.peerWaits(errand.SubAgentOwner(id, agent)); err != nil {
			return err
		}
		_, err = t.Exec(`UPDATE peer_tasks SET peer_task = ?, state = ?, heard = ?, asked = ?, said = ? WHERE task = ? AND agent = ?`,
			work.PeerTask, work.State, t.now, known, in.Status.Word, id, agent)
		return err
	})
	return work, queued, err
}

// peerWaits is the state of a peer that waits: for the person, where what it asks is open or
// its answer is on its way; else it has been told, and is at work.
func (t *tx) peerWaits(owner errand.Owner) (errand.TaskState, error) {
	var one int
	waits, err := t.Value(&one, `SELECT 1 FROM questions WHERE owner = ? AND NOT told LIMIT 1`, owner)
	if waits {
		return errand.InputRequired, err
	}
	return errand.Working, err
}

// peerAsks shows the person of a task what its peer says. It reports whether that was to be
// done: not while the answer to what it asked before is on its way.
func (t *tx) peerAsks(task *errand.Task, agent errand.AgentName, in PeerAsks) (bool, error) {
	owner := errand.SubAgentOwner(task.ID, agent)
	if in.Status.Login {
		return true, t.notifyLogin(task, agent, in)
	}
	last, err := questionsWhere(t, `owner = ? AND turn = (SELECT MAX(turn) FROM questions WHERE owner = ?)`, owner, owner)
	if err != nil {
		return false, err
	}
	turn := 1
	if len(last) > 0 {
		turn = last[0].Call.Turn + 1
		var untold bool
		if _, err := t.Value(&untold, `SELECT NOT told FROM questions WHERE id = ?`, last[0].ID); err != nil {
			return false, err
		}
		switch open := last[0].State == errand.QuestionOpen; {
		case !open && untold, open && last[0].Text == in.Question.Text:
			return false, nil
		}
		if err := t.withdraw(`id = ?`, last[0].ID); err != nil {
			return false, err
		}
	}
	o, ask := task.Origin, in.Question
	q := errand.Question{
		ID: ask.ID, Kind: errand.AsksPerson, State: errand.QuestionOpen, Agent: agent, Task: task.ID, Session: o.Session, Key: o.SessionKey, Route: o.Route,
		Call: errand.CallKey{StepKey: errand.StepKey{Owner: owner, Turn: turn, Step: 1}, Index: 1}, Person: o.Person, Text: ask.Text,
		Created: at(t.now), Expires: at(t.now + ask.Pace.ExpireAfter.Microseconds()),
	}
	if err := t.writeQuestion(q, conversation(o), ask.Pace); err != nil {
		return false, err
	}
	if err := t.show(q, "question:"+string(q.ID), ask.Shown); err != nil {
		return false, err
	}
	return true, t.requireInput(task)
}

func (t *tx) notifyLogin(task *errand.Task, agent errand.AgentName, in PeerAsks) error {
	o := task.Origin
	if o.Chat == "" {
		return nil
	}
	owner := errand.SubAgentOwner(task.ID, agent)
	_, err := t.enqueue(errand.Notification{
		Key: "peer-login:" + string(owner) + ":" + in.Status.Word, Route: o.Route, Session: o.SessionKey, Agent: agent, Task: task.ID, Event: errand.EventNotice, Text: in.Question.Shown,
	}, owner, 1)
	if err != nil {
		return err
	}
	return t.announce(errand.Event{Type: errand.EventNotice, Key: o.SessionKey, Session: o.Session, Agent: agent, Task: task.ID, Text: in.Question.Shown})
}

// AnswerForPeer returns the question of a peer that is over, and of which the peer has not
// been told; ErrNotFound: there is none.
func (s *Store) AnswerForPeer(ctx context.Context, owner errand.Owner) (errand.Question, error) {
	list, err := questionsWhere(s.read(ctx), `owner = ? AND NOT told AND state <> 'open' ORDER BY answered DESC LIMIT 1`, owner)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("an answer for %s: %w", owner, ErrNotFound)
	}
	if err != nil {
		return errand.Question{}, err
	}
	return list[0], nil
}

// NotePeerAnswered notes that a peer has been told what became of a question of its: it is
// at work again, and has its time anew.
func (s *Store) NotePeerAnswered(ctx context.Context, q errand.Question) error {
	return s.writeTask(ctx, q.Task, func(t *tx) error {
		n, err := t.Exec(`UPDATE questions SET told = TRUE WHERE id = ? AND NOT told AND state <> 'open'`, q.ID)
		if err != nil || n == 0 {
			return err
		}
		t.changed(q.Person, events.Questions)
		_, err = t.Exec(`UPDATE peer_tasks SET state = 'working', answered = ? WHERE task = ? AND agent = ? AND state = 'input_required'`, t.now, q.Task, q.Agent)
		return err
	})
}
