package store

import (
	"context"
	"math"
	"time"

	"errand"
	"errand/internal/store/sqldb"
)

// errand polls a peer whose task has ended here every errand.PeerPause, later after a tenth of
// the time since the end, at most an hour. After thirty days it stops.
const (
	longestPoll = time.Hour
	pollsFor    = 30 * 24 * time.Hour
)

// nextPoll is when work that ended at a time is looked at again.
func nextPoll(now, ended int64, work PeerWork) int64 {
	since := time.Duration(now-ended) * time.Microsecond
	if since >= pollsFor {
		return math.MaxInt64
	}
	age := time.Duration(now-max(work.Begun, work.Answered)) * time.Microsecond
	return now + max(errand.PeerPause(age), min((since-errand.QuickPeerTask)/10, longestPoll)).Microseconds()
}

// LatePeers returns what is to be looked at now of what peers were sent and nobody waits for
// any more, though they may go on: of some agents, at most limit, the longest due first.
func (s *Store) LatePeers(ctx context.Context, agents []errand.AgentName, limit int) ([]PeerWork, error) {
	if len(agents) == 0 {
		return nil, nil
	}
	now := micros(s.clock())
	args := []any{now}
	for _, a := range agents {
		args = append(args, a)
	}
	since := now - pollsFor.Microseconds() // what was left open long ago is old news
	args = append(args, since, since)
	var list []PeerWork
	err := s.read(ctx).All(&list, `SELECT `+peerWorkColumns+` FROM peer_tasks p JOIN tasks t ON t.id = p.task
		WHERE p.peer_task <> '' AND p.offered_to = '' AND p.state IN ('submitted', 'working', 'input_required') AND p.next_at <= ?
		AND p.agent IN (`+sqldb.Placeholders(len(agents))+`) AND (p.given_up > ? OR t.finished > ?)
		ORDER BY p.next_at, p.task, p.agent LIMIT ?`, append(args, limit)...)
	return list, err
}

// PostponePoll has a peer that nobody waits for looked at again later.
func (s *Store) PostponePoll(ctx context.Context, id errand.TaskID, agent errand.AgentName) error {
	return s.writeTask(ctx, id, func(t *tx) error {
		work, err := t.peerWork(id, agent)
		if err != nil {
			return err
		}
		_, err = t.Exec(`UPDATE peer_tasks SET next_at = ? WHERE task = ? AND agent = ?`, nextPoll(t.now, work.Ended, work), id, agent)
		return err
	})
}

// KeepLateAnswer keeps what a peer has told of a task that nobody waits for any more, and makes
// a task of it that has ended already: a late answer, with the origin of the one it belongs
// to, so that it is told as every late result is. There is one of each kind. first says that
// it was made now; late is nil where the peer has said nothing new, or nothing that is worth
// telling.
func (s *Store) KeepLateAnswer(ctx context.Context, id errand.TaskID, agent errand.AgentName, status errand.PeerTask) (late *errand.Task, first bool, err error) {
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
		kind, way := status.LateKind(), errand.WayUndecided
		if work.GivenUp == 0 || task.State == errand.Canceled {
			// Nobody wants it any more: it was canceled, or others have done it. How far the
			// peer is then is kept, and told to nobody; that it was canceled there as well, as
			// it was asked to, is no news.
			switch {
			case status.Canceled:
				kind = ""
			case kind == errand.LateStatus:
				way = errand.WayNone
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

// makeLate makes the late answer of a kind to a task, or finds the one that there is. With
// [errand.WayNone] it is kept, and told to nobody.
func (t *tx) makeLate(of *errand.Task, agent errand.AgentName, kind errand.LateKind, status errand.PeerTask, way errand.Way) (*errand.Task, bool, error) {
	seen, by, err := t.seenTask(of, agent)
	if err != nil {
		return nil, false, err
	}
	late := errand.Task{Agents: []errand.AgentName{agent}, From: of.From, Text: seen.Text, Origin: of.Origin, LateOf: of.ID, LateFor: by, Late: kind, Way: way}
	there, err := tasksWhere(t, `late_of = ? AND late_of <> '' AND late_kind = ?`, of.ID, kind)
	if err != nil {
		return nil, false, err
	}
	for i := range there {
		if there[i].Agents[0] == agent {
			return &there[i], false, nil
		}
	}
	// Whoever asked for it may have been a sub-agent, which has ended: the session is told.
	late.Origin.Depth, late.Origin.Chain = 1, nil
	if err := t.insertTask(&late); err != nil {
		return nil, false, err
	}
	text, err := t.withPeerFiles(late.Origin, agent, status)
	if err != nil {
		return nil, false, err
	}
	if late.State = kind.State(); late.State == errand.Completed {
		late.Result = text
	} else {
		late.Error = text
	}
	return &late, true, t.finishTask(&late)
}

// seenTask returns the task above of, or of itself, that the person has seen, and the sub-agent
// of it that agent worked for: people and the agent of a session know no others.
func (t *tx) seenTask(of *errand.Task, agent errand.AgentName) (errand.Task, errand.Owner, error) {
	seen, by := *of, errand.SubAgentOwner(of.ID, agent)
	for seen.Parent != "" { // at most as many as the depth allows
		above, err := taskByID(t, seen.Parent)
		if err != nil {
			return seen, by, err
		}
		seen, by = above, seen.Caller.Owner
	}
	return seen, by, nil
}

// cutLate leaves of a late answer what a transcript has room for: a peer may say five times
// as much. The whole of it is a file of the session, and the row has it.
func (b *stepBegin) cutLate(task *errand.Task, tool string) error {
	text := task.LateText()
	if task.Late == "" || !tooLong(text) {
		return nil
	}
	of := Artifact{Key: task.Origin.SessionKey, Session: b.out.Session, Person: task.Origin.Person, Tool: tool}
	text, err := b.cutOut(of, 0, "late-"+string(task.Late)+"-of-"+task.AgentList(), text, b.out.Nonce)
	if err != nil {
		return err
	}
	if task.State == errand.Completed {
		task.Result = text
	} else {
		task.Error = text
	}
	return nil
}
