package chat

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/google/uuid"

	"errand"
	api "errand/client"
	"errand/internal/cli/client"
	"errand/internal/cli/words"
	"errand/internal/team"
)

// A Conversation is one chat on the worker. It outlives restarts of the worker:
// it tries again, and repeats what was not confirmed under the same message id.
type Conversation struct {
	*client.Worker
	Chat string
	// Met says that the worker was there, so that it is worth waiting for.
	Met bool
	// Trouble is told when the worker is gone, with nil when it is back.
	Trouble func(error)
	// Patience bounds how long Send tries in vain; 0: without end.
	Patience time.Duration
	// wait pauses after that many failures in a row.
	wait func(ctx context.Context, failures int) error
	// quiet is how long a stream of events may say nothing, not even a comment.
	quiet time.Duration
}

func NewConversation(w *client.Worker, chat string) *Conversation {
	return &Conversation{Worker: w, Chat: chat, Trouble: func(error) {}, wait: backOff, quiet: time.Minute}
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

type Outgoing struct {
	Text      string         `json:"text"`
	MessageID string         `json:"message_id"`
	Files     []api.FileSent `json:"files,omitempty"`
}

func (m Outgoing) body() api.SendMessageBody {
	return api.SendMessageBody{Text: &m.Text, MessageID: &m.MessageID, Files: m.Files}
}

// ReadFiles reads files that a message is to bring.
func ReadFiles(l words.Language, paths []string) ([]api.FileSent, error) {
	var files []api.FileSent
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, l.Errorf("read what to send: %w", err)
		}
		files = append(files, api.FileSent{Name: filepath.Base(path), Data: data})
	}
	return files, nil
}

// NewMessage draws the id under which text may be sent as often as need be.
func NewMessage(text string) Outgoing { return Outgoing{Text: text, MessageID: uuid.NewString()} }

// errNoReply means that the worker ended its answer without saying anything.
var errNoReply = errors.New("errand ended its answer without a reply")

// Deliver sends m until the worker has confirmed it, and does not wait for its
// reply. A command is answered.
func (c *Conversation) Deliver(ctx context.Context, m Outgoing) (answer string, err error) {
	t := retry{Conversation: c, met: c.Met}
	for {
		got, err := api.Read[api.Reply](c.API().SendMessage(ctx, c.Chat, m.body(), &api.SendMessageParams{Wait: "false"}, api.JSON))
		var unknown *api.UnknownAnswerError
		if err == nil || errors.As(err, &unknown) {
			t.success()
			return got.Value.Reply.Text, err
		}
		if err := t.failure(ctx, err); err != nil {
			return "", err
		}
	}
}

// maxSilent is how often the worker may end its answer at once, without a reply.
const maxSilent = 5

// Send sends m until the worker has answered it, and passes on what is said
// meanwhile, durable events once. accepted is called once, when the worker has
// confirmed that it has m.
func (c *Conversation) Send(ctx context.Context, m Outgoing, accepted func(), each func(client.Event) bool) error {
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
		}, func(e client.Event) bool {
			if seen(e.SSE, last) {
				return true
			}
			last = cmp.Or(e.SSE, last)
			replied = replied || e.Ends()
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
func (c *Conversation) sendOnce(ctx context.Context, m Outgoing, accepted func(), each func(client.Event) bool) (over bool, _ error) {
	resp, err := c.Unbounded().SendMessage(ctx, c.Chat, m.body(), nil, api.Stream)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	accepted()
	noticed, ended := false, false
	err = client.ReadEvents(resp.Body, func() {}, func(e client.Event) bool {
		noticed = noticed || e.Type == errand.EventNotice
		ended = !each(e)
		return !ended
	})
	switch {
	case ended, err == nil && noticed && m.Command():
		return true, nil
	case err == nil:
		err = errNoReply // it ended, or gave up waiting: the reply will come all the same
	}
	return false, c.BrokeOff(err)
}

// Command reports whether m is answered by errand itself.
func (m Outgoing) Command() bool { return errand.IsCommand(m.Text) || team.Has(m.Text) }

// Follow passes on the events of the chat after the one with id last, until
// each returns false or ctx is done. Without an id it begins with the latest
// ones.
func (c *Conversation) Follow(ctx context.Context, last string, each func(client.Event) bool) error {
	t := retry{Conversation: c, met: true}
	for {
		err := c.followOnce(ctx, last, t.success, func(e client.Event) bool {
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

// followOnce returns nil when each has had enough.
func (c *Conversation) followOnce(ctx context.Context, last string, open func(), each func(client.Event) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var from api.GetEventsParams
	if id, err := strconv.ParseInt(last, 10, 64); err == nil {
		from.LastEventID = &id
	}
	// A connection that is dead and does not say so is silent.
	silence := time.AfterFunc(c.quiet, cancel)
	defer silence.Stop()
	resp, err := c.Unbounded().GetEvents(ctx, c.Chat, &from, api.Stream)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	open()
	enough := false
	err = client.ReadEvents(resp.Body, func() { silence.Reset(c.quiet) }, func(e client.Event) bool {
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
