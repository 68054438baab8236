package store

import (
	"context"
	"fmt"

	"errand"
)

// PeerWork is what a peer was sent of a task, for one of its agents.
type PeerWork struct {
	Task     errand.TaskID
	Agent    errand.AgentName
	PeerTask string           // by which the peer knows it; empty: it has not said
	State    errand.TaskState // that the peer last told; a terminal one is final
	Text     string           // the task in its own words
	Begun    int64            // when it was first to be sent, in microseconds
	Answered int64            // when the peer was last told an answer; 0: never
	GivenUp  int64            // when it was waited for no more, though it may go on; 0: it was not given up
	Said     string           // the word with which it was last heard; empty: none
	Ended    int64            // when nobody waited for it any more; 0: somebody does

	// OfferedTo is the person whose registered agent is to take it; empty: it is another
	// system's, or was not offered yet.
	OfferedTo errand.PersonID
}

// IsOver reports whether nobody waits for the peer any more: it has ended, or was given up.
func (w PeerWork) IsOver() bool { return w.State.Terminal() || w.GivenUp > 0 }

const peerWorkColumns = `p.task, p.agent, p.peer_task, p.state, t.text, p.begun, p.answered, p.given_up, p.said, p.offered_to,
	CASE WHEN p.given_up > 0 THEN p.given_up ELSE t.finished END AS ended`

// BeginPeerWork notes that a peer is being sent a task. Every attempt gets the same row.
// It fails with ErrClosed when the task, or one above it, has ended.
func (s *Store) BeginPeerWork(ctx context.Context, id errand.TaskID, agent errand.AgentName) (work PeerWork, err error) {
	err = s.writeTask(ctx, id, func(t *tx) error {
		task, err := taskByID(t, id)
		if err != nil {
			return err
		}
		if err := t.alive(&task); err != nil {
			return err
		}
		if _, err := t.Exec(`INSERT INTO peer_tasks (task, agent, begun) VALUES (?, ?, ?) ON CONFLICT (task, agent) DO NOTHING`, id, agent, t.now); err != nil {
			return err
		}
		if err := t.beginTask(&task); err != nil {
			return err
		}
		work, err = t.peerWork(id, agent)
		return err
	})
	return work, err
}

// PeerWork returns what a peer was sent of a task. It fails with ErrNotFound when nothing
// was to be sent.
func (s *Store) PeerWork(ctx context.Context, id errand.TaskID, agent errand.AgentName) (work PeerWork, err error) {
	found, err := s.read(ctx).Row(&work, `SELECT `+peerWorkColumns+` FROM peer_tasks p JOIN tasks t ON t.id = p.task WHERE p.task = ? AND p.agent = ?`, id, agent)
	if err == nil && !found {
		err = fmt.Errorf("task %s of remote agent %s: %w", id, agent, ErrNotFound)
	}
	return work, err
}

func (t *tx) peerWork(id errand.TaskID, agent errand.AgentName) (work PeerWork, err error) {
	found, err := t.Row(&work, `SELECT `+peerWorkColumns+` FROM peer_tasks p JOIN tasks t ON t.id = p.task WHERE p.task = ? AND p.agent = ?`, id, agent)
	if err == nil && !found {
		err = fmt.Errorf("task %s of remote agent %s: %w", id, agent, ErrNotFound)
	}
	return work, err
}

// KeepPeerTask keeps what a peer has told of a task, and of a terminal state the report of the
// agent. The first terminal state is final, and so is the first id: what the peer says
// besides changes nothing. It fails with ErrClosed when the task has ended without it.
//
// A peer gives no verdict that errand could be sure of: where the task is to decide
// something, what it says is an invalid one.
func (s *Store) KeepPeerTask(ctx context.Context, id errand.TaskID, agent errand.AgentName, status errand.PeerTask) (work PeerWork, err error) {
	err = s.writeTask(ctx, id, func(t *tx) error {
		if work, err = t.peerWork(id, agent); err != nil || work.IsOver() {
			return err
		}
		work, err = t.keepPeerTask(work, status)
		return err
	})
	return work, err
}

