// Package telegram tells people things on Telegram.
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
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"errand"
	"errand/notifiers"
	"errand/notifiers/pace"
)

// Options is what a notifier needs. Only Accounts is required.
type Options struct {
	Accounts map[string]string // token by account
	URL      string            // default https://api.telegram.org
	Client   *http.Client      // default: one that waits 30 s for an answer
	Pace     Pace
	Moves    Moves           // default: what Telegram says when it is asked
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
	moves    Moves
	parts    notifiers.Parts
	log      *slog.Logger

	mu   sync.Mutex
	part map[string]progress // by key
}

type account struct {
	name string
	bot  *bot.Bot
	pace *pace.Pacer
}

var (
	_ notifiers.Notifier = (*Notifier)(nil)
	_ notifiers.Checker  = (*Notifier)(nil)
	_ notifiers.Pacer    = (*Notifier)(nil)
	_ notifiers.Typer    = (*Notifier)(nil)
	_ notifiers.Progress = (*Notifier)(nil)
	_ notifiers.Reactor  = (*Notifier)(nil)
)

// New returns a notifier. It does not call Telegram.
func New(o Options) (*Notifier, error) {
	if o.Client == nil {
		o.Client = &http.Client{Timeout: 30 * time.Second}
	}
	n := &Notifier{accounts: map[string]*account{}, moves: o.Moves, parts: o.Parts, log: o.Logger, part: map[string]progress{}}
	for name, token := range o.Accounts {
		options := []bot.Option{bot.WithSkipGetMe(), bot.WithHTTPClient(time.Minute, o.Client), bot.WithErrorsHandler(func(error) {})}
		if o.URL != "" {
			options = append(options, bot.WithServerURL(o.URL))
		}
		b, err := bot.New(token, options...)
		if err != nil {
			return nil, fmt.Errorf("telegram account %q: %w", name, err)
		}
		n.accounts[name] = &account{name: name, bot: b, pace: newPacer(o.Pace)}
	}
	return n, nil
}

// Notify sends n, as several messages if it is long.
func (t *Notifier) Notify(ctx context.Context, n errand.Notification) (notifiers.Receipt, error) {
	a, to, err := t.target(ctx, n.Route)
	if err != nil {
		return notifiers.Receipt{}, err
	}
	parts := render(n.Event, n.Text)
	done := t.resume(n, len(parts))
	done.doubt = done.doubt || n.Repeated
	if err := a.pace.Fits(ctx, n.Route.Chat, len(parts)-len(done.ids)); err != nil {
		return notifiers.Receipt{}, t.failed(a, n.Key, done, err)
	}
	for i := len(done.ids); i < len(parts); i++ {
		m := parts[i]
		if done.doubt { // this part may have arrived, as those before it have
			m = m.marked()
		}
		p := to.message(m)
		if i == 0 {
			p.ReplyParameters = to.replyTo(n.ReplyTo)
		}
		if i == len(parts)-1 {
			p.ReplyMarkup = buttons(n.Options)
		}
		id, err := t.send(ctx, a, to, p)
		if err != nil {
			return notifiers.Receipt{}, t.failed(a, n.Key, done, err)
		}
		done.ids, done.doubt = append(done.ids, to.id(id)), false
		t.keep(ctx, n, done, len(parts))
	}
	t.note(n.Key, progress{})
	return notifiers.Receipt{IDs: done.ids}, nil
}

// Pace waits until a message may go to a chat.
func (t *Notifier) Pace(ctx context.Context, r errand.Route, patience time.Duration) (context.Context, error) {
	a, ok := t.accounts[r.Account]
	if !ok {
		return ctx, nil
	}
	return a.pace.Ahead(ctx, r.Chat, patience)
}

// Delivered knows what was noted: that all parts have arrived; or, of what this
// process sent, that the next part was not taken.
func (t *Notifier) Delivered(_ context.Context, n errand.Notification) (notifiers.Receipt, bool, error) {
	if of := len(render(n.Event, n.Text)); of > 1 && len(notifiers.Arrived(n, of)) == of {
		return notifiers.Receipt{IDs: n.Receipts}, true, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if p, ok := t.part[n.Key]; ok && p.text == n.Text && !p.doubt {
		return notifiers.Receipt{}, false, nil
	}
	return notifiers.Receipt{}, false, notifiers.ErrCannotTell
}

// A target is a chat, or a topic of it.
type target struct {
	route  errand.Route
	chat   int64 // what Telegram calls it now
	moved  bool  // which is not what errand calls it
	thread int
}

func (t *Notifier) target(ctx context.Context, r errand.Route) (*account, *target, error) {
	a, ok := t.accounts[r.Account]
	if !ok {
		return nil, nil, notifiers.NotSetUp(r.At())
	}
	chat, err := strconv.ParseInt(r.Chat, 10, 64)
	if err != nil {
		return nil, nil, refused("%q is not the id of a chat on Telegram, which is a number", errand.Cut(r.Chat, 40))
	}
	to := &target{route: r, chat: chat}
	if err := t.follow(ctx, to); err != nil {
		return nil, nil, notSent(0, "find out what the chat is called now: %w", err)
	}
	if r.Thread == "" {
		return a, to, nil
	}
	if to.thread, err = strconv.Atoi(r.Thread); err != nil {
		return nil, nil, refused("%q is not the id of a topic on Telegram, which is a number", errand.Cut(r.Thread, 40))
	}
	return a, to, nil
}

func (to *target) message(m part) *bot.SendMessageParams {
	quiet := true
	return &bot.SendMessageParams{ChatID: to.chat, MessageThreadID: to.thread, Text: m.text, Entities: m.entities,
		// Telegram would fetch every address that a model writes.
		LinkPreviewOptions: &models.LinkPreviewOptions{IsDisabled: &quiet}}
}

// send sends one message when its pace allows, and returns its id.
func (t *Notifier) send(ctx context.Context, a *account, to *target, p *bot.SendMessageParams) (int, error) {
	chat := to.route.Chat
	if err := a.pace.Wait(ctx, chat); err != nil {
		return 0, err
	}
	m, err := a.bot.SendMessage(ctx, p)
	var moved *bot.MigrateError
	switch {
	case errors.As(err, &moved): // the message did not arrive
		if err := t.move(ctx, to, int64(moved.MigrateToChatID)); err != nil {
			return 0, notSent(0, "note what the chat is called now: %w", err)
		}
		p.ChatID, p.ReplyParameters = to.chat, nil // which is in the old one
		m, err = a.bot.SendMessage(ctx, p)
	case isEntityError(err): // better read without marks than not at all
		p.Entities = nil
		if wait := a.pace.Wait(ctx, chat); wait != nil {
			return 0, wait
		}
		m, err = a.bot.SendMessage(ctx, p)
	}
	if err != nil {
		return 0, a.failed(chat, err)
	}
	return m.ID, nil
}

// failed explains what went wrong, and holds back what else is for the chat where
// Telegram asks for that.
func (a *account) failed(chat string, err error) *notifiers.SendError {
	send := a.explain(err)
	if errors.As(err, new(*bot.TooManyRequestsError)) {
		a.pace.TooMany(chat, send.RetryAfter)
	}
	return send
}

func isEntityError(err error) bool {
	return errors.Is(err, bot.ErrorBadRequest) && strings.Contains(strings.ToLower(err.Error()), "entit")
}

// replyTo is the message that is answered. One that is gone by now is no reason
// to say nothing.
func (to *target) replyTo(id string) *models.ReplyParameters {
	n, ok := to.messageID(id)
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
