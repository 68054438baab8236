// Package whatsapp is the client of WhatsApp and the receiving side of its accounts. A [Channel]
// holds the connection of a device that is linked to a phone, and passes incoming messages to
// package intake. Outgoing messages use the same connection, so only the worker that holds it can
// send: see [Clients].
//
// WhatsApp keeps a message until the device acknowledges it. A Channel acknowledges a message after
// package intake has committed it. Until then the store of devices keeps the decrypted message,
// because a message can be decrypted only once.
//
// Each person has an address with their phone number (491711234567@s.whatsapp.net) and one that
// hides it, a LID (100000000000001@lid). Any message may contain either of them. whatsmeow's store
// of LIDs records which two belong together.
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
)

// Options configure a channel. Account, Devices, Receiver and Logger are required.
type Options struct {
	Account  string // errand's name of it
	Devices  *Devices
	Receiver channels.Receiver
	Logger   *slog.Logger

	// Clients, if set, receives the live client while there is one.
	Clients *Clients
	// Prepare, if set, is called with each new client. It can redirect the client to a server
	// other than WhatsApp's.
	Prepare func(*whatsmeow.Client)
	// MostAttachment is the size limit of received files in bytes; default 20 MB.
	MostAttachment int64
	// FindSent, if set, returns a message that the account sent to a chat, for a phone that could
	// not decrypt it. chats are all ids of the chat. It returns nil if the message is gone.
	// whatsmeow itself would store the text of all messages for days.
	FindSent func(ctx context.Context, id types.MessageID, chats ...string) *waE2E.Message
	// Numbers, if set, returns the phone numbers (digits only) for which errand should look up
	// the LID: permitted senders and known people.
	Numbers func(context.Context) ([]string, error)
	// Changed is called with each new status, by one goroutine at a time.
	Changed func(channels.Status)
	// Pause and LongestPause are the waits between failed attempts, doubled each time; default
	// 1 s and 30 s. Truce is the wait if a retry would do harm, because another program took over
	// the connection or WhatsApp banned the account; default 5 min.
	Pause, LongestPause, Truce time.Duration
	// CauseWait is how long to wait for WhatsApp's reason after a connection ended. whatsmeow
	// reports the end and the reason in separate goroutines. Default 1 s.
	CauseWait time.Duration
	// Patience is how long to wait until WhatsApp sends a message that could not be decrypted
	// again. After that the sender is informed. Default 1 min.
	Patience time.Duration
}

// A Channel is one of errand's accounts. WhatsApp disconnects a device when it connects a second
// time, so only one Channel per account may run.
type Channel struct {
	Options
	*channels.StatusReporter

	failures int    // in a row
	why      string // why it is not linked; empty: it never was

	asked numberLookups

	mu   sync.Mutex
	line *line // nil: not connected
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
	o.Logger = o.Logger.With("channel", Name, "account", o.Account)
	return &Channel{Options: o, StatusReporter: channels.NewStatusReporter(o.Logger, o.Changed)}, nil
}

// Run receives messages until ctx ends. It reports failures in the status and retries. While no
// phone has linked the account, the status has the text of a QR code that links it.
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

func (c *Channel) pause() time.Duration {
	c.failures++
	return channels.Backoff{First: c.Pause, Longest: c.LongestPause}.After(c.failures - 1)
}

// Clients are the live clients of this process by account. The zero value has none. It is safe for
// concurrent use.
type Clients struct {
	mu   sync.Mutex
	live map[string]*whatsmeow.Client
}

// Client returns the client that holds the connection of an account, or nil if this process does
// not hold it.
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
