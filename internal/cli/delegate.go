package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"errand/api"
	"errand/internal/cli/chat"
	"errand/internal/cli/console"
	"errand/internal/core"
)

func newDelegate(shared *cli) *cobra.Command {
	c := taskCommands{shared}
	var chatName, deliverTo, session string
	var messages int
	var wait bool
	var procedure string
	var d decides
	cmd := &cobra.Command{
		Use:   "delegate AGENT[,AGENT…] TEXT",
		Short: "Give an agent a task, without a conversation",
		Long: `Creates a task. Its result comes to --chat; otherwise errand tasks result ID shows it.
With --wait, prints the result when it arrives, and fails if the task fails.

With --expect decision each agent answers YES, NO or ABSTAIN, and --policy counts their
verdicts: all, any, majority or quorum:3, and after it weights:finn=2, veto:priest,
rest:finish. --wait then prints a table, and the exit code is 0 for YES, 1 for NO, and 4 for a
tie or a missing quorum.

With --procedure NAME, a procedure in errand.yaml decides which agents to ask and what follows,
and all words are its text.`,
		Example: `  errand delegate sasha "compare night trains to Oslo" --wait
  errand delegate sasha,priest "may we fly to Oslo?" --chat holidays
  errand delegate finn,priest "is this release good?" --expect decision --policy all --wait
  errand delegate finn "fix the build" --deliver-to telegram/finn
  errand delegate --procedure release "version 1.4" --wait`,
		Args: func(cmd *cobra.Command, args []string) error {
			if procedure != "" {
				return nil
			}
			return cobra.MinimumNArgs(2)(cmd, args)
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return c.completeAgents(cmd, args, prefix)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			task := api.NewTask{Chat: chatName, DeliverTo: deliverTo, Procedure: procedure}
			if session != "" {
				task.Context = &api.Context{Session: session, N: messages}
			}
			if procedure != "" {
				task.Text = strings.Join(args, " ")
			} else {
				task.Agents, task.Text = core.AgentNames(args[0]), strings.Join(args[1:], " ")
			}
			d.into(&task)
			return c.delegate(cmd.Context(), task, wait)
		},
	}
	cmd.Flags().BoolVar(&wait, "wait", false, "wait for the result and print it")
	cmd.Flags().StringVar(&procedure, "procedure", "", "a procedure in errand.yaml, instead of AGENT")
	d.flags(cmd)
	cmd.Flags().StringVar(&chatName, "chat", "", "the chat that gets the result")
	cmd.Flags().StringVar(&deliverTo, "deliver-to", "", "your chat on any channel that gets the result, such as telegram/finn, or an agent's name")
	cmd.Flags().StringVar(&session, "context", "", "your session whose last messages go with the task (id, or its beginning)")
	cmd.Flags().IntVar(&messages, "messages", 0, "how many messages go with the task (default 10, at most 20)")
	return cmd
}

func (c taskCommands) delegate(ctx context.Context, in api.NewTask, wait bool) error {
	task, err := api.Call(ctx, c.API(), api.CreateTask, api.CreateTaskInput{Body: in})
	if err != nil {
		return err
	}
	if wait {
		return c.await(ctx, task)
	}
	t, done, err := console.One(&c.Console, task, err)
	if done || err != nil {
		return err
	}
	fmt.Fprintf(c.Out, "%s is with %s. See errand tasks show %s\n", line(string(t.ID)), line(t.AgentList()), line(string(t.ID)))
	return nil
}

const (
	longPoll  = 20                     // seconds that the worker may wait for the end of a task before it answers
	pollEvery = 300 * time.Millisecond // the pause before the next request
)

// await waits for the end of a task, even if the worker restarts, and prints its outcome.
func (c taskCommands) await(ctx context.Context, task api.Answer[api.Task]) error {
	p := chat.NewPrinter(&c.Console)
	defer p.End()
	next := time.NewTimer(0)
	defer next.Stop()
	for {
		t := task.Value.Task
		if t.State.Terminal() {
			break
		}
		p.Working(t)
		select {
		case <-ctx.Done():
			p.End()
			return console.Failf("stopped waiting; %s continues. See its result with errand tasks result %s", t.ID, t.ID)
		case <-next.C:
		}
		got, err := api.Call(ctx, c.API(), api.GetTask, api.GetTaskInput{TaskID: api.TaskID{ID: string(t.ID)}, Wait: longPoll})
		switch {
		case err == nil:
			p.Trouble(nil)
			task = got
		case ctx.Err() != nil: // the next iteration reports it
		case console.Retryable(err) || errors.Is(err, context.DeadlineExceeded):
			p.Trouble(err)
		default:
			return err
		}
		next.Reset(pollEvery)
	}
	p.End()
	if c.JSON {
		if err := c.PrintJSON(task.Raw); err != nil {
			return err
		}
	}
	return c.outcome(task.Value.Task, c.JSON)
}