// keepPeerTask is KeepPeerTask of work that is not over.
func (t *tx) keepPeerTask(work PeerWork, status errand.PeerTask) (PeerWork, error) {
	id, agent := work.Task, work.Agent
	if work.PeerTask == "" {
		work.PeerTask = status.ID
	}
	if work.State == errand.InputRequired && !status.State.Terminal() {
		// It goes on without an answer: what it asked is not needed any more.
		if err := t.withdraw(`owner = ?`, errand.SubAgentOwner(id, agent)); err != nil {
			return work, err
		}
		if err := t.resumeTask(id); err != nil {
			return work, err
		}
	}
	work.State = status.State
	if _, err := t.Exec(`UPDATE peer_tasks SET peer_task = ?, state = ?, heard = ?, said = ? WHERE task = ? AND agent = ?`,
		work.PeerTask, work.State, t.now, status.Word, id, agent); err != nil || !status.State.Terminal() {
		return work, err
	}
	return work, t.reportPeer(id, agent, status)
}

// GiveUpPeer ends the wait for a peer with the report that the agent has failed, and why. As
// told was the last that is known of it: it may go on, and is looked at again (see
// [Store.LatePeers]). A peer that has given its work no id cannot be looked at; it has
// failed. Of several ends the first is final.
func (s *Store) GiveUpPeer(ctx context.Context, id errand.TaskID, agent errand.AgentName, status errand.PeerTask, why string) (work PeerWork, err error) {
	err = s.writeTask(ctx, id, func(t *tx) error {
		if work, err = t.peerWork(id, agent); err != nil || work.IsOver() {
			return err
		}
		if work.PeerTask == "" {
			work.PeerTask = status.ID
		}
		if work.State, work.GivenUp = status.State, t.now; work.PeerTask == "" {
			work.State, work.GivenUp = errand.Failed, 0
		}
		if status.Word != "" {
			work.Said = status.Word
		}
		_, err := t.Exec(`UPDATE peer_tasks SET peer_task = ?, state = ?, given_up = ?, said = ?, next_at = ? WHERE task = ? AND agent = ?`,
			work.PeerTask, work.State, work.GivenUp, work.Said, nextPoll(t.now, t.now, work), id, agent)
		if err != nil {
			return err
		}
		return t.reportPeer(id, agent, errand.PeerTask{State: errand.Failed, Text: why})
	})
	return work, err
}

// reportPeer writes the report of an agent whose peer is waited for no more, and keeps its
// files. It fails with ErrClosed when the task has ended without it.
func (t *tx) reportPeer(id errand.TaskID, agent errand.AgentName, status errand.PeerTask) error {
	task, err := taskByID(t, id)
	if err != nil {
		return err
	}
	if err := t.alive(&task); err != nil {
		return err
	}
	// Nobody needs an answer any more.
	if err := t.endUndelivered(`state = 'open'`, `owner = ?`, errand.SubAgentOwner(id, agent)); err != nil {
		return err
	}
	if err := t.resumeTask(id); err != nil {
		return err
	}
	var verdict errand.Verdict
	if task.Policy.CountsVerdicts() && status.State == errand.Completed {
		verdict = errand.Invalid
	}
	text, err := t.withPeerFiles(task.Origin, agent, status)
	if err != nil {
		return err
	}
	_, err = t.Exec(`INSERT INTO reports (task, agent, state, text, verdict, created) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (task, agent) DO NOTHING`, id, agent, status.State, text, verdict, t.now)
	return err
}

// beginTask notes that a task is being worked on.
func (t *tx) beginTask(task *errand.Task) error {
	if task.State != errand.Submitted {
		return nil
	}
	if _, err := t.Exec(`UPDATE tasks SET state = 'working' WHERE id = ? AND state = 'submitted'`, task.ID); err != nil {
		return err
	}
	task.State = errand.Working
	return t.announceTask(task)
}
