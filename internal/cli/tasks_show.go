package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"errand/api"
	"errand/internal/cli/console"
	"errand/internal/core"
	"errand/internal/markup"
)

func (c taskCommands) newTasksShow() *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show a task; the beginning of the ID is enough", Args: cobra.ExactArgs(1), ValidArgsFunction: c.completeTasks,
		RunE: func(cmd *cobra.Command, args []string) error {
			task, err := c.task(cmd.Context(), args[0])
			t, done, err := console.One(&c.Console, task, err)
			if done || err != nil {
				return err
			}
			line, err := api.Call(cmd.Context(), c.API(), api.GetTimeline, api.TimelineInput{TaskID: api.TaskID{ID: string(t.ID)}, Steps: true})
			if err != nil {
				return err
			}
			c.showTask(t.Task, line.Value)
			return nil
		},
	}
}

func (c taskCommands) showTask(t core.Task, when api.Timeline) {
	c.Field("task", c.Style.Bold(line(string(t.ID))))
	c.Field("state", c.state(string(t.State)))
	c.Field("agent", line(t.AgentList()))
	c.Field("from", line(string(t.From)))
	c.Field("chat", line(t.Origin.Chat))
	c.Field("parent", line(string(t.Parent)))
	c.Field("retry of", line(string(t.RetryOf)))
	c.Field("continues", line(string(t.Continues)))
	if t.Late != "" {
		c.Field("late", fmt.Sprintf("%s of %s", line(string(t.Late)), line(string(t.LateOf))))
	}
	if t.Added > 0 {
		c.Field("added", console.Plural(t.Added, "1 message", "%d messages"))
	}
	c.Field("started", c.Ago(t.Created))
	if t.State.Terminal() {
		c.Field("ended", fmt.Sprintf("%s, after %s", c.Ago(t.Finished), console.Lasted(t.Finished.Sub(t.Created))))
	} else {
		c.Field("for", console.Lasted(c.Began.Sub(t.Created)))
	}
	c.Field("result", way(t.Way))
	c.Field("delivery", c.state(string(t.Delivery)))
	tokens := console.Plural(t.Tokens, "1 token", "%d tokens")
	if t.Cached > 0 {
		tokens += fmt.Sprintf(" (%d from cache)", t.Cached)
	}
	used := console.Plural(t.ModelCalls, "1 model call", "%d model calls") + ", " + tokens
	if t.Cost > 0 {
		used += ", " + c.Money(t.Cost)
	}
	c.Field("used", used)
	if t.Trouble != "" {
		c.Field("trouble", line(t.Trouble))
	}
	fmt.Fprintf(c.Out, "\n%s\n", c.rendered(t.Text))
	for _, p := range t.Plans {
		c.showPlan(p)
	}
	if len(when.Rows) > 0 {
		c.showTimes(t.ID, when)
	}
	switch {
	case t.Result != "":
		fmt.Fprintf(c.Out, "\n%s\n%s\n", c.Style.Dim("result"), c.rendered(t.Result))
	case t.Error != "":
		fmt.Fprintf(c.Out, "\n%s\n%s\n", c.Style.Dim("why"), strings.TrimSpace(clean(t.Error)))
	}
}

func (c *cli) state(state string) string {
	return c.Style.State(state, line(state))
}

func way(w core.Way) string {
	switch w {
	case core.WayTurn:
		return "used by the agent that asked for it"
	case core.WayFold:
		return "reported in the chat"
	case core.WayNotification:
		return "sent as a message"
	case core.WayNone:
		return "kept here: there was no chat to report it in"
	}
	return line(string(w))
}

func (c *cli) showPlan(p core.Plan) {
	fmt.Fprintf(c.Out, "\n%s\n%s\n", c.Style.Dim("plan of "+line(string(p.Agent))), strings.TrimSpace(clean(p.List())))
}

// rendered renders Markdown for a terminal, and returns the text itself otherwise.
func (c taskCommands) rendered(text string) string {
	text = strings.TrimSpace(clean(text))
	if !c.OutTTY || c.Getenv("TERM") == "dumb" {
		return text
	}
	return strings.Join(markup.Terminal{Width: c.Width(), Colours: bool(c.Style)}.Rows(text), "\n")
}

func (c taskCommands) showTimes(id core.TaskID, all api.Timeline) {
	fmt.Fprintln(c.Out)
	agents := &console.Table{Head: []string{"AGENT", "TOOK"}}
	for _, r := range all.Rows {
		agents.Add(strings.Repeat("· ", r.Level)+line(string(r.Agent)), lasted(r.Begun, r.Ended, all.To))
	}
	c.PrintTable(agents)
	steps := &console.Table{Head: []string{"STEP", "WHAT", "TOOK", "TOKENS", "COST"}, Loose: []int{1}, Rare: []int{3, 4}}
	n := 0
	for _, r := range all.Rows {
		if r.Task != id {
			continue
		}
		for _, s := range r.Steps {
			n++
			step, what, tokens, cost := "", "  "+line(s.Name), "", ""
			if s.Kind == "model" {
				step, what = fmt.Sprint(s.Step), line(s.Name)
				if s.Tokens > 0 {
					tokens, cost = fmt.Sprint(s.Tokens), c.Price(s.Cost)
				}
			}
			if s.Task != "" {
				what += " " + line(string(s.Task))
			}
			if s.Attempts > 1 {
				what += fmt.Sprintf(" (%d attempts)", s.Attempts)
			}
			steps.Add(step, what, lasted(s.Begun, s.Ended, all.To), tokens, cost)
		}
	}
	if n > 0 {
		fmt.Fprintln(c.Out)
		c.PrintTable(steps)
	}
}

// lasted marks a running duration with an ellipsis.
func lasted(from, to, now time.Time) string {
	if to.IsZero() {
		return lasted(from, now, now) + "…"
	}
	if d := to.Sub(from); d < 10*time.Second {
		return fmt.Sprintf("%.1fs", max(0, d).Seconds())
	}
	return console.Lasted(to.Sub(from))
}
