// Package chat talks with agents from a console: one message, lines of a script, or a
// terminal that shows replies above the line being typed.
package chat

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"errand/api"
	"errand/internal/cli/console"
	"errand/internal/core"
)

// A Chat is one conversation of a person at a console, or of a script.
type Chat struct {
	*console.Console
	*Conversation
	// ReplyOnly prints only replies and results.
	ReplyOnly bool
	// History is the file that keeps sent messages; empty: none.
	History string
	report  func(context.Context, error) int
}

// New returns the chat of c in conv. report prints why one of many messages has no reply.
func New(c *console.Console, conv *Conversation, report func(context.Context, error) int) *Chat {
	return &Chat{Console: c, Conversation: conv, report: report}
}

// OncePatience is how long a script waits for a worker that has gone away.
const OncePatience = 2 * time.Minute

// Once sends one message, optionally with files, and prints its reply. With follow it then
// prints all further events, with wait the results of the tasks it started.
func (t *Chat) Once(ctx context.Context, text string, files []api.SentFile, follow, wait bool) error {
	p := t.printer()
	w := &openTasks{tasks: map[core.TaskID]bool{}}
	err := t.sendText(ctx, text, files, p, w.note)
	switch {
	case err == nil && follow:
		return t.stay(ctx, p)
	case err == nil && wait:
		return t.await(ctx, w, p)
	}
	return err
}

func (t *Chat) printer() *Printer {
	p := NewPrinter(t.Console)
	p.ReplyOnly = t.ReplyOnly
	return p
}

// Lines sends each line of the input. It continues after a failure, and returns an
// error at the end.
func (t *Chat) Lines(ctx context.Context, follow bool) error {
	p := t.printer()
	in := bufio.NewReader(t.In)
	bad := 0
	for {
		text, readErr := in.ReadString('\n')
		if strings.TrimSpace(text) != "" {
			var f *console.Failure
			var no *api.Problem
			switch err := t.sendText(ctx, strings.TrimRight(text, "\r\n"), nil, p, func(console.Event) {}); {
			case errors.As(err, &f) && f.Code == console.ExitFailed, errors.As(err, &no):
				bad++
				t.report(ctx, err)
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
		return console.Failf("%d of the messages got no reply", bad)
	}
	if follow {
		return t.stay(ctx, p)
	}
	return nil
}

// sendText prints events until the reply, and passes each to seen.
func (t *Chat) sendText(ctx context.Context, text string, files []api.SentFile, p *Printer, seen func(console.Event)) error {
	if isNumber(text) {
		q := t.waiting(ctx)
		text = q.meant(text)
	}
	m := NewMessage(text)
	m.Files = files
	if p.beside = t.Out; !t.OutTTY && !m.Command() {
		p.beside = t.Err
	}
	defer func() { p.beside = t.Out }()
	confirmed := false
	t.Patience = OncePatience
	t.Conversation.Trouble = p.Trouble
	var bad error
	accepted := func() {
		t.Met, confirmed = true, true
		if !t.ReplyOnly {
			p.remark(t.Hindrances(ctx))
		}
	}
	err := t.Send(ctx, m, accepted, func(e console.Event) bool {
		seen(e)
		p.Print(e)
		switch e.Type {
		case core.EventError:
			bad = console.Failf("%s", cmp.Or(e.Body(), "no reply, and errand gave no reason"))
		case core.EventReply, core.EventQuestion:
			bad = nil
		}
		return e.Type != core.EventQuestion || e.Task != ""
	})
	p.End()
	if ctx.Err() != nil && confirmed {
		return console.Failf("stopped waiting; the answer will come to the chat: errand chat --chat %q", t.Chat)
	}
	return errors.Join(err, bad)
}

func (t *Chat) stay(ctx context.Context, p *Printer) error {
	err := t.Follow(ctx, p.last, func(e console.Event) bool {
		// Without an id to start after, the log begins with old events.
		if p.last != "" || e.Created.IsZero() || !e.Created.Before(t.Began) {
			p.Print(e)
		}
		return true
	})
	p.End()
	if ctx.Err() != nil {
		return nil // Ctrl-C is the normal end
	}
	return err
}
