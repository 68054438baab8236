package store

import (
	"context"
	"math"
	"time"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

// errand polls a peer whose task has ended here, first every core.PeerPause, later after a
// tenth of the time since the end, at least every hour. After thirty days it stops.
const (
	longestPoll = time.Hour
	pollsFor    = 30 * 24 * time.Hour
)

func nextPoll(now, ended int64, work PeerWork) int64 {
	since := time.Duration(now-ended) * time.Microsecond
	if since >= pollsFor {
		return math.MaxInt64
	}
	age := time.Duration(now-max(work.Begun, work.Answered)) * time.Microsecond
	return now + max(core.PeerPause(age), min((since-core.QuickPeerTask)/10, longestPoll)).Microseconds()
}

// LatePeers returns the work of peers for which no task waits any more but which may still go
// on, if a poll is due. It returns at most limit, for the given agents, the longest due first.
func (s *Store) LatePeers(ctx context.Context, agents []core.AgentName, limit int) ([]PeerWork, error) {
	if len(agents) == 0 {
		return nil, nil
	}
	now := micros(s.clock())
	args := []any{now}
	for _, a := range agents {
		args = append(args, a)
	}
	since := now - pollsFor.Microseconds() // errand does not poll work that ended earlier
	args = append(args, since, since)
	var list []PeerWork
	err := s.read(ctx).All(&list, `SELECT `+peerWorkColumns+` FROM peer_tasks p JOIN tasks t ON t.id = p.task
		WHERE p.peer_task <> '' AND p.offered_to = '' AND p.state IN ('submitted', 'working', 'input_required') AND p.next_at <= ?
		AND p.agent IN (`+sqldb.Placeholders(len(agents))+`) AND (p.given_up > ? OR t.finished > ?)
		ORDER BY p.next_at, p.task, p.agent LIMIT ?`, append(args, limit)...)
	return list, err
}

// PostponePoll sets a later time for the next poll of a peer's late work.
func (s *Store) PostponePoll(ctx context.Context, id core.TaskID, agent core.AgentName) error {
	return s.writeTask(ctx, id, func(t *tx) error {
		work, err := t.peerWork(id, agent)
		if err != nil {
			return err
		}
		_, err = t.Exec(`UPDATE peer_tasks SET next_at = ? WHERE task = ? AND agent = ?`, nextPoll(t.now, work.Ended, work), id, agent)
		return err
	})
}

// KeepLateAnswer stores a peer's status of a task that has ended, and makes an ended task of
// it: a late answer with the same origin, which is delivered like any late result. There is one
// of each kind. first reports whether this call made it; late is nil if there is nothing new.
func (s *Store) KeepLateAnswer(ctx context.Context, id core.TaskID, agent core.AgentName, status core.PeerTask) (late *core.Task, first bool, err error) {
	err = s.writeTask(ctx, id, func(t *tx) error {
		late, first = nil, false
		work, err := t.peerWork(id, agent)
		if err != nil || work.State.Terminal() || work.Ended == 0 {
			return err
		}
		task, err := taskByID(t, id)
		if err != nil {
			return err
		}
		kind, way := status.LateKind(), core.WayUndecided
		if work.GivenUp == 0 || task.State == core.Canceled {
			// The answer is not wanted any more: the task was canceled, or other agents have
			// done it. The peer's status is stored but not delivered. If the peer has canceled
			// its work as requested, that is no news.
			switch {
			case status.Canceled:
				kind = ""
			case kind == core.LateStatus:
				way = core.WayNone
			}
		}
		if isNew := status.State.Terminal() || status.Word != work.Said; kind != "" && isNew {
			if late, first, err = t.makeLate(&task, agent, kind, status, way); err != nil {
				return err
			}
		}
		_, err = t.Exec(`UPDATE peer_tasks SET state = ?, heard = ?, said = ?, next_at = ? WHERE task = ? AND agent = ?`,
			status.State, t.now, status.Word, nextPoll(t.now, work.Ended, work), id, agent)
		return err
	})
	return late, first, err
}

// makeLate creates the late answer of a kind, or finds it. With [core.WayNone] it is not delivered.
func (t *tx) makeLate(of *core.Task, agent core.AgentName, kind core.LateKind, status core.PeerTask, way core.Way) (*core.Task, bool, error) {
	seen, by, err := t.seenTask(of, agent)
	if err != nil {
		return nil, false, err
	}
	late := core.Task{Agents: []core.AgentName{agent}, From: of.From, Text: seen.Text, Origin: of.Origin, LateOf: of.ID, LateFor: by, Late: kind, Way: way}
	there, err := tasksWhere(t, `late_of = ? AND late_of <> '' AND late_kind = ?`, of.ID, kind)
	if err != nil {
		return nil, false, err
	}
	for i := range there {
		if there[i].Agents[0] == agent {
			return &there[i], false, nil
		}
	}
	// The caller may have been a sub-agent that has ended: the session gets the answer.
	late.Origin.Depth, late.Origin.Chain = 1, nil
	if err := t.insertTask(&late); err != nil {
		return nil, false, err
	}
	text, err := t.withPeerFiles(late.Origin, agent, status)
	if err != nil {
		return nil, false, err
	}
	if late.State = kind.State(); late.State == core.Completed {
		late.Result = text
	} else {
		late.Error = text
	}
	return &late, true, t.finishTask(&late)
}

// seenTask returns the task at the top of the tree, which the person has seen, and the
// sub-agent of that task for which agent worked.
func (t *tx) seenTask(of *core.Task, agent core.AgentName) (core.Task, core.Owner, error) {
	seen, by := *of, core.SubAgentOwner(of.ID, agent)
	for seen.Parent != "" { // bounded by the depth of tasks
		above, err := taskByID(t, seen.Parent)
		if err != nil {
			return seen, by, err
		}
		seen, by = above, seen.Caller.Owner
	}
	return seen, by, nil
}

// cutLate shortens an answer that is too long for a transcript. The whole answer becomes a file
// of the session.
func (b *stepBegin) cutLate(task *core.Task, tool string) error {
	text := task.LateText()
	if task.Late == "" || !tooLong(text) {
		return nil
	}
	of := core.Artifact{Key: task.Origin.SessionKey, Session: b.out.Session, Person: task.Origin.Person, Tool: tool}
	text, err := b.cutOut(of, 0, "late-"+string(task.Late)+"-of-"+task.AgentList(), text, b.out.Nonce)
	if err != nil {
		return err
	}
	if task.State == core.Completed {
		task.Result = text
	} else {
		task.Error = text
	}
	return nil
}
