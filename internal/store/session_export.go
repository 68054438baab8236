package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"errand"
	"errand/internal/content"
	"errand/internal/store/sqldb"
)

// ExportVersion is the shape of an [Export] as JSON. It changes when a field is
// renamed or removed, not when one is added.
const ExportVersion = 1

// An Export is a session as a file that its person can keep.
type Export struct {
	Version  int              `json:"version"`
	Session  Session          `json:"session"`
	Name     string           `json:"name,omitempty" description:"of the person"`
	Messages []errand.Message `json:"messages"`
	Tasks    []ExportedTask   `json:"tasks"`
	// Notices are what errand itself said there, and results that it told without a
	// turn, in order.
	Notices []Notice `json:"notices,omitempty" description:"what errand itself said there, and results that it told without a turn"`
	// Role is the one in force there now, and Tools what the agent may call with it.
	// The store does not know them.
	Role  errand.Role `json:"role,omitempty" description:"the one in force there now"`
	Tools []string    `json:"tools,omitempty" description:"what the agent may call with it"`
	// Artifacts are what was sent besides text, by name: the files themselves are
	// had one by one.
	Artifacts []Artifact `json:"artifacts,omitempty"`
	// Files are those that the session and its agents keep, in their latest versions;
	// these, too, are had one by one. Empty once a later session of the chat has them.
	Files    []File    `json:"files,omitempty"`
	Exported time.Time `json:"exported"`
}

// A Notice is something that errand itself told the person of a session.
type Notice struct {
	Event   errand.EventType `json:"event"`
	Agent   errand.AgentName `json:"agent,omitempty"`
	Task    errand.TaskID    `json:"task,omitempty"`
	Text    string           `json:"text"`
	Created time.Time        `json:"created"`
}

// An ExportedTask is a task with what each of its agents reported.
type ExportedTask struct {
	errand.Task
	Reports []Report `json:"reports,omitempty"`
}

// A Report is what one agent made of a task.
type Report struct {
	Agent   errand.AgentName `json:"agent"`
	State   errand.TaskState `json:"state"`
	Text    string           `json:"text"`
	Created time.Time        `json:"created"`
}

// Export returns a session with all that was said in it, and its tasks.
func (s *Store) Export(ctx context.Context, id errand.SessionID) (Export, error) {
	q := s.read(ctx)
	session, err := s.Session(ctx, id)
	e := Export{Version: ExportVersion, Session: session, Exported: s.clock().UTC()}
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
	e.Tasks = make([]ExportedTask, len(tasks))
	for i, t := range tasks {
		e.Tasks[i].Task = t
		if e.Tasks[i].Reports, err = reports(q, t.ID); err != nil {
			return e, err
		}
	}
	return e, nil
}

// notices are what was sent of a session that no turn of it said: the replies of
// turns are in the transcript.
func notices(q sqldb.Querier, id errand.SessionID) ([]Notice, error) {
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
	var list []Notice
	for _, r := range rows {
		list = append(list, Notice{errand.EventType(r.Event), errand.AgentName(r.Agent), errand.TaskID(r.Task), r.Text, at(r.Created)})
	}
	return list, nil
}

func reports(q sqldb.Querier, id errand.TaskID) ([]Report, error) {
	var rows []struct {
		Agent, State, Text string
		Created            int64
	}
	if err := q.All(&rows, `SELECT agent, state, text, created FROM reports WHERE task = ? ORDER BY created, agent`, id); err != nil {
		return nil, err
	}
	var list []Report
	for _, r := range rows {
		list = append(list, Report{errand.AgentName(r.Agent), errand.TaskState(r.State), r.Text, at(r.Created)})
	}
	return list, nil
}

