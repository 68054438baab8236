package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"errand"
	api "errand/client"
	"errand/internal/cli/console"
)

func newTasks(c *cli) *cobra.Command {
	return group("tasks", "See what agents were asked to do, and what became of it",
		newTasksList(c), newTasksShow(c), newTasksResult(c), newTasksSteer(c), newTasksContinue(c), newTasksCancel(c), newTasksRetry(c))
}

const mostTasks = 1000

func newTasksList(c *cli) *cobra.Command {
	var all, watch bool
	var states []string
	p := api.ListTasksParams{Limit: mostTasks}
	cmd := &cobra.Command{
		Use: "list", Short: "List the tasks that are open or ended in the last day", Args: cobra.NoArgs,
		Example: "  errand tasks list --state working,input_required --watch\n  errand tasks list --tree --agent sasha --all",
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if p.Person, err = c.personID(cmd.Context(), p.Person); err != nil {
				return err
			}
			p.Agent, p.State = strings.ToLower(p.Agent), []errand.TaskState{errand.TaskState(strings.Join(states, ","))}
			list := func(ctx context.Context) error { return c.listTasks(ctx, &p, all) }
			if watch {
				return c.watchTasks(cmd.Context(), p.Person, list)
			}
			return list(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "older ones too")
	cmd.Flags().BoolVar(&p.Tree, "tree", false, "each below the one that delegated it, with what it took, what it and all below it cost, and what it came to")
	cmd.Flags().BoolVar(&watch, "watch", false, "show the list again whenever it changes, until Ctrl-C")
	cmd.Flags().StringVar(&p.Chat, "chat", "", "only those of this chat")
	cmd.Flags().StringVar(&p.Agent, "agent", "", "only those of this agent")
	cmd.Flags().StringSliceVar(&states, "state", nil, "only those in this state; several with commas")
	cmd.Flags().StringVar(&p.Q, "text", "", "only those in which this stands: what is to be done, what became of it, or the id")
	cmd.Flags().StringVar(&p.Person, "person", "", whosePerson)
	return cmd
}

func (c *cli) listTasks(ctx context.Context, p *api.ListTasksParams, all bool) error {
	list, err := c.API().ListTasks(ctx, p)
	if err == nil && !all {
		list, err = c.recent(list)
	}
	tasks, done, err := console.List(&c.Console, list, err)
	if done || err != nil {
		return err
	}
	if len(tasks) == 0 {
		if all {
			c.Printlnf("No tasks.")
		} else {
			c.Printlnf("No tasks that are open or of the last day; --all shows older ones.")
		}
		return nil
	}
	table := c.taskTree(tasks)
	if !p.Tree {
		table = c.taskTable(flat(tasks))
	}
	c.PrintTable(table)
	return nil
}

// recent leaves out tasks that ended more than a day ago.
func (c *cli) recent(list api.Answer[[]api.Task]) (kept api.Answer[[]api.Task], err error) {
	rows, err := c.Rows(list.Raw)
	if err != nil {
		return kept, err
	}
	raw := []json.RawMessage{}
	for i, t := range list.Value {
		if !t.State.Terminal() || c.Began.Sub(t.Finished) < 24*time.Hour {
			kept.Value, raw = append(kept.Value, t), append(raw, rows[i])
		}
	}
	kept.Raw, err = json.Marshal(raw)
	return kept, err
}

func (c *cli) taskTable(tasks []errand.Task) *console.Table {
	t := &console.Table{Head: []string{"ID", "STATE", "AGENT", "CHAT", "STARTED", "TASK"}, Loose: []int{3, 5}, Painted: 1, Paint: c.Style.State}
	for _, task := range tasks {
		t.Add(string(task.ID), string(task.State), task.AgentList(), cmp.Or(task.Origin.Chat, "-"), c.Ago(task.Created), cmp.Or(task.Title, task.Text))
	}
	return t
}

func flat(list []api.Task) []errand.Task {
	tasks := make([]errand.Task, len(list))
	for i, t := range list {
		tasks[i] = t.Task
	}
	return tasks
}

func (c *cli) taskTree(tasks []api.Task) *console.Table {
	t := &console.Table{Head: []string{"ID", "STATE", "FROM", "AGENT", "TOOK", "COST", "IN ALL", "TASK", "RESULT"}, Loose: []int{7, 8}, Rare: []int{5, 6}, Painted: 1, Paint: c.Style.State}
	for _, b := range tasks {
		t.Add(strings.Repeat("· ", b.Level)+string(b.ID), string(b.State), cmp.Or(string(b.From), "-"), b.AgentList(), console.Lasted(b.Took(c.Began)), c.Price(b.Cost), c.Price(b.Branch.Cost),
			cmp.Or(b.Title, b.Text), cmp.Or(b.Preview(80), "-"))
	}
	return t
}

func newTasksResult(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "result ID", Short: "Print the result of a completed task", Args: cobra.ExactArgs(1), ValidArgsFunction: c.completeTasks,
		RunE: func(cmd *cobra.Command, args []string) error {
			task, err := c.task(cmd.Context(), args[0])
			t, done, err := console.One(&c.Console, task, err)
			if err != nil {
				return err
			}
			return c.outcome(t.Task, done)
		},
	}
}

