package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"errand"
)

func newChat(c *cli) *cobra.Command {
	var chat, agent string
	var follow, wait bool
	cmd := &cobra.Command{
		Use:   "chat [TEXT]",
		Short: "Talk to the agents",
		Long: `With TEXT, sends it, prints the reply and ends. Without, talks on a terminal
until Ctrl-D; elsewhere, each line of the input is a message, answered in turn.
With --wait, also prints the results of the tasks that the message has begun, ends
when all are there, and fails if one did not succeed. With --follow, prints whatever
comes until it is ended.
Where an agent asks and offers answers, the number of one is that answer.`,
		Example: `  errand chat "ask Sasha to compare night trains to Oslo, in the background"
  errand chat --wait "ask Sasha to compare night trains to Oslo, in the background"
  errand chat --chat holidays
  errand chat --agent finn "why does this deadlock?"
  echo "what is open?" | errand chat --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			talk := newConversation(c.worker, chat)
			if agent != "" {
				if err := c.handOver(cmd.Context(), talk, strings.ToLower(agent)); err != nil {
					return err
				}
			}
			if len(args) > 0 {
				return c.once(cmd.Context(), talk, strings.Join(args, " "), follow, wait)
			}
			if wait {
				return &failure{usage, "--wait needs TEXT"}
			}
			if c.inTTY && c.outTTY && !c.json {
				return c.talk(cmd.Context(), talk)
			}
			return c.lines(cmd.Context(), talk, follow)
		},
	}
	cmd.Flags().StringVar(&chat, "chat", "main", "name of the chat")
	cmd.Flags().StringVar(&agent, "agent", "", "talk with this agent: /agent NAME comes first, if it is another one's turn")
	// Fails only for a flag that there is not.
	_ = cmd.RegisterFlagCompletionFunc("agent", c.completeAgents)
	cmd.Flags().BoolVar(&follow, "follow", false, "stay for whatever comes, without end")
	cmd.Flags().BoolVar(&wait, "wait", false, "wait for the results of the tasks that TEXT begins")
	cmd.MarkFlagsMutuallyExclusive("wait", "follow")
	return cmd
}

// oncePatience is how long a script waits for a worker that has gone away.
const oncePatience = 2 * time.Minute

// once sends one message and prints its reply, and what comes of it.
func (c *cli) once(ctx context.Context, talk *conversation, text string, follow, wait bool) error {
	p := c.printer()
	w := &openTasks{tasks: map[errand.TaskID]bool{}}
	err := c.say(ctx, talk, text, p, w.note)
	switch {
	case err == nil && follow:
		return c.stay(ctx, talk, p)
	case err == nil && wait:
		return c.wait(ctx, talk, w, p)
	}
	return err
}

// lines sends every line of the input. It goes on after one that failed, and
// fails in the end.
func (c *cli) lines(ctx context.Context, talk *conversation, follow bool) error {
	p := c.printer()
	in := bufio.NewReader(c.in)
	bad := 0
	for {
		text, readErr := in.ReadString('\n')
		if strings.TrimSpace(text) != "" {
			var f *failure
			var no *refusal
			switch err := c.say(ctx, talk, strings.TrimRight(text, "\r\n"), p, func(event) {}); {
			case errors.As(err, &f) && f.code == failed, errors.As(err, &no):
				bad++
				c.report(ctx, err)
			case err != nil:
				return err
			}
		}
		if readErr == io.EOF {
			break
		}
		if readErr != nil {
			return fmt.Errorf("read messages: %w", readErr)
		}
	}
	if bad > 0 {
		return failf("%d of the messages had no reply", bad)
	}
	if follow {
		return c.stay(ctx, talk, p)
	}
	return nil
}

// say sends text and prints what comes until its reply. seen is told all of it.
func (c *cli) say(ctx context.Context, talk *conversation, text string, p *printer, seen func(event)) error {
	if isNumber(text) {
		q := talk.waiting(ctx)
		text = q.meant(text)
	}
	m := newMessage(text)
	if p.beside = c.out; !c.outTTY && !m.command() {
		p.beside = c.err
	}
	defer func() { p.beside = c.out }()
	confirmed := false
	talk.patience = oncePatience
	talk.trouble = p.trouble
	var bad error
	accepted := func() {
		talk.met, confirmed = true, true
		p.remark(c.hindrances(ctx))
	}
	err := talk.send(ctx, m, accepted, func(e event) bool {
		seen(e)
		p.print(e)
		switch e.Type {
		case errand.EventError:
			bad = failf("%s", first(e.body(), "no reply, and no reason given"))
		case errand.EventReply, errand.EventQuestion:
			bad = nil
		}
		return e.Type != errand.EventQuestion || e.Task != ""
	})
	p.end()
	if ctx.Err() != nil && confirmed {
		return failf("not waiting any more; the answer will be in the chat: errand chat --chat %q", talk.chat)
	}
	return errors.Join(err, bad)
}

// stay prints what happens in the chat until somebody ends it.
func (c *cli) stay(ctx context.Context, talk *conversation, p *printer) error {
	err := talk.follow(ctx, p.last, func(e event) bool {
		// Without an id to go on from, the log begins with what is long over.
		if p.last != "" || e.Created.IsZero() || !e.Created.Before(c.began) {
			p.print(e)
		}
		return true
	})
	p.end()
	if ctx.Err() != nil {
		return nil // that is how following ends
	}
	return err
}
