// Package telegram is Telegram's outbound half: it sends messages, shows that an
// agent writes, and says what became of a delivery.
package telegram

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-telegram/bot/models"

	"errand"
	"errand/internal/platform/telegram"
	"errand/notifiers"
	"errand/notifiers/ratelimit"
)

// Options is what a notifier needs. Only Accounts is required.
type Options struct {
	Accounts map[string]string // token by account
	URL      string            // default https://api.telegram.org
	Client   *http.Client      // default: one that waits 30 s for an answer
	Rates    Rates
	Moves    telegram.Moves  // default: what Telegram says when it is asked
	Parts    notifiers.Parts // default: they are known for as long as the process lives
	Logger   *slog.Logger    // of parts that cannot be noted; default: nowhere
}

// A Notifier sends from bots. It is safe for concurrent use.
//
// Telegram has no idempotency key and does not show a bot what it has sent. So
// what had no answer is in doubt for good, and is repeated with a mark. Of a
// long text it is noted which parts have arrived: an attempt after a failed one, or
// after a crash, goes on behind them.
type Notifier struct {
	accounts map[string]*account
	parts    notifiers.Parts
	log      *slog.Logger

	mu   sync.Mutex
	part map[string]progress // by key
}

type account struct {
	name    string
	client  *telegram.Client
	chats   telegram.Chats
	limiter *ratelimit.Limiter
	// noDrafts says that the server knows none: one of somebody's own that is older.
	noDrafts atomic.Bool
}

var (
	_ notifiers.Notifier    = (*Notifier)(nil)
	_ notifiers.Checker     = (*Notifier)(nil)
	_ notifiers.RateLimiter = (*Notifier)(nil)
	_ notifiers.Typer       = (*Notifier)(nil)
	_ notifiers.FileSender  = (*Notifier)(nil)
	_ notifiers.Progress    = (*Notifier)(nil)
	_ notifiers.Previewer   = (*Notifier)(nil)
	_ notifiers.Reactor     = (*Notifier)(nil)
)

// New returns a notifier. It does not call Telegram.
func New(o Options) (*Notifier, error) {
	if o.Client == nil {
		o.Client = &http.Client{Timeout: 30 * time.Second}
	}
	n := &Notifier{accounts: map[string]*account{}, parts: o.Parts, log: o.Logger, part: map[string]progress{}}
	for name, token := range o.Accounts {
		if token == "" {
			return nil, fmt.Errorf("telegram account %q: no token", name)
		}
		n.accounts[name] = &account{name: name, client: telegram.NewClient(token, o.URL, o.Client),
			chats: telegram.Chats{Moves: o.Moves, Account: name}, limiter: newLimiter(o.Rates)}
	}
	return n, nil
}

// Notify sends n, as several messages if it is long.
func (t *Notifier) Notify(ctx context.Context, n errand.Notification) (notifiers.Receipt, error) {
	a, to, err := t.target(ctx, n.Route)
	if err != nil {
		return notifiers.Receipt{}, err
	}
	if n.File != nil {
		return t.sendFile(ctx, a, to, n)
	}
	parts := render(n.Event, n.Text)
	done := t.resume(n, len(parts))
	done.unknown = done.unknown || n.Repeated
	if err := a.limiter.Fits(ctx, n.Route.Chat, len(parts)-len(done.ids)); err != nil {
		return notifiers.Receipt{}, t.failed(a, n.Key, done, err)
	}
	for i := len(done.ids); i < len(parts); i++ {
		m := parts[i]
		var keyboard models.ReplyMarkup
		if i == len(parts)-1 {
			keyboard = buttons(n.Options)
		}
		if i == 0 && n.Replaces != "" {
			there, err := t.replace(ctx, a, to, n.Replaces, m, keyboard)
			if err != nil {
				return notifiers.Receipt{}, t.failed(a, n.Key, done, err)
			}
			if there {
				done.ids, done.unknown = append(done.ids, n.Replaces), false
				t.keep(ctx, n, done, len(parts))
				continue
			}
			done.unknown = n.Attempts > 0 // an attempt may have found it gone, too
		}
		if done.unknown { // this part may have arrived, as those before it have
			m = m.marked()
		}
		p := to.message(m)
		if i == 0 {
			p.ReplyTo = to.replyTo(n.ReplyTo)
		}
		p.Buttons = keyboard
		id, err := t.send(ctx, a, to, p)
		if err != nil {
			return notifiers.Receipt{}, t.failed(a, n.Key, done, err)
		}
		done.ids, done.unknown = append(done.ids, to.chat.FormatMessageID(id)), false
		t.keep(ctx, n, done, len(parts))
	}
	t.note(n.Key, progress{})
	return notifiers.Receipt{IDs: done.ids}, nil
}

// WaitToSend waits until a message may go to a chat.
func (t *Notifier) WaitToSend(ctx context.Context, r errand.Route, patience time.Duration) (context.Context, error) {
	a, ok := t.accounts[r.Account]
	if !ok {
		return ctx, nil
	}
	return a.limiter.Ahead(ctx, r.Chat, patience)
}

