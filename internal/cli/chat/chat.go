// Package chat talks with agents from a console: one message, lines of a script,
// or a terminal on which replies come in above the line that is typed.
package chat

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"errand"
	api "errand/client"
	"errand/internal/cli/client"
	"errand/internal/cli/console"
)

// A Chat is one conversation of somebody at a console, or of a script.
type Chat struct {
	*console.Console
	*Conversation
	// ReplyOnly leaves out all but replies and results.
	ReplyOnly bool
	// History is the file that keeps what was typed, to be found again; empty: none does.
	History string
	report  func(context.Context, error) int
}

// New returns the chat of c in conv. Report prints why one of many messages has
// no reply.
func New(c *console.Console, conv *Conversation, report func(context.Context, error) int) *Chat {
	return &Chat{Console: c, Conversation: conv, report: report}
}

// OncePatience is how long a script waits for a worker that has gone away.
const OncePatience = 2 * time.Minute

// Once sends one message, with files or without, and prints its reply, and what comes of it.
func (t *Chat) Once(ctx context.Context, text string, files []api.FileSent, follow, wait bool) error {
	p := t.printer()
	w := &openTasks{tasks: map[errand.TaskID]bool{}}
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

// Lines sends every line of the input. It goes on after one that failed, and
// fails in the end.
func (t *Chat) Lines(ctx context.Context, follow bool) error {
	p := t.printer()
	in := bufio.NewReader(t.In)
	bad := 0
	for {
		text, readErr := in.ReadString('\n')
		if strings.TrimSpace(text) != "" {
			var f *console.Failure
			var no *api.Problem
			switch err := t.sendText(ctx, strings.TrimRight(text, "\r\n"), nil, p, func(client.Event) {}); {
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
			return t.Errorf("read messages: %w", readErr)
		}
	}
	if bad > 0 {
		return failed(t.Words.Say("{n} of the messages had no reply", "n", strconv.Itoa(bad)))
	}
	if follow {
		return t.stay(ctx, p)
	}
	return nil
}

// sendText sends text and prints what comes until its reply. seen is told all of it.
func (t *Chat) sendText(ctx context.Context, text string, files []api.FileSent, p *Printer, seen func(client.Event)) error {
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
	err := t.Send(ctx, m, accepted, func(e client.Event) bool {
		seen(e)
		p.Print(e)
		switch e.Type {
		case errand.EventError:
			bad = failed(cmp.Or(e.Body(), t.Words.Say("no reply, and no reason given")))
		case errand.EventReply, errand.EventQuestion:
			bad = nil
		}
		return e.Type != errand.EventQuestion || e.Task != ""
	})
	p.End()
	if ctx.Err() != nil && confirmed {
		return failed(t.Words.Say("not waiting any more; the answer will be in the chat: errand chat --chat {chat}", "chat", strconv.Quote(t.Chat)))
	}
	return errors.Join(err, bad)
}

// stay prints what happens in the chat until somebody ends it.
func (t *Chat) stay(ctx context.Context, p *Printer) error {
	err := t.Follow(ctx, p.last, func(e client.Event) bool {
		// Without an id to go on from, the log begins with what is long over.
		if p.last != "" || e.Created.IsZero() || !e.Created.Before(t.Began) {
			p.Print(e)
		}
		return true
	})
	p.End()
	if ctx.Err() != nil {
		return nil // that is how following ends
	}
	return err
}

// failed ends a command that has said why.
func failed(text string) error { return &console.Failure{Code: console.ExitFailed, Text: text} }
