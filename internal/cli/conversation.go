package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/google/uuid"

	"errand"
)

// A conversation is one chat on the worker. It outlives restarts of the worker:
// it tries again, and repeats what was not confirmed under the same message id.
type conversation struct {
	*worker
	chat string
	// met says that the worker was there, so that it is worth waiting for.
	met bool
	// trouble is told when the worker is gone, with nil when it is back.
	trouble func(error)
	// patience bounds how long send tries in vain; 0: without end.
	patience time.Duration
	// wait pauses after that many failures in a row.
	wait func(ctx context.Context, failures int) error
	// quiet is how long a stream of events may say nothing, not even a comment.
	quiet time.Duration
}

func newConversation(w *worker, chat string) *conversation {
	return &conversation{worker: w, chat: chat, trouble: func(error) {}, wait: backOff, quiet: time.Minute}
}

// backOff waits longer after every failure, up to three seconds.
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

type outgoing struct {
	Text      string `json:"text"`
	MessageID string `json:"message_id"`
}

// newMessage draws the id under which text may be sent as often as need be.
func newMessage(text string) outgoing { return outgoing{text, uuid.NewString()} }

// errNoReply means that the worker ended its answer without saying anything.
var errNoReply = errors.New("errand ended its answer without a reply")

// deliver sends m until the worker has confirmed it, and does not wait for its
// reply. A command is answered.
func (c *conversation) deliver(ctx context.Context, m outgoing) (answer string, err error) {
	t := trial{conversation: c, met: c.met}
	for {
		raw, err := c.post(ctx, chatPath(c.chat, "messages")+"?wait=false", m)
		if err == nil {
			t.success()
			var got struct{ Reply struct{ Text string } }
			err = json.Unmarshal(raw, &got)
			return got.Reply.Text, err
		}
		if err := t.failure(ctx, err); err != nil {
			return "", err
		}
	}
}

// maxSilent is how often the worker may end its answer at once, without a reply.
const maxSilent = 5

// send sends m until the worker has answered it, and passes on what is said
// meanwhile, durable events once. accepted is called once, when the worker has
// confirmed that it has m.
func (c *conversation) send(ctx context.Context, m outgoing, accepted func(), each func(event) bool) error {
	t := trial{conversation: c, met: c.met}
	last, silent, replied := "", 0, false
	for {
		began := time.Now()
		over, err := c.sendOnce(ctx, m, func() {
			if !t.confirmed {
				t.confirmed = true
				accepted()
			}
			t.success()
		}, func(e event) bool {
			if seen(e.sse, last) {
				return true
			}
			last = first(e.sse, last)
			replied = replied || e.ends()
			return each(e)
		})
		if errors.Is(err, errNoReply) && replied {
			return nil // not at the first reply: a turn that ran may have had its own
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

// sendOnce reports over when m has been answered.
func (c *conversation) sendOnce(ctx context.Context, m outgoing, accepted func(), each func(event) bool) (over bool, _ error) {
	header := http.Header{"Accept": {"text/event-stream"}}
	resp, err := c.do(ctx, http.MethodPost, chatPath(c.chat, "messages"), m, header)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	accepted()
	noticed, ended := false, false
	err = readEvents(resp.Body, func() {}, func(e event) bool {
		noticed = noticed || e.Type == errand.EventNotice
		ended = !each(e)
		return !ended
	})
	switch {
	case ended, err == nil && noticed && m.command():
		return true, nil
	case err == nil:
		err = errNoReply // it ended, or gave up waiting: the reply will come all the same
	}
	return false, &connectError{c.base, true, err}
}

// command reports whether m is answered by errand itself.
func (m outgoing) command() bool { return errand.IsCommand(m.Text) }

// follow passes on the events of the chat after the one with id last, until
// each returns false or ctx is done. Without an id it begins with the latest
// ones.
func (c *conversation) follow(ctx context.Context, last string, each func(event) bool) error {
	t := trial{conversation: c, met: true}
	for {
		err := c.followOnce(ctx, last, t.success, func(e event) bool {
			if seen(e.sse, last) {
				return true
			}
			last = first(e.sse, last)
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

// followOnce returns nil when each has had enough.
func (c *conversation) followOnce(ctx context.Context, last string, open func(), each func(event) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	header := http.Header{"Accept": {"text/event-stream"}}
	if last != "" {
		header.Set("Last-Event-ID", last)
	}
	// A connection that is dead and does not say so is silent.
	silence := time.AfterFunc(c.quiet, cancel)
	defer silence.Stop()
	resp, err := c.do(ctx, http.MethodGet, chatPath(c.chat, "events"), nil, header)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	open()
	enough := false
	err = readEvents(resp.Body, func() { silence.Reset(c.quiet) }, func(e event) bool {
		enough = !each(e)
		return !enough
	})
	if enough {
		return nil
	}
	if err == nil {
		err = io.ErrUnexpectedEOF
	}
	return &connectError{c.base, true, err}
}
