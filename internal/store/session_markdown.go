package store

import (
	"fmt"
	"strings"
	"time"

	"errand/internal/content"
	"errand/internal/core"
)

// Markdown renders an export for people.
func Markdown(e core.Export) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", exportTitle(e))
	s := e.Session
	who := e.Name
	if who == "" {
		who = string(s.Person)
	}
	where := fmt.Sprintf("chat %s on %s", s.Route.Chat, s.Route.Channel)
	if s.Route.Channel != core.ChannelWeb {
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
			b.WriteString(noticeMarkdown(e.Notices[next]))
		}
		if m.Turn != turn {
			turn = m.Turn
			fmt.Fprintf(&b, "\n## Turn %d, %s\n", turn, date(m.Created))
		}
		b.WriteString(messageMarkdown(m, who))
	}
	for _, n := range e.Notices[next:] {
		b.WriteString(noticeMarkdown(n))
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
		b.WriteString(taskMarkdown(t))
	}
	return b.String()
}

func exportTitle(e core.Export) string {
	for _, m := range e.Messages {
		if m.Speaker == core.FromPerson && strings.TrimSpace(m.Text) != "" {
			return core.Title(m.Text)
		}
	}
	return "Session in chat " + e.Session.Route.Chat
}

func messageMarkdown(m core.Message, who string) string {
	var b strings.Builder
	switch m.Speaker {
	case core.FromTool:
		return "\n" + quote(m.Text)
	case core.FromAgent:
		who = m.Agent.Display()
	}
	if m.Replaced {
		who += " (replaced)"
	}
	if m.Text != "" {
		fmt.Fprintf(&b, "\n**%s:** %s\n", who, m.Text)
	}
	for _, c := range m.Calls {
		fmt.Fprintf(&b, "\n*%s calls* `%s %s`\n", who, c.Name, strings.ReplaceAll(core.Cut(c.Arguments, 500), "`", "'"))
	}
	return b.String()
}

func noticeMarkdown(n core.Notice) string { return fmt.Sprintf("\n**errand:** %s\n", n.Text) }

func taskMarkdown(t core.ExportedTask) string {
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

func planMarkdown(p core.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n*%s's plan, %d of %d done:*\n\n", p.Agent.Display(), p.Done(), len(p.Items))
	for _, i := range p.Items {
		fmt.Fprintf(&b, "- %s %s\n", i.Mark(), i.Text)
	}
	return b.String()
}

// quote quotes text, so that it cannot imitate other parts of the file.
func quote(text string) string {
	return "> " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n> ") + "\n"
}

func date(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }
