// Package whatsapp is WhatsApp's inbound half: it holds the connection of a device
// that is linked to somebody's phone, and hands what people write to package intake.
// What errand says goes out over the same connection, so only the worker that holds it
// can send: see [Clients].
//
// WhatsApp keeps a message until the device acknowledges it. A Channel does so
// when package intake has committed it; until then the message, decrypted, is in the
// store of devices, because it can be decrypted only once.
package whatsapp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"

	"errand/internal/channels"
	"errand/internal/platform/whatsapp"
)

// Options is what a channel needs. Account, Devices, Receiver and Logger are required.
type Options struct {
	Account  string // what errand calls it
	Devices  *Devices
	Receiver channels.Receiver
	Logger   *slog.Logger

	// Clients, if set, is told of the live client while there is one.
	Clients *Clients
	// Prepare, if set, is called with each new client, to let it talk to another
	// server than WhatsApp's.
	Prepare func(*whatsmeow.Client)
	// MostAttachment is how long a file may be that somebody sent, in bytes;
	// default 20 MB.
	MostAttachment int64
	// FindSent, if set, returns a message that the account sent to a chat, by any of
	// the names of the chat, for a phone that could not open it; nil: it is gone.
	// whatsmeow itself would keep the words of all messages for days.
	FindSent func(ctx context.Context, id types.MessageID, chats ...string) *waE2E.Message
	// Numbers, if set, returns the phone numbers (digits alone) of whom errand should
	// know by LID too: those on a list, and those of people.
	Numbers func(context.Context) ([]string, error)
	// Changed is called with each new status, by one goroutine at a time.
	Changed func(channels.Status)
	// Pause and LongestPause are between attempts that failed, doubled each time;
	// default 1 s and 30 s. Truce is how long it rests when trying would do harm:
	// another program has the connection, or the account is banned; default 5 min.
	Pause, LongestPause, Truce time.Duration
	// CauseWait is how long WhatsApp's reason for ending a connection may come behind
	// the end, as whatsmeow reports each in a goroutine of its own; default 1 s.
	CauseWait time.Duration
	// Patience is how long a message that cannot be decrypted may take to come
	// again, before its sender is told; default 1 min.
	Patience time.Duration
}

// A Channel is one account of ours. WhatsApp serves the last of all that connect
// as one device: only one may run.
type Channel struct {
	Options
	*channels.StatusReporter

	failures int    // in a row
	why      string // why it is not linked; empty: nobody has done it yet

	asked numberLookups

	mu   sync.Mutex
	line *line // nil: none
}

var _ channels.Connection = (*Channel)(nil)

// New returns a channel. It does not call WhatsApp.
func New(o Options) (*Channel, error) {
	switch {
	case o.Account == "":
		return nil, errors.New("whatsapp: no account")
	case o.Devices == nil:
		return nil, errors.New("whatsapp: no store of devices")
	case o.Receiver == nil:
		return nil, errors.New("whatsapp: no receiver")
	case o.Logger == nil:
		return nil, errors.New("whatsapp: no logger")
	}
	nameDevice()
	o.Clients = cmp.Or(o.Clients, &Clients{})
	if o.Prepare == nil {
		o.Prepare = func(*whatsmeow.Client) {}
	}
	o.MostAttachment = cmp.Or(o.MostAttachment, 20<<20)
	o.Pause = cmp.Or(o.Pause, time.Second)
	o.LongestPause = cmp.Or(o.LongestPause, 30*time.Second)
	o.Truce = cmp.Or(o.Truce, 5*time.Minute)
	o.CauseWait = cmp.Or(o.CauseWait, time.Second)
	o.Patience = cmp.Or(o.Patience, time.Minute)
	o.Logger = o.Logger.With("channel", whatsapp.Channel, "account", o.Account)
	return &Channel{Options: o, StatusReporter: channels.NewStatusReporter(o.Logger, o.Changed)}, nil
}

// Run takes in messages until ctx ends. Whatever goes wrong meanwhile is seen in
// the status, and tried again. While no phone has linked the account, the status
// has the text of a QR code for it.
func (c *Channel) Run(ctx context.Context) error {
	c.Set(channels.Status{State: channels.Connecting})
	for ctx.Err() == nil {
		dev, err := c.Devices.Device(ctx, c.Account)
		if err != nil {
			if ctx.Err() == nil {
				channels.Sleep(ctx, c.failed(ending{err: fmt.Errorf("the store of devices: %w", err)}))
			}
			continue
		}
		c.hold(ctx, dev)
	}
	return ctx.Err()
}

// hold runs a line to its end, known to whoever sends.
func (c *Channel) hold(ctx context.Context, dev *store.Device) {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	l := c.newLine(ctx, life, dev)
	c.setLine(l)
	c.Clients.set(c.Account, l.client)
	defer func() {
		c.Clients.set(c.Account, nil)
		c.setLine(nil)
		l.close()
	}()
	l.run(ctx, life)
}

func (c *Channel) setLine(l *line) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.line = l
}

// pause is how long to wait after one more failure.
func (c *Channel) pause() time.Duration {
	c.failures++
	return channels.Backoff{First: c.Pause, Longest: c.LongestPause}.After(c.failures - 1)
}

// Clients are the live connections of this process, by account. The zero value
// has none. It is safe for concurrent use.
type Clients struct {
	mu   sync.Mutex
	live map[string]*whatsmeow.Client
}

// Client returns the client that holds the connection of an account; nil: this
// process does not hold it.
func (c *Clients) Client(account string) *whatsmeow.Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.live[account]
}

func (c *Clients) set(account string, client *whatsmeow.Client) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.live == nil {
		c.live = map[string]*whatsmeow.Client{}
	}
	if client == nil {
		delete(c.live, account)
		return
	}
	c.live[account] = client
}
