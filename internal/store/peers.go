package store

import (
	"context"
	"fmt"

	"errand/internal/core"
)

// PeerWork is a task that was sent to a peer, for one of its agents.
type PeerWork struct {
	Task     core.TaskID
	Agent    core.AgentName
	PeerTask string         // the peer's id of the task; empty: not known yet
	State    core.TaskState // the peer's last state; a terminal state is final
	Text     string
	Begun    int64  // when it was first to be sent, in microseconds
	Answered int64  // when the peer last got an answer; 0: never
	GivenUp  int64  // when errand stopped waiting, though the peer may go on; 0: it did not
	Said     string // the word of the peer's last status; empty: none
	Ended    int64  // when the wait for the peer ended; 0: it has not

	// OfferedTo is the person with the registered agent that is to take the task. It is empty
	// for the agent of another system, and before the task is offered.
	OfferedTo core.PersonID
}

// IsOver reports whether errand no longer waits for the peer: the work has ended, or errand
// gave up.
func (w PeerWork) IsOver() bool { return w.State.Terminal() || w.GivenUp > 0 }

const peerWorkColumns = `p.task, p.agent, p.peer_task, p.state, t.text, p.begun, p.answered, p.given_up, p.said, p.offered_to,
	CASE WHEN p.given_up > 0 THEN p.given_up ELSE t.finished END AS ended`

// BeginPeerWork records that a task is being sent to a peer. Every attempt gets the same row.
// It fails with ErrClosed if the task, or one above it, has ended.
func (s *Store) BeginPeerWork(ctx context.Context, id core.TaskID, agent core.AgentName) (work PeerWork, err error) {
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

// PeerWork returns the task that was sent to a peer, or ErrNotFound.
func (s *Store) PeerWork(ctx context.Context, id core.TaskID, agent core.AgentName) (work PeerWork, err error) {
	found, err := s.read(ctx).Row(&work, `SELECT `+peerWorkColumns+` FROM peer_tasks p JOIN tasks t ON t.id = p.task WHERE p.task = ? AND p.agent = ?`, id, agent)
	if err == nil && !found {
		err = fmt.Errorf("task %s of remote agent %s: %w", id, agent, ErrNotFound)
	}
	return work, err
}

func (t *tx) peerWork(id core.TaskID, agent core.AgentName) (work PeerWork, err error) {
	found, err := t.Row(&work, `SELECT `+peerWorkColumns+` FROM peer_tasks p JOIN tasks t ON t.id = p.task WHERE p.task = ? AND p.agent = ?`, id, agent)
	if err == nil && !found {
		err = fmt.Errorf("task %s of remote agent %s: %w", id, agent, ErrNotFound)
	}
	return work, err
}

// KeepPeerTask stores a peer's status of a task, and for a terminal state the agent's report.
// The first terminal state is final, and so is the first id: later ones change nothing. It
// fails with ErrClosed if the task has ended without the peer.
//
// errand cannot rely on a peer's verdict. If the task needs verdicts, the peer's is invalid.
func (s *Store) KeepPeerTask(ctx context.Context, id core.TaskID, agent core.AgentName, status core.PeerTask) (work PeerWork, err error) {
	err = s.writeTask(ctx, id, func(t *tx) error {
		if work, err = t.peerWork(id, agent); err != nil || work.IsOver() {
			return err
		}
		work, err = t.keepPeerTask(work, status)
		return err
	})
	return work, err
}

func (t *tx) keepPeerTask(work PeerWork, status core.PeerTask) (PeerWork, error) {
	id, agent := work.Task, work.Agent
	if work.PeerTask == "" {
		work.PeerTask = status.ID
	}
	if work.State == core.InputRequired && !status.State.Terminal() {
		// It goes on without an answer: its question is withdrawn.
		if err := t.withdraw(`owner = ?`, core.SubAgentOwner(id, agent)); err != nil {
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

// GiveUpPeer stops waiting for a peer: the agent has failed, and why is its report. status is
// the last known state; the peer may go on and is polled (see [Store.LatePeers]). Without an id
// of the peer's, no poll is possible, and the work has failed. Only the first end counts.
func (s *Store) GiveUpPeer(ctx context.Context, id core.TaskID, agent core.AgentName, status core.PeerTask, why string) (work PeerWork, err error) {
	err = s.writeTask(ctx, id, func(t *tx) error {
		if work, err = t.peerWork(id, agent); err != nil || work.IsOver() {
			return err
		}
		if work.PeerTask == "" {
			work.PeerTask = status.ID
		}
		if work.State, work.GivenUp = status.State, t.now; work.PeerTask == "" {
			work.State, work.GivenUp = core.Failed, 0
		}
		if status.Word != "" {
			work.Said = status.Word
		}
		_, err := t.Exec(`UPDATE peer_tasks SET peer_task = ?, state = ?, given_up = ?, said = ?, next_at = ? WHERE task = ? AND agent = ?`,
			work.PeerTask, work.State, work.GivenUp, work.Said, nextPoll(t.now, t.now, work), id, agent)
		if err != nil {
			return err
		}
		return t.reportPeer(id, agent, core.PeerTask{State: core.Failed, Text: why})
	})
	return work, err
}

func (t *tx) reportPeer(id core.TaskID, agent core.AgentName, status core.PeerTask) error {
	task, err := taskByID(t, id)
	if err != nil {
		return err
	}
	if err := t.alive(&task); err != nil {
		return err
	}
	// No answer is needed any more.
	if err := t.endUndelivered(`state = 'open'`, `owner = ?`, core.SubAgentOwner(id, agent)); err != nil {
		return err
	}
	if err := t.resumeTask(id); err != nil {
		return err
	}
	var verdict core.Verdict
	if task.Policy.CountsVerdicts() && status.State == core.Completed {
		verdict = core.Invalid
	}
	text, err := t.withPeerFiles(task.Origin, agent, status)
	if err != nil {
		return err
	}
	_, err = t.Exec(`INSERT INTO reports (task, agent, state, text, verdict, created) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (task, agent) DO NOTHING`, id, agent, status.State, text, verdict, t.now)
	return err
}

func (t *tx) beginTask(task *core.Task) error {
	if task.State != core.Submitted {
		return nil
	}
	if _, err := t.Exec(`UPDATE tasks SET state = 'working' WHERE id = ? AND state = 'submitted'`, task.ID); err != nil {
		return err
	}
	task.State = core.Working
	return t.announceTask(task)
}
