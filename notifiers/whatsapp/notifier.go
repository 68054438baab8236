// Package whatsapp is WhatsApp's outbound half: it sends messages over the connection that
// internal/channels/whatsapp holds, and reports what is known about a delivery.
package whatsapp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"

	"errand/internal/channels/whatsapp"
	"errand/internal/core"
	"errand/notifiers"
)

// Options configure a notifier. Only Client is required.
type Options struct {
	// Client returns the connected client of an account, or nil if this process does not hold
	// its connection.
	Client func(account string) *whatsmeow.Client
	// Timeout is how long WhatsApp may take to answer; default 20 s. Patience is how long to wait
	// for a lost connection to return; default 3 s.
	Timeout, Patience time.Duration
	Rates             Rates
	// MessageText, if set, returns the text of the message that a reply quotes, or "" if it is
	// not stored.
	MessageText func(context.Context, core.Route, string) (string, error)
	Parts       notifiers.Parts // default: a later attempt sends all parts again
	Logger      *slog.Logger    // for parts that cannot be recorded; default: no log
}

// A Notifier sends messages as linked devices. It is safe for concurrent use.
//
// The sender chooses the id of a WhatsApp message, and clients show an id once. The id of each part
// derives from the notification's key, so Notify repeats a part with an unknown outcome without
// harm. It records which parts of a long text have arrived and does not send them again.
type Notifier struct {
	Options

	mu       sync.Mutex
	accounts map[string]*account
}

type account struct {
	name    string
	limiter *notifiers.AccountLimiter
	// sending is full while a message is being sent. A client sends one message at a time. A caller
	// that waits inside the client cannot be cancelled, so callers wait here.
	sending chan struct{}

	mu    sync.Mutex
	shown map[string]time.Time // when messages that show progress were sent
	away  *time.Timer          // sets the account unavailable when it fires
}

var (
	_ notifiers.Notifier       = (*Notifier)(nil)
	_ notifiers.Checker        = (*Notifier)(nil)
	_ notifiers.RateLimiter    = (*Notifier)(nil)
	_ notifiers.Typer          = (*Notifier)(nil)
	_ notifiers.FileSender     = (*Notifier)(nil)
	_ notifiers.TypingDuration = (*Notifier)(nil)
	_ notifiers.Progress       = (*Notifier)(nil)
	_ notifiers.Reactor        = (*Notifier)(nil)
)

// New returns a notifier. It makes no call to WhatsApp.
func New(o Options) (*Notifier, error) {
	if o.Client == nil {
		return nil, errors.New("whatsapp: nobody who knows the connections")
	}
	o.Timeout = cmp.Or(o.Timeout, 20*time.Second)
	o.Patience = cmp.Or(o.Patience, 3*time.Second)
	return &Notifier{Options: o, accounts: map[string]*account{}}, nil
}

// MessageID returns the id of a part of a notification; parts count from 0. It has the form of ids
// from WhatsApp's web client.
func MessageID(key string, part int) types.MessageID {
	sum := sha256.Sum256([]byte(key + "\x00" + strconv.Itoa(part)))
	return whatsmeow.WebMessageIDPrefix + strings.ToUpper(hex.EncodeToString(sum[:9]))
}

// Notify sends n, as several messages if it is very long.
func (w *Notifier) Notify(ctx context.Context, n core.Notification) (notifiers.Receipt, error) {
	t, err := w.target(ctx, n.Route, storedChat(n), w.patience(ctx))
	if err != nil {
		return notifiers.Receipt{}, err
	}
	var messages []*waE2E.Message
	if n.File != nil {
		document, err := w.document(ctx, t, n)
		if err != nil {
			return notifiers.Receipt{}, err
		}
		messages = append(messages, document)
	} else {
		messages = w.messages(ctx, t, n)
	}
	done := notifiers.Receipt{IDs: slices.Clone(notifiers.Arrived(n, len(messages)))}
	if err := t.account.limiter.Fits(ctx, t.chat, len(messages)-len(done.IDs)); err != nil {
		return notifiers.Receipt{}, err
	}
	for i := len(done.IDs); i < len(messages); i++ {
		if err := t.account.limiter.Wait(ctx, t.chat); err != nil {
			return notifiers.Receipt{}, err
		}
		id, err := w.send(ctx, t, messages[i], MessageID(n.IdempotencyKey(), i))
		if err != nil {
			return notifiers.Receipt{}, err
		}
		done.IDs = append(done.IDs, id)
		notifiers.NoteParts(ctx, w.Parts, w.Logger, n, done.IDs, len(messages))
	}
	return done, nil
}