// Delivered knows what was noted: that all parts have arrived; or, of what this
// process sent, that the next part was not taken; or that it is told in the place of a
// message that is there.
func (t *Notifier) Delivered(_ context.Context, n errand.Notification) (notifiers.Receipt, bool, error) {
	of := len(render(n.Event, n.Text))
	arrived := notifiers.Arrived(n, of)
	switch {
	case of > 1 && len(arrived) == of:
		return notifiers.Receipt{IDs: n.Receipts}, true, nil
	case n.Replaces != "" && len(arrived) == 0: // a message that is changed once more says the same
		return notifiers.Receipt{}, false, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if p, ok := t.part[n.Key]; ok && p.text == n.Text && !p.unknown {
		return notifiers.Receipt{}, false, nil
	}
	return notifiers.Receipt{}, false, notifiers.ErrCannotCheck
}

// A target is a chat, or a topic of it.
type target struct {
	route  errand.Route
	chat   telegram.Chat
	thread int
}

func (t *Notifier) target(ctx context.Context, r errand.Route) (*account, *target, error) {
	a, ok := t.accounts[r.Account]
	if !ok {
		return nil, nil, notifiers.NotSetUp(r.At())
	}
	chat, err := a.chats.Now(ctx, r.Chat)
	switch {
	case errors.Is(err, telegram.ErrNoChat):
		return nil, nil, notifiers.Refusedf("%q is not the id of a chat on Telegram, which is a number", errand.Cut(r.Chat, 40))
	case err != nil:
		return nil, nil, notifiers.NotSentf(0, "find out what the chat is called now: %w", err)
	}
	to := &target{route: r, chat: chat}
	if r.Thread == "" {
		return a, to, nil
	}
	if to.thread, err = strconv.Atoi(r.Thread); err != nil {
		return nil, nil, notifiers.Refusedf("%q is not the id of a topic on Telegram, which is a number", errand.Cut(r.Thread, 40))
	}
	return a, to, nil
}

func (to *target) message(m part) *sendMessage {
	quiet := true
	return &sendMessage{Chat: to.chat.ID, Thread: to.thread, Text: m.text, Entities: m.entities,
		// Telegram would fetch every address that a model writes.
		LinkPreview: &models.LinkPreviewOptions{IsDisabled: &quiet}}
}

func (t *Notifier) send(ctx context.Context, a *account, to *target, p *sendMessage) (int, error) {
	chat := to.route.Chat
	if err := a.limiter.Wait(ctx, chat); err != nil {
		return 0, err
	}
	id, err := a.sendMessage(ctx, p)
	var no *telegram.Error
	switch {
	case errors.As(err, &no) && no.MovedTo != 0: // the message did not arrive
		from := to.chat.ID
		to.chat = telegram.Chat{ID: no.MovedTo, Moved: true}
		if err := a.chats.Move(ctx, from, no.MovedTo); err != nil {
			return 0, notifiers.NotSentf(0, "note what the chat is called now: %w", err)
		}
		p.Chat, p.ReplyTo = to.chat.ID, nil // which is in the old one
		id, err = a.sendMessage(ctx, p)
	case isRefused(err, "entit"): // better read without marks than not at all
		p.Entities = nil
		if wait := a.limiter.Wait(ctx, chat); wait != nil {
			return 0, wait
		}
		id, err = a.sendMessage(ctx, p)
	}
	if err != nil {
		return 0, a.failed(chat, err)
	}
	return id, nil
}

// failed explains what went wrong, and holds back what else is for the chat where
// Telegram asks for that.
func (a *account) failed(chat string, err error) *notifiers.SendError {
	send := a.explain(err)
	var no *telegram.Error
	if errors.As(err, &no) && !no.Foreign && no.Code == http.StatusTooManyRequests {
		a.limiter.TooMany(chat, send.RetryAfter)
	}
	return send
}

// replyTo is the message that is answered. One that is gone by now is no reason
// to say nothing.
func (to *target) replyTo(id string) *models.ReplyParameters {
	n, ok := to.chat.ParseMessageID(id)
	if !ok {
		return nil
	}
	return &models.ReplyParameters{MessageID: n, AllowSendingWithoutReply: true}
}

// mostData is how much a button may carry, in bytes.
const mostData = 64

// buttons offers answers, one below the other. A button carries its answer; one
// whose answer is too long carries its number, and whoever reads the press finds
// the answer in the message.
func buttons(options []string) models.ReplyMarkup {
	if len(options) == 0 {
		return nil
	}
	var k models.InlineKeyboardMarkup
	for i, o := range options {
		if o = strings.TrimSpace(o); o == "" {
			continue
		}
		data := o
		if len(data) > mostData || strings.HasPrefix(data, "#") {
			data = "#" + strconv.Itoa(i+1)
		}
		k.InlineKeyboard = append(k.InlineKeyboard, []models.InlineKeyboardButton{{Text: o, CallbackData: data}})
	}
	if len(k.InlineKeyboard) == 0 {
		return nil
	}
	return &k
}
