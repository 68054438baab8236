package service

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"strings"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/events"
	"errand/internal/ops"
	"errand/internal/rights"
	"errand/internal/store"
)

// MaxMessageFiles is the maximum number of files in a message.
const MaxMessageFiles = 10

// An Intake accepts messages. A message is durable when AcceptMessage returns without an error.
type Intake interface {
	AcceptMessage(ctx context.Context, by actor.Actor, route core.Route, in api.SendMessageInput) (api.MessageReceipt, error)
}

// An EventLog has the durable events of conversations. Production uses the store.
type EventLog interface {
	Events(ctx context.Context, key core.SessionKey, after int64, limit int) ([]core.Event, error)
	LastEvents(ctx context.Context, key core.SessionKey, before int64, n int) ([]core.Event, error)
	MessageEvent(ctx context.Context, key core.SessionKey, messageID string) (int64, error)
	TurnOfMessage(ctx context.Context, key core.SessionKey, messageID string) (owner core.Owner, turn int, ok bool, err error)
}

// An EventBus announces events, see [events.Bus].
type EventBus interface {
	Join(key core.SessionKey) (events <-chan core.Event, cancel func())
	Subscribe(key core.SessionKey) (events <-chan core.Event, cancel func())
	SubscribeLists(person core.PersonID) (changed <-chan events.Lists, cancel func())
	Live() bool
}

// Messages has the operations on messages and events. Env, Intake, Log and Bus are required.
type Messages struct {
	*Env
	Intake Intake
	Log    EventLog
	Bus    EventBus
	// MaxText is the maximum length of a text in bytes.
	MaxText int
	// ReplyTimeout is how long an operation waits for a reply; default 5 min.
	ReplyTimeout time.Duration
	// Poll is how often the log is read without an announcement; default 10 s. BlindPoll replaces
	// it while the bus is not live; default 250 ms for events, 2 s for lists.
	Poll, BlindPoll time.Duration
}

// Bind binds the operations.
func (m *Messages) Bind(r *ops.Runner) {
	ops.Bind(r, api.SendMessage, m.send)
	ops.BindStream(r, api.StreamReply, m.stream)
	ops.Bind(r, api.ListWaiting, m.listWaiting)
	ops.Bind(r, api.ListTurnChanges, m.turnChanges)
	ops.Bind(r, api.EditMessage, m.edit)
	ops.Bind(r, api.WithdrawMessage, m.withdraw)
	ops.BindStream(r, api.GetEvents, m.follow)
	ops.Bind(r, api.ListEvents, m.listEvents)
	ops.Bind(r, api.GetMessageEvent, m.messageEvent)
	ops.Bind(r, api.GetReply, m.getReply)
	ops.BindStream(r, api.WatchChanges, m.watchChanges)
}

// acceptWithin is more than the storing of a message or a command takes.
const acceptWithin = time.Minute

// A conversation is an accepted message and the subscription for its reply.
type conversation struct {
	api.MessageReceipt
	key     core.SessionKey
	passing <-chan core.Event
	cancel  func()
}

// accept accepts a message. The caller must close the conversation; the reply reaches the log
// anyway. accept removes what the message brought from in, because the wait for the reply may be
// long.
func (m *Messages) accept(ctx context.Context, by actor.Actor, in *api.SendMessageInput) (c conversation, err error) {
	if err := m.may(by, rights.SessionsFollow); err != nil {
		return c, err
	}
	route, err := WebRoute(in.Chat)
	if err != nil {
		return c, err
	}
	if n := len(in.Body.Files); n > MaxMessageFiles {
		return c, Refuse(KindTooLarge, "too_many_files", "refusal.files_many", "most", MaxMessageFiles, "files", n)
	}
	c.key = core.NewSessionKey(route, by.Person)
	c.passing, c.cancel = m.Bus.Subscribe(c.key) // before accepting, because the reply may come at once
	// A server that stops ends the wait, but not the acceptance of a message.
	accepting, done := context.WithTimeout(context.WithoutCancel(ctx), acceptWithin)
	defer done()
	if c.MessageReceipt, err = m.Intake.AcceptMessage(accepting, by, route, *in); err == nil {
		in.Body.Files, in.Outputs, in.Tools = nil, nil, nil
		ops.Stored(ctx)
		c.Event, c.EventErr = m.Log.MessageEvent(accepting, c.key, c.MessageID)
	}
	if err == nil && in.Accepted != nil {
		err = in.Accepted(c.MessageReceipt)
	}
	if err != nil {
		c.cancel()
	}
	return c, err
}

