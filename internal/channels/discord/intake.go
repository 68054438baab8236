package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/bwmarrin/discordgo"

	"errand/internal/channels"
	"errand/internal/intake"
	"errand/internal/service"
	"errand/internal/telemetry"
)

// A chat receives the messages of one channel in order. The run's mu guards its fields.
type chat struct {
	id    string
	queue []item
	busy  bool   // a goroutine works on the queue
	last  uint64 // the highest message id so far
}

// An item is something to receive. Only one kind of field is set.
type item struct {
	message *discordgo.Message
	update  bool // message is an edited one
	deleted string
	press   *interaction
	fetch   bool // fetch missed messages with ids above after
	after   uint64
}

// Messages beyond mostWaiting are dropped from the queue and fetched later.
const mostWaiting = 1000

const mostTrips = 5

func (r *run) sort(ctx context.Context, f frame) error {
	switch f.Name {
	case "MESSAGE_CREATE", "MESSAGE_UPDATE":
		m, err := r.read(f.Data)
		if err != nil {
			return err
		}
		r.put(m.ChannelID, item{message: m, update: f.Name == "MESSAGE_UPDATE"})
	case "MESSAGE_DELETE", "MESSAGE_DELETE_BULK":
		var gone struct {
			ID      string   `json:"id"`
			IDs     []string `json:"ids"`
			Channel string   `json:"channel_id"`
		}
		if err := json.Unmarshal(f.Data, &gone); err != nil {
			return err
		}
		if gone.ID != "" {
			gone.IDs = append(gone.IDs, gone.ID)
		}
		for _, id := range gone.IDs {
			r.put(gone.Channel, item{deleted: id})
		}
	case "INTERACTION_CREATE":
		i, left, err := channels.Decode[discordgo.Interaction](f.Data, needed...)
		if err != nil {
			return err
		}
		if len(left) > 0 {
			r.Logger.Warn("interaction read only in part", "chat", i.ChannelID, "without", left)
		}
		r.interact(i)
	}
	return nil
}

// Without one of the needed fields an event could appear to have another sender or chat, or to be
// another command.
var needed = []string{"id", "channel_id", "guild_id", "type", "author", "bot", "webhook_id", "application_id", "token", "user", "member", "data", "name", "options"}

func (r *run) read(raw json.RawMessage) (*discordgo.Message, error) {
	m, left, err := channels.Decode[discordgo.Message](raw, needed...)
	if err != nil {
		return nil, err
	}
	if len(left) > 0 {
		r.Logger.Warn("message read only in part", "chat", m.ChannelID, "message", m.ID, "without", left)
	}
	m.Mentions = slices.DeleteFunc(m.Mentions, func(u *discordgo.User) bool { return u == nil })
	m.Attachments = slices.DeleteFunc(m.Attachments, func(a *discordgo.MessageAttachment) bool { return a == nil })
	return m, nil
}

// spawn runs do in a goroutine. A panic ends only that goroutine.
func (r *run) spawn(do func()) {
	r.group.Go(func() {
		defer telemetry.RecoverPanic(r.Logger, "what an event asked for", nil)
		do()
	})
}

func (r *run) put(id string, it item) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over || ParseID(id) == 0 { // id becomes part of URLs
		return
	}
	c := r.chats[id]
	if c == nil {
		c = &chat{id: id}
		r.chats[id] = c
	}
	if it.after > c.last {
		c.last = it.after
	}
	if n := len(c.queue); n >= mostWaiting && it.press == nil {
		if c.queue[n-1].fetch {
			return
		}
		it = item{fetch: true}
	}
	c.queue = append(c.queue, it)
	if !c.busy {
		c.busy = true
		r.group.Go(func() { r.work(c) })
	}
}

// work takes one item after the other, and retries each until it is committed.
func (r *run) work(c *chat) {
	for {
		r.mu.Lock()
		if len(c.queue) == 0 || r.over {
			c.busy, c.queue = false, nil
			r.mu.Unlock()
			return
		}
		it := c.queue[0]
		c.queue = c.queue[1:]
		r.mu.Unlock()
		trips := 0
		for failures := 0; ; failures++ {
			err := r.take(c, it, &trips)
			r.stuck(c.id, err)
			if err == nil || r.ended() {
				break
			}
			channels.Sleep(r.ctx, r.pause(failures))
		}
	}
}

func (r *run) take(c *chat, it item, trips *int) (err error) {
	defer func() {
		// Skip an event that panics repeatedly, so that it does not block later ones.
		p := recover()
		if p == nil {
			return
		}
		if *trips++; *trips < mostTrips {
			err = fmt.Errorf("panic: %v", p)
			return
		}
		r.Logger.Error("event skipped, because it could not be handled", "chat", c.id, "panic", p, "stack", string(debug.Stack()))
		err = nil
	}()
	switch {
	case it.message != nil:
		return r.message(c, it.message, it.update)
	case it.deleted != "":
		return r.retract(c, it.deleted)
	case it.press != nil:
		return r.pressedOn(it.press)
	case it.fetch:
		return r.fetch(c)
	}
	return nil
}

func (r *run) message(c *chat, m *discordgo.Message, update bool) error {
	if update && m.EditedTimestamp == nil {
		return nil // Discord added a link preview
	}
	in, ok := r.inbound(m, update)
	if ok {
		out, err := r.receive(in)
		if err != nil {
			return err
		}
		if !in.Unaddressed || out.Refused == "" {
			r.remember(in)
		}
	}
	if !update {
		r.mu.Lock()
		c.last = max(c.last, ParseID(m.ID))
		r.mu.Unlock()
	}
	return nil
}

// receive returns no error for a message that can never be accepted.
func (r *run) receive(in intake.Inbound) (intake.Outcome, error) {
	out, err := r.Receiver.Receive(r.ctx, in)
	var no *service.Error
	if errors.As(err, &no) {
		r.Logger.Info("message refused", "chat", in.Route.Chat, "reason", no.Code)
		return intake.Outcome{Refused: no.Code, Answer: no.Message}, nil
	}
	if err != nil {
		return out, &intakeError{err}
	}
	return out, nil
}

// retract receives a deletion, which does not name the author. In a private chat the author is the
// other person. Elsewhere only the authors of recent messages are known.
func (r *run) retract(c *chat, id string) error {
	r.mu.Lock()
	in, known := r.seen[id]
	r.mu.Unlock()
	if !known {
		where, err := r.whereIs(c.id)
		if err != nil {
			return r.unreadable(c, err)
		}
		if where.with == nil {
			return nil
		}
		in = r.from(c.id, "", where.with, nil)
		in.MessageID = id
	}
	in.Deleted = true
	_, err := r.receive(in)
	return err
}