// Markdown returns e for people to read: who spoke with whom and when, turn by
// turn, and what became of the tasks.
func (e Export) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", e.title())
	s := e.Session
	who := e.Name
	if who == "" {
		who = string(s.Person)
	}
	where := fmt.Sprintf("chat %s on %s", s.Route.Chat, s.Route.Channel)
	if s.Route.Channel != errand.ChannelWeb {
		where += ", account " + s.Route.Account
	}
	if s.Route.Thread != "" {
		where += ", thread " + s.Route.Thread
	}
	fmt.Fprintf(&b, "- %s with %s\n- %s\n- %s to %s\n- turns: %d, tasks: %d; the session is %s\n- session %s\n",
		who, s.Agent.Display(), where, date(s.Created), date(s.Active), s.Turns, len(e.Tasks), s.State, s.ID)
	if e.Role != "" {
		fmt.Fprintf(&b, "- role now: %s, tools: %s\n", e.Role, strings.Join(e.Tools, ", "))
	}
	if s.Plan != nil {
		b.WriteString(planMarkdown(*s.Plan))
	}
	turn, next := 0, 0
	for _, m := range e.Messages {
		for ; next < len(e.Notices) && e.Notices[next].Created.Before(m.Created); next++ {
			b.WriteString(e.Notices[next].markdown())
		}
		if m.Turn != turn {
			turn = m.Turn
			fmt.Fprintf(&b, "\n## Turn %d, %s\n", turn, date(m.Created))
		}
		b.WriteString(messageMarkdown(m, who))
	}
	for _, n := range e.Notices[next:] {
		b.WriteString(n.markdown())
	}
	if len(e.Artifacts)+len(e.Files) > 0 {
		b.WriteString("\n## Files\n\n")
	}
	for _, f := range e.Files {
		fmt.Fprintf(&b, "- %s: version %d, %s, %s, %s, SHA-256 %s\n", f.Path, f.Version, f.Type, content.Size(f.Size), date(f.Created), f.SHA256)
	}
	for _, a := range e.Artifacts {
		fmt.Fprintf(&b, "- %s: %s, %s, %s, %s, SHA-256 %s\n", a.ID, a.Name, a.Type, content.Size(a.Size), date(a.Created), a.SHA256)
	}
	if len(e.Tasks) > 0 {
		b.WriteString("\n## Tasks\n")
	}
	for _, t := range e.Tasks {
		b.WriteString(t.markdown())
	}
	return b.String()
}

func (e Export) title() string {
	for _, m := range e.Messages {
		if m.Speaker == errand.FromPerson && strings.TrimSpace(m.Text) != "" {
			return errand.Title(m.Text)
		}
	}
	return "Session in chat " + e.Session.Route.Chat
}

func messageMarkdown(m errand.Message, who string) string {
	var b strings.Builder
	switch m.Speaker {
	case errand.FromTool:
		return "\n" + quote(m.Text)
	case errand.FromAgent:
		who = m.Agent.Display()
	}
	if m.Text != "" {
		fmt.Fprintf(&b, "\n**%s:** %s\n", who, m.Text)
	}
	for _, c := range m.Calls {
		fmt.Fprintf(&b, "\n*%s calls* `%s %s`\n", who, c.Name, strings.ReplaceAll(errand.Cut(c.Arguments, 500), "`", "'"))
	}
	return b.String()
}

func (n Notice) markdown() string { return fmt.Sprintf("\n**errand:** %s\n", n.Text) }

func (t ExportedTask) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n### %s: %s\n\n- %s, %s\n- %s", t.ID, t.Title, t.AgentList(), t.State, date(t.Created))
	if !t.Finished.IsZero() {
		fmt.Fprintf(&b, " to %s", date(t.Finished))
	}
	fmt.Fprintf(&b, "\n\n%s", quote(t.Text))
	for _, p := range t.Plans {
		b.WriteString(planMarkdown(p))
	}
	for _, r := range t.Reports {
		fmt.Fprintf(&b, "\n**%s:** %s\n", r.Agent.Display(), r.Text)
	}
	if len(t.Reports) == 0 && t.Error != "" {
		fmt.Fprintf(&b, "\n%s\n", t.Error)
	}
	return b.String()
}

// planMarkdown returns a plan as a list. An item is one line.
func planMarkdown(p errand.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n*%s's plan, %d of %d done:*\n\n", p.Agent.Display(), p.Done(), len(p.Items))
	for _, i := range p.Items {
		fmt.Fprintf(&b, "- %s %s\n", i.Mark(), i.Text)
	}
	return b.String()
}

// quote returns text as a quotation, so that nothing in it passes for a part
// of the file.
func quote(text string) string {
	return "> " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n> ") + "\n"
}

func date(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }
