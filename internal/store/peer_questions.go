package store

import (
	"context"
	"fmt"

	"errand/internal/core"
	"errand/internal/events"
)

// PeerAsks is a peer's question to the person whose task it works on.
type PeerAsks struct {
	Status core.PeerTask
	// Question is shown to the person. If Status.Login is set, the person has to log in at the
	// peer: only Shown is used, and no answer is expected.
	Question NewQuestion
}

// KeepPeerAsks stores a peer's question and shows it, once for each text. It withdraws the
// peer's previous open question. queued reports whether there is something to send. It fails
// with ErrClosed if the task has ended without the peer.
func (s *Store) KeepPeerAsks(ctx context.Context, id core.TaskID, agent core.AgentName, in PeerAsks) (work PeerWork, queued bool, err error) {
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
		if work.State, err = t.peerWaits(core.SubAgentOwner(id, agent)); err != nil {
			return err
		}
		_, err = t.Exec(`UPDATE peer_tasks SET peer_task = ?, state = ?, heard = ?, asked = ?, said = ? WHERE task = ? AND agent = ?`,
			work.PeerTask, work.State, t.now, known, in.Status.Word, id, agent)
		return err
	})
	return work, queued, err
}

// peerWaits returns InputRequired if the peer has an open question, or an answer that was not
// delivered.
func (t *tx) peerWaits(owner core.Owner) (core.TaskState, error) {
	var one int
	waits, err := t.Value(&one, `SELECT 1 FROM questions WHERE owner = ? AND NOT told LIMIT 1`, owner)
	if waits {
		return core.InputRequired, err
	}
	return core.Working, err
}

// peerAsks returns false while the answer to the peer's previous question is not delivered.
func (t *tx) peerAsks(task *core.Task, agent core.AgentName, in PeerAsks) (bool, error) {
	owner := core.SubAgentOwner(task.ID, agent)
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
		switch open := last[0].State == core.QuestionOpen; {
		case !open && untold, open && last[0].Text == in.Question.Text:
			return false, nil
		}
		if err := t.withdraw(`id = ?`, last[0].ID); err != nil {
			return false, err
		}
	}
	o, ask := task.Origin, in.Question
	q := core.Question{
		ID: ask.ID, Kind: core.AsksPerson, State: core.QuestionOpen, Agent: agent, Task: task.ID, Session: o.Session, Key: o.SessionKey, Route: o.Route,
		Call: core.CallKey{StepKey: core.StepKey{Owner: owner, Turn: turn, Step: 1}, Index: 1}, Person: o.Person, Text: ask.Text,
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

func (t *tx) notifyLogin(task *core.Task, agent core.AgentName, in PeerAsks) error {
	o := task.Origin
	if o.Chat == "" {
		return nil
	}
	owner := core.SubAgentOwner(task.ID, agent)
	_, err := t.enqueue(core.Notification{
		Key: "peer-login:" + string(owner) + ":" + in.Status.Word, Route: o.Route, Session: o.SessionKey, Agent: agent, Task: task.ID, Event: core.EventNotice, Text: in.Question.Shown,
	}, owner, 1)
	if err != nil {
		return err
	}
	return t.announce(core.Event{Type: core.EventNotice, Key: o.SessionKey, Session: o.Session, Agent: agent, Task: task.ID, Text: in.Question.Shown})
}

// AnswerForPeer returns the closed question whose answer a peer has not got, or ErrNotFound.
func (s *Store) AnswerForPeer(ctx context.Context, owner core.Owner) (core.Question, error) {
	list, err := questionsWhere(s.read(ctx), `owner = ? AND NOT told AND state <> 'open' ORDER BY answered DESC LIMIT 1`, owner)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("an answer for %s: %w", owner, ErrNotFound)
	}
	if err != nil {
		return core.Question{}, err
	}
	return list[0], nil
}

// NotePeerAnswered records that a peer got an answer: it works again, with its full time.
func (s *Store) NotePeerAnswered(ctx context.Context, q core.Question) error {
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