// WaitToSend waits until a message may be sent to a chat.
func (w *Notifier) WaitToSend(ctx context.Context, r core.Route, patience time.Duration) (context.Context, error) {
	return w.account(r.Account).limiter.Ahead(ctx, r.Chat, patience)
}

// Delivered says that n may be sent: WhatsApp does not show a repeat.
func (w *Notifier) Delivered(context.Context, core.Notification) (notifiers.Receipt, bool, error) {
	return notifiers.Receipt{}, false, nil
}

// storedChat returns the chat id in n's session key, which can differ from that of n's route.
func storedChat(n core.Notification) string {
	if r, _, err := n.Session.Parse(); err == nil && r.Channel == n.Route.Channel && r.Account == n.Route.Account {
		return r.Chat
	}
	return ""
}

type target struct {
	account *account
	client  *whatsmeow.Client
	to      types.JID
	chat    string // errand's id of it
}

func (w *Notifier) target(ctx context.Context, r core.Route, stored string, patience time.Duration) (target, error) {
	t := target{account: w.account(r.Account), client: w.Client(r.Account), chat: cmp.Or(r.Chat, stored)}
	if t.client == nil || t.client.Store.ID == nil {
		return t, down("the connection of whatsapp account %q is held by another worker, or no phone has linked it", r.Account)
	}
	var err error
	if t.to, err = whatsapp.ResolveChat(ctx, t.client.Store.LIDs, r.Chat, stored); err != nil {
		if errors.Is(err, whatsapp.ErrNoChat) {
			return t, notifiers.Refusedf("%q: %w", core.Cut(t.chat, 40), err)
		}
		return t, notifiers.NotSentf(0, "%w", err)
	}
	if !t.client.IsConnected() || !t.client.IsLoggedIn() {
		if patience <= 0 || !t.client.WaitForConnection(patience) {
			return t, notifiers.NotSentf(0, "whatsapp account %q is not connected", r.Account)
		}
	}
	return t, nil
}

func (w *Notifier) patience(ctx context.Context) time.Duration {
	if end, ok := ctx.Deadline(); ok {
		return max(0, min(w.Patience, time.Until(end)/2))
	}
	return w.Patience
}

func (w *Notifier) account(name string) *account {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := w.accounts[name]
	if a == nil {
		a = &account{name: name, limiter: newLimiter(w.Options.Rates), sending: make(chan struct{}, 1), shown: map[string]time.Time{}}
		w.accounts[name] = a
	}
	return a
}

// tooMany is the minimum pause after a rate-limit error.
const tooMany = time.Minute

func (t target) explain(err error) *notifiers.SendError {
	return notifiers.NewSendError(whatsapp.Explain(err, t.to, t.account.name))
}

func (w *Notifier) send(ctx context.Context, t target, m *waE2E.Message, id types.MessageID) (types.MessageID, error) {
	select {
	case t.account.sending <- struct{}{}:
		defer func() { <-t.account.sending }()
	case <-ctx.Done():
		return "", notifiers.NotSentf(0, "given up before it was sent")
	}
	ctx, cancel := context.WithTimeout(ctx, w.Timeout)
	defer cancel()
	extra := whatsmeow.SendRequestExtra{ID: id, Timeout: w.Timeout}
	_, err := t.client.SendMessage(ctx, t.to, m, extra)
	if errors.Is(err, whatsapp.ErrOvertaken) { // an incoming message went first: try once more
		_, err = t.client.SendMessage(ctx, t.to, m, extra)
	}
	if err != nil {
		send := t.explain(err)
		if send.Outcome == notifiers.NotSent && send.RetryAfter >= tooMany {
			t.account.limiter.TooMany(t.chat, send.RetryAfter)
		}
		return "", send
	}
	return id, nil
}