func (m *Messages) send(ctx context.Context, by actor.Actor, in api.SendMessageInput) (out api.MessageAnswer, err error) {
	c, err := m.accept(ctx, by, &in)
	if err != nil {
		return out, err
	}
	defer c.cancel()
	waits := in.Wait != "false"
	switch {
	case c.Answer != "" && !(c.HasMessage && waits):
		return api.MessageAnswer{MessageReply: &api.MessageReply{Command: true, Reply: &api.ReplyText{Text: c.Answer}}}, nil
	case !waits:
		return api.MessageAnswer{MessageAccepted: &api.MessageAccepted{Accepted: true, Duplicate: &c.Duplicate, MessageID: c.MessageID}}, nil
	}
	reply := api.MessageReply{Tasks: []core.TaskID{}}
	var stopped error
	var down core.Event
	reply.Event, err = m.reply(ctx, c, in.Within, func(e core.Event) error {
		if e.Type == core.EventTask && e.State == core.Submitted {
			reply.Tasks = append(reply.Tasks, e.Task)
		}
		if in.Event != nil {
			stopped = in.Event(e)
		}
		if e.Cause == core.ModelDown && e.Task == "" && stopped == nil {
			down = e // The program reads this as the error. The reply comes later as an event.
			return errReplied
		}
		return stopped
	})
	if down.ID > 0 {
		reply.Event = down
	}
	switch {
	case stopped != nil, isWithdrawn(err):
		return out, err
	case err != nil: // the reply will reach the log
		return api.MessageAnswer{MessageAccepted: &api.MessageAccepted{Accepted: true, MessageID: c.MessageID}}, nil
	}
	e := reply.Event
	reply.Session = &e.Session
	if e.Turn > 0 {
		reply.Turn = &e.Turn
	}
	if e.Type == core.EventReply || e.Type == core.EventQuestion {
		reply.Reply = &api.ReplyText{Agent: e.Agent, Options: e.Options, Text: e.Text}
	} else {
		reply.Error = &api.ProblemError{Code: cmp.Or(e.Cause, "no_reply"), Message: e.Text}
	}
	return api.MessageAnswer{MessageReply: &reply}, nil
}

// stream sends the events up to the reply, or up to a notice why no reply follows.
func (m *Messages) stream(ctx context.Context, by actor.Actor, in api.SendMessageInput) (iter.Seq2[core.Event, error], error) {
	c, err := m.accept(ctx, by, &in)
	if err != nil {
		return nil, err
	}
	notice := func(text string) core.Event {
		return core.Event{Type: core.EventNotice, Text: text, Created: time.Now()}
	}
	return func(yield func(core.Event, error) bool) {
		defer c.cancel()
		if c.Answer != "" && (!yield(notice(c.Answer), nil) || !c.HasMessage) {
			return
		}
		_, err := m.reply(ctx, c, in.Within, func(e core.Event) error { return sent(yield(e, nil)) })
		phrases := m.readersTexts(by)
		var refused *Error
		switch {
		case err == nil, errors.Is(err, errReaderGone):
		case isWithdrawn(err) && errors.As(err, &refused):
			yield(notice(refused.Text(phrases)), nil)
		default:
			yield(notice(phrases.Localize("message.no_reply_yet")), nil)
		}
	}, nil
}

var (
	errReplied    = errors.New("replied")
	errReaderGone = errors.New("the client has disconnected")
)

func sent(ok bool) error {
	if ok {
		return nil
	}
	return errReaderGone
}

// codeWithdrawn means that the person took the message back before a turn took it.
const codeWithdrawn = "withdrawn"

func isWithdrawn(err error) bool {
	var no *Error
	return errors.As(err, &no) && no.Code == codeWithdrawn
}