// outcome prints the result of t, unless it was printed, and fails if there is
// none.
func (c *cli) outcome(t errand.Task, printed bool) error {
	switch {
	case t.Decision != "":
		return c.decision(t, printed)
	case t.State == errand.Completed:
		if !printed {
			fmt.Fprintln(c.Out, c.rendered(t.Result))
		}
		return nil
	case t.State.Terminal():
		return c.Failf("%s is %s: %s", t.ID, c.stateWord(t.State), cmp.Or(t.Error, c.Sayf("no reason given")))
	}
	return c.Failf("%s has no result yet: it is %s, begun %s", t.ID, c.stateWord(t.State), c.Ago(t.Created))
}

func newTasksCancel(c *cli) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use: "cancel ID", Short: "Cancel a task and everything it delegated", Args: cobra.ExactArgs(1), ValidArgsFunction: c.completeTasks,
		RunE: func(cmd *cobra.Command, args []string) error {
			before, err := c.task(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			was := before.Value
			if was.State.Terminal() {
				return c.Failf("%s has ended already: it is %s", was.ID, c.stateWord(was.State))
			}
			task, err := c.API().CancelTask(cmd.Context(), string(was.ID), api.CancelTaskBody{Reason: &reason}, nil)
			t, done, err := console.One(&c.Console, task, err)
			if done || err != nil {
				return err
			}
			c.Printlnf("%s is %s.", line(string(t.ID)), line(c.stateWord(t.State)))
			return nil
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the person who asked for it")
	return cmd
}

func newTasksRetry(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "retry ID", Short: "Do again, as a new task, what a task was to do", Args: cobra.ExactArgs(1), ValidArgsFunction: c.completeTasks,
		RunE: func(cmd *cobra.Command, args []string) error {
			task, err := c.API().RetryTask(cmd.Context(), args[0], nil)
			t, done, err := console.One(&c.Console, task, c.candidates(cmd.Context(), args[0], err))
			if done || err != nil {
				return err
			}
			c.Printlnf("Started %s, a retry of %s.", line(string(t.ID)), line(cmp.Or(string(t.RetryOf), args[0])))
			return nil
		},
	}
}

// completeTasks offers the latest tasks.
func (c *cli) completeTasks(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return offer(c, cmd, asked((*api.Client).ListTasks, nil), func(t api.Task) string { return choice(string(t.ID), string(t.State)+", "+t.Title) })
}

func (c *cli) task(ctx context.Context, id string) (api.Answer[api.Task], error) {
	task, err := c.API().GetTask(ctx, id, nil)
	return task, c.candidates(ctx, id, err)
}

func (c *cli) candidates(ctx context.Context, id string, err error) error {
	var no *api.Problem
	if !errors.As(err, &no) || no.Code != "ambiguous" {
		return err
	}
	tasks, err := c.API().ListTasks(ctx, &api.ListTasksParams{Limit: mostTasks})
	if err != nil {
		return err
	}
	var fit []errand.Task
	prefix := strings.TrimPrefix(strings.ToLower(id), "t-")
	for _, t := range tasks.Value {
		if strings.HasPrefix(strings.TrimPrefix(string(t.ID), "t-"), prefix) {
			fit = append(fit, t.Task)
		}
	}
	c.PrintTableBesides(c.taskTable(fit))
	return c.Failf("%s fits more than one task: give more of the id", id)
}
