package store

import (
	"context"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

// ExportVersion is the version of an [Export] as JSON. It changes if a field is renamed or
// removed, not if one is added.
const ExportVersion = 1

// Export returns a session with its messages, files and tasks.
func (s *Store) Export(ctx context.Context, id core.SessionID) (core.Export, error) {
	q := s.read(ctx)
	session, err := s.Session(ctx, id)
	e := core.Export{Version: ExportVersion, Session: session, Exported: s.clock().UTC()}
	if err != nil {
		return e, err
	}
	if _, err := q.Value(&e.Name, `SELECT name FROM people WHERE id = ?`, session.Person); err != nil {
		return e, err
	}
	if e.Messages, err = shownWhere(q, `owner = ? ORDER BY turn, step, idx`, id); err != nil {
		return e, err
	}
	if e.Notices, err = notices(q, id); err != nil {
		return e, err
	}
	if e.Artifacts, err = s.Artifacts(ctx, id); err != nil {
		return e, err
	}
	if e.Files, err = sessionFiles(q, id); err != nil {
		return e, err
	}
	tasks, err := tasksWhere(q, `session = ? AND session <> '' ORDER BY created, id`, id)
	if err != nil {
		return e, err
	}
	e.Tasks = make([]core.ExportedTask, len(tasks))
	for i, t := range tasks {
		e.Tasks[i].Task = t
		if e.Tasks[i].Reports, err = reports(q, t.ID); err != nil {
			return e, err
		}
	}
	return e, nil
}

// notices returns what was sent outside turns. The replies of turns are in the transcript.
func notices(q sqldb.Querier, id core.SessionID) ([]core.Notice, error) {
	var rows []struct {
		Event, Agent, Task, Text string
		Created                  int64
	}
	err := q.All(&rows, `SELECT event, agent, task, text, created FROM outbox
		WHERE (made_by = ? OR key IN (SELECT 'late:' || id FROM tasks WHERE session = ? AND session <> ''))
		AND state = 'sent' AND event IN ('notice', 'late') AND key NOT LIKE 'turn:%' ORDER BY id`, id, id)
	if err != nil {
		return nil, err
	}
	var list []core.Notice
	for _, r := range rows {
		list = append(list, core.Notice{Event: core.EventType(r.Event), Agent: core.AgentName(r.Agent), Task: core.TaskID(r.Task), Text: r.Text, Created: at(r.Created)})
	}
	return list, nil
}

func reports(q sqldb.Querier, id core.TaskID) ([]core.Report, error) {
	var rows []struct {
		Agent, State, Text string
		Created            int64
	}
	if err := q.All(&rows, `SELECT agent, state, text, created FROM reports WHERE task = ? ORDER BY created, agent`, id); err != nil {
		return nil, err
	}
	var list []core.Report
	for _, r := range rows {
		list = append(list, core.Report{Agent: core.AgentName(r.Agent), State: core.TaskState(r.State), Text: r.Text, Created: at(r.Created)})
	}
	return list, nil
}