// reply sends the events after a message, and returns its reply: an answer, a question, or a notice
// why no reply follows.
func (m *Messages) reply(ctx context.Context, c conversation, within time.Duration, send func(core.Event) error) (reply core.Event, err error) {
	if c.EventErr != nil {
		return reply, c.EventErr
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(within, m.ReplyTimeout, 5*time.Minute))
	defer cancel()
	err = m.followJoined(ctx, c.key, reading{after: c.Event}, c.passing, func(e core.Event) error {
		if e.Type == core.EventMessage {
			if e.Cause == core.Withdrawn && e.Message == c.MessageID {
				return Refuse(KindConflict, codeWithdrawn, "refusal.taken_back")
			}
			return nil
		}
		if err := send(e); err != nil || e.ID == 0 {
			return err
		}
		answers, err := m.answers(ctx, e, c.key, c.MessageID)
		if err == nil && answers {
			reply, err = e, errReplied
		}
		return err
	})
	if errors.Is(err, errReplied) {
		return reply, nil
	}
	return reply, err
}

// answers reports whether e ends the turn of a message: its reply, or a notice why no reply
// follows. If the turn was interrupted, e may belong to a later one.
func (m *Messages) answers(ctx context.Context, e core.Event, key core.SessionKey, messageID string) (bool, error) {
	switch {
	case e.Type == core.EventReply, e.Type == core.EventError:
	case (e.Type == core.EventQuestion || e.Type == core.EventNotice) && e.Turn > 0: // others are shown separately
	default:
		return false, nil
	}
	owner, turn, ok, err := m.Log.TurnOfMessage(ctx, key, messageID)
	if err != nil || !ok {
		return false, err
	}
	return owner != core.SessionOwner(e.Session) || e.Turn >= turn, nil
}

func (m *Messages) listWaiting(ctx context.Context, by actor.Actor, in api.ChatName) ([]core.WaitingMessage, error) {
	route, err := WebRoute(in.Chat)
	if err != nil {
		return nil, err
	}
	return m.Store.WaitingMessages(ctx, core.NewSessionKey(route, by.Person))
}

func (m *Messages) turnChanges(ctx context.Context, by actor.Actor, in api.SentMessageID) ([]core.TurnChange, error) {
	if err := m.may(by, rights.SessionsFollow); err != nil {
		return nil, err
	}
	route, err := WebRoute(in.Chat)
	if err != nil {
		return nil, err
	}
	list, err := m.Store.TurnChanges(ctx, core.NewSessionKey(route, by.Person), in.Message)
	return list, Replaceable(err)
}

// Replaceable returns the refusal for an error about a turn that cannot be replaced.
func Replaceable(err error) error {
	if errors.Is(err, store.ErrNotLast) {
		return conflict("not_last", "refusal.not_last")
	}
	return Known(err)
}

func (m *Messages) edit(ctx context.Context, by actor.Actor, in api.EditMessageInput) (out api.MessageChanged, err error) {
	route, err := WebRoute(in.Chat)
	if err != nil {
		return out, err
	}
	text, err := CleanText(in.Body.Text, m.MaxText)
	if err != nil {
		return out, err
	}
	if core.IsCommand(text) {
		return out, Invalid("command", "refusal.edit_command")
	}
	if strings.HasPrefix(text, "//") { // an escaped slash, as in a new message
		text = text[1:]
	}
	return api.MessageChanged{MessageID: in.Message}, taken(m.Store.EditWaiting(ctx, core.NewSessionKey(route, by.Person), in.Message, text))
}

func (m *Messages) withdraw(ctx context.Context, by actor.Actor, in api.WaitingMessageID) (out api.MessageChanged, err error) {
	route, err := WebRoute(in.Chat)
	if err != nil {
		return out, err
	}
	return api.MessageChanged{MessageID: in.Message}, taken(m.Store.Withdraw(ctx, core.NewSessionKey(route, by.Person), in.Message))
}

func taken(err error) error {
	if errors.Is(err, store.ErrClosed) {
		return conflict("taken", "refusal.message_taken")
	}
	return Known(err)
}
