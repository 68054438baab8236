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

	"errand/api"
	"errand/internal/cli/console"
	"errand/internal/core"
)

type taskCommands struct{ *cli }

func newTasks(shared *cli) *cobra.Command {
	c := taskCommands{shared}
	return group("tasks", "Show tasks, and cancel, retry or continue them",
		c.newTasksList(), c.newTasksShow(), c.newTasksResult(), c.newTasksSteer(), c.newTasksContinue(), c.newTasksCancel(), c.newTasksRetry())
}

const mostTasks = 1000

func (c taskCommands) newTasksList() *cobra.Command {
	var all, watch bool
	var states []string
	in := api.ListTasksInput{Limit: mostTasks}
	var person, agent string
	cmd := &cobra.Command{
		Use: "list", Short: "List open tasks and those that ended in the last day", Args: cobra.NoArgs,
		Example: "  errand tasks list --state working,input_required --watch\n  errand tasks list --tree --agent sasha --all",
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if person, err = c.personID(cmd.Context(), person); err != nil {
				return err
			}
			in.Person.Person, in.Agent = core.PersonID(person), core.AgentName(strings.ToLower(agent))
			if len(states) > 0 {
				in.State = []core.TaskState{core.TaskState(strings.Join(states, ","))}
			}
			list := func(ctx context.Context) error { return c.listTasks(ctx, in, all) }
			if watch {
				return c.watchTasks(cmd.Context(), person, list)
			}
			return list(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also older tasks")
	cmd.Flags().BoolVar(&in.Tree, "tree", false, "show each task below the one that delegated it, with its time, the cost of its branch, and its result")
	cmd.Flags().BoolVar(&watch, "watch", false, "update the list until Ctrl-C")
	cmd.Flags().StringVar(&in.Chat, "chat", "", "only tasks of this chat")
	cmd.Flags().StringVar(&agent, "agent", "", "only notes of this agent")
	cmd.Flags().StringSliceVar(&states, "state", nil, "only tasks in this state; separate several with commas")
	cmd.Flags().StringVar(&in.Text, "text", "", "only tasks with this text in the request, the result or the id")
	cmd.Flags().StringVar(&person, "person", "", whosePerson)
	return cmd
}

func (c taskCommands) listTasks(ctx context.Context, in api.ListTasksInput, all bool) error {
	list, err := api.Call(ctx, c.API(), api.ListTasks, in)
	if err == nil && !all {
		list, err = c.recent(list)
	}
	tasks, done, err := console.Page(&c.Console, list, err)
	if done || err != nil {
		return err
	}
	if len(tasks) == 0 {
		if all {
			fmt.Fprintln(c.Out, "No tasks.")
		} else {
			fmt.Fprintln(c.Out, "No open tasks, and none of the last day. --all shows older ones.")
		}
		return nil
	}
	table := c.taskTree(tasks)
	if !in.Tree {
		table = c.taskTable(flat(tasks))
	}
	c.PrintTable(table)
	return nil
}

func (c taskCommands) recent(list api.Answer[api.List[api.Task]]) (kept api.Answer[api.List[api.Task]], err error) {
	rows, err := console.Rows(list.Raw)
	if err != nil {
		return kept, err
	}
	raw := []json.RawMessage{}
	for i, t := range list.Value.Items {
		if !t.State.Terminal() || c.Began.Sub(t.Finished) < 24*time.Hour {
			kept.Value.Items, raw = append(kept.Value.Items, t), append(raw, rows[i])
		}
	}
	kept.Raw, err = json.Marshal(raw)
	return kept, err
}

func (c taskCommands) taskTable(tasks []core.Task) *console.Table {
	t := &console.Table{Head: []string{"ID", "STATE", "AGENT", "CHAT", "STARTED", "TASK"}, Loose: []int{3, 5}, Painted: 1, Paint: c.Style.State}
	for _, task := range tasks {
		t.Add(string(task.ID), string(task.State), task.AgentList(), cmp.Or(task.Origin.Chat, "-"), c.Ago(task.Created), cmp.Or(task.Title, task.Text))
	}
	return t
}

func flat(list []api.Task) []core.Task {
	tasks := make([]core.Task, len(list))
	for i, t := range list {
		tasks[i] = t.Task
	}
	return tasks
}

func (c taskCommands) taskTree(tasks []api.Task) *console.Table {
	t := &console.Table{Head: []string{"ID", "STATE", "FROM", "AGENT", "TOOK", "COST", "IN ALL", "TASK", "RESULT"}, Loose: []int{7, 8}, Rare: []int{5, 6}, Painted: 1, Paint: c.Style.State}
	for _, b := range tasks {
		level, branch := cmp.Or(b.Level, new(int)), cmp.Or(b.Branch, new(core.BranchSum))
		t.Add(strings.Repeat("· ", *level)+string(b.ID), string(b.State), cmp.Or(string(b.From), "-"), b.AgentList(), console.Lasted(b.Took(c.Began)), c.Price(b.Cost), c.Price(branch.Cost),
			cmp.Or(b.Title, b.Text), cmp.Or(b.Preview(80), "-"))
	}
	return t
}

func (c taskCommands) newTasksResult() *cobra.Command {
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

// outcome prints the result of a task unless printed is set. It returns an error if there is no
// result.
func (c taskCommands) outcome(t core.Task, printed bool) error {
	switch {
	case t.Decision != "":
		return c.decision(t, printed)
	case t.State == core.Completed:
		if !printed {
			fmt.Fprintln(c.Out, c.rendered(t.Result))
		}
		return nil
	case t.State.Terminal():
		return console.Failf("%s is %s: %s", t.ID, t.State, cmp.Or(t.Error, "no reason given"))
	}
	return console.Failf("%s has no result yet: it is %s, started %s", t.ID, t.State, c.Ago(t.Created))
}

func (c taskCommands) newTasksCancel() *cobra.Command {
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
				return console.Failf("%s has already ended: it is %s", was.ID, was.State)
			}
			in := api.CancelTaskInput{TaskRef: changed(string(was.ID))}
			in.Body.Reason = reason
			task, err := api.Call(cmd.Context(), c.API(), api.CancelTask, in)
			t, done, err := console.One(&c.Console, task, err)
			if done || err != nil {
				return err
			}
			fmt.Fprintf(c.Out, "%s is %s.\n", line(string(t.ID)), line(string(t.State)))
			return nil
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the person who asked for the task")
	return cmd
}

func changed(id string) api.TaskRef { return api.TaskRef{TaskID: api.TaskID{ID: id}} }

func (c taskCommands) newTasksRetry() *cobra.Command {
	return &cobra.Command{
		Use: "retry ID", Short: "Retry a task, as a new task", Args: cobra.ExactArgs(1), ValidArgsFunction: c.completeTasks,
		RunE: func(cmd *cobra.Command, args []string) error {
			task, err := api.Call(cmd.Context(), c.API(), api.RetryTask, changed(args[0]))
			t, done, err := console.One(&c.Console, task, c.candidates(cmd.Context(), args[0], err))
			if done || err != nil {
				return err
			}
			fmt.Fprintf(c.Out, "Started %s, a retry of %s.\n", line(string(t.ID)), line(cmp.Or(string(t.RetryOf), args[0])))
			return nil
		},
	}
}

func (c taskCommands) completeTasks(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return offer(c.cli, cmd, listed(api.ListTasks, api.ListTasksInput{}), func(t api.Task) string { return choice(string(t.ID), string(t.State)+", "+t.Title) })
}

func (c taskCommands) task(ctx context.Context, id string) (api.Answer[api.Task], error) {
	task, err := api.Call(ctx, c.API(), api.GetTask, api.GetTaskInput{TaskID: api.TaskID{ID: id}})
	return task, c.candidates(ctx, id, err)
}

func (c taskCommands) candidates(ctx context.Context, id string, err error) error {
	var no *api.Problem
	if !errors.As(err, &no) || no.Code != "ambiguous" {
		return err
	}
	tasks, err := api.Call(ctx, c.API(), api.ListTasks, api.ListTasksInput{Limit: mostTasks})
	if err != nil {
		return err
	}
	var fit []core.Task
	prefix := strings.TrimPrefix(strings.ToLower(id), "t-")
	for _, t := range tasks.Value.Items {
		if strings.HasPrefix(strings.TrimPrefix(string(t.ID), "t-"), prefix) {
			fit = append(fit, t.Task)
		}
	}
	c.PrintTableBesides(c.taskTable(fit))
	return console.Failf("%s matches more than one task: give more of the id", id)
}
