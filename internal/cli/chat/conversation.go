package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/google/uuid"

	"errand/api"
	"errand/internal/cli/console"
	"errand/internal/core"
)

// A Conversation is one chat on the worker. It survives restarts of the worker: it
// retries, and sends an unconfirmed message again under the same message id.
type Conversation struct {
	*console.Worker
	Chat string
	// Met says that the worker has responded before, so it is worth waiting for.
	Met bool
	// Trouble is called with an error when the worker is gone, and with nil when it is back.
	Trouble func(error)
	// Patience limits how long Send retries; 0: no limit.
	Patience time.Duration
	// wait pauses after the given number of failures in a row.
	wait func(ctx context.Context, failures int) error
	// quiet is how long a stream may be silent, without even a comment.
	quiet time.Duration
}

func NewConversation(w *console.Worker, chat string) *Conversation {
	return &Conversation{Worker: w, Chat: chat, Trouble: func(error) {}, wait: backOff, quiet: time.Minute}
}

// backOff waits longer after each failure, up to three seconds.
func backOff(ctx context.Context, failures int) error {
	t := time.NewTimer(min(200*time.Millisecond<<min(failures, 6), 3*time.Second))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

type Outgoing struct {
	Text      string         `json:"text"`
	MessageID string         `json:"message_id"`
	Files     []api.SentFile `json:"files,omitempty"`
}

func (c *Conversation) input(m Outgoing) (in api.SendMessageInput) {
	in.Chat = c.Chat
	in.Body.Text, in.Body.MessageID = m.Text, m.MessageID
	in.Body.Files = m.Files
	return in
}

// ReadFiles reads files to send with a message.
func ReadFiles(paths []string) ([]api.SentFile, error) {
	var files []api.SentFile
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read what to send: %w", err)
		}
		files = append(files, api.SentFile{Name: filepath.Base(path), Data: data})
	}
	return files, nil
}

// NewMessage returns a message with a new id, so that it can be sent repeatedly.
func NewMessage(text string) Outgoing { return Outgoing{Text: text, MessageID: uuid.NewString()} }

var errNoReply = errors.New("errand ended its answer without a reply")

// Deliver sends m until the worker has confirmed it. It does not wait for a reply, but
// returns the answer to a command.
func (c *Conversation) Deliver(ctx context.Context, m Outgoing) (answer string, err error) {
	t, in := retry{Conversation: c, met: c.Met}, c.input(m)
	in.Wait = "false"
	for {
		got, err := api.Call(ctx, c.API(), api.SendMessage, in)
		var unknown *api.UnknownAnswerError
		if err == nil || errors.As(err, &unknown) {
			t.success()
			if reply := got.Value.MessageReply; reply != nil && reply.Reply != nil {
				answer = reply.Reply.Text
			}
			return answer, err
		}
		if err := t.failure(ctx, err); err != nil {
			return "", err
		}
	}
}

// maxSilent is how often the worker may at once end its answer without a reply.
const maxSilent = 5

// Send sends m until the worker has answered it. It passes the events meanwhile to each,
// stored ones only once. It calls accepted once, when the worker has confirmed m.
func (c *Conversation) Send(ctx context.Context, m Outgoing, accepted func(), each func(console.Event) bool) error {
	t := retry{Conversation: c, met: c.Met}
	last, silent, replied := "", 0, false
	for {
		began := time.Now()
		over, err := c.sendOnce(ctx, m, func() {
			if !t.confirmed {
				t.confirmed = true
				accepted()
			}
			t.success()
		}, func(e console.Event) bool {
			if seen(e.SSE, last) {
				return true
			}
			last = cmp.Or(e.SSE, last)
			replied = replied || e.Ends()
			return each(e)
		})
		if errors.Is(err, errNoReply) && replied {
			return nil // not at the first reply, which may belong to an earlier turn
		}
		if errors.Is(err, errNoReply) && time.Since(began) < time.Second {
			silent++
		}
		if over || err == nil || silent == maxSilent {
			return err
		}
		if err := t.failure(ctx, err); err != nil {
			return err
		}
	}
}

func (c *Conversation) sendOnce(ctx context.Context, m Outgoing, accepted func(), each func(console.Event) bool) (over bool, _ error) {
	resp, err := api.Open(ctx, c.Unbounded(), api.StreamReply, c.input(m))
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	accepted()
	noticed, ended := false, false
	err = console.ReadEvents(resp.Body, func() {}, func(e console.Event) bool {
		noticed = noticed || e.Type == core.EventNotice
		ended = !each(e)
		return !ended
	})
	switch {
	case ended, err == nil && noticed && m.Command():
		return true, nil
	case err == nil:
		err = errNoReply // the stream ended or timed out: the reply will still come
	}
	return false, c.BrokeOff(err)
}

// Command reports whether errand itself answers m.
func (m Outgoing) Command() bool { return core.IsCommand(m.Text) || core.HasTeamCall(m.Text) }

// Follow passes the events of the chat after the id last to each, until each returns false
// or ctx is done. Without an id it starts with the latest events.
func (c *Conversation) Follow(ctx context.Context, last string, each func(console.Event) bool) error {
	t := retry{Conversation: c, met: true}
	for {
		err := c.followOnce(ctx, last, t.success, func(e console.Event) bool {
			if seen(e.SSE, last) {
				return true
			}
			last = cmp.Or(e.SSE, last)
			return each(e)
		})
		if err == nil {
			return nil
		}
		if err := t.failure(ctx, err); err != nil {
			return err
		}
	}
}

// followOnce returns nil if each has returned false.
func (c *Conversation) followOnce(ctx context.Context, last string, open func(), each func(console.Event) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	from := api.EventsInput{ChatName: api.ChatName{Chat: c.Chat}}
	if _, err := strconv.ParseInt(last, 10, 64); err == nil {
		from.LastEventID = api.EventID(last)
	}
	// A dead connection shows only by its silence.
	silence := time.AfterFunc(c.quiet, cancel)
	defer silence.Stop()
	resp, err := api.Open(ctx, c.Unbounded(), api.GetEvents, from)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	open()
	enough := false
	err = console.ReadEvents(resp.Body, func() { silence.Reset(c.quiet) }, func(e console.Event) bool {
		enough = !each(e)
		return !enough
	})
	if enough {
		return nil
	}
	if err == nil {
		err = io.ErrUnexpectedEOF
	}
	return c.BrokeOff(err)
}
