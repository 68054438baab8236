package whatsapp

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waCompanionReg"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"
	"google.golang.org/protobuf/proto"

	"errand/internal/channels"
)

// A line is a client until its device is unlinked. whatsmeow delivers messages one after the other,
// and other events at any time, in its own goroutines. Events of the connection go to the goroutine
// in run.
type line struct {
	c      *Channel
	client *whatsmeow.Client

	up      chan bool     // whether the connection is up
	codes   chan []string // texts of QR codes, to show one after the other
	ended   chan ending
	since   time.Time // when it connected
	loops   int       // connections whose stanzas may still be in progress
	idle    chan struct{}
	linked  atomic.Bool // the device is linked or is being linked
	hasName atomic.Bool // the device knows the account's push name
	refused atomic.Bool // a message of this connection was not committed, so none after it is
	stuck   atomic.Bool // like refused, but until a message is committed or none is left
	took    atomic.Bool // a message of this connection was committed
	// storeFailed is set if the store of the device failed on this connection.
	storeFailed atomic.Bool
	sessions    sessions

	mu      sync.Mutex
	closed  bool
	working sync.WaitGroup
	failing failingMessage
	waiting map[types.MessageID]*time.Timer
}

type ending struct {
	err    error
	event  any  // WhatsApp's event, if any
	intake bool // errand could not commit a message
	pair   bool // linking failed, or the QR code expired
	again  bool // reconnect at once
	gone   bool // the device is no longer linked
}

var naming sync.Once

// nameDevice sets whatsmeow's global variable before the first client reads it.
func nameDevice() {
	naming.Do(func() {
		store.DeviceProps.Os = proto.String("errand")
		store.DeviceProps.PlatformType = waCompanionReg.DeviceProps_CHROME.Enum()
	})
}

// newLine uses ctx for received messages and life for the client.
func (c *Channel) newLine(ctx, life context.Context, dev *store.Device) *line {
	l := &line{c: c, up: make(chan bool, 8), codes: make(chan []string, 1), ended: make(chan ending, 8), idle: make(chan struct{}, 64),
		waiting: map[types.MessageID]*time.Timer{}}
	l.client = whatsmeow.NewClient(dev, libraryLog{c.Logger, func() { l.idle <- struct{}{} }})
	l.linked.Store(dev.ID != nil)
	l.hasName.Store(dev.PushName != "") // from now on the library may write PushName
	cli := l.client
	// Only this package decides when to connect.
	cli.EnableAutoReconnect, cli.DisableLoginAutoReconnect = false, true
	cli.SynchronousAck, cli.EnableDecryptedEventBuffer = true, true
	// Phones that cannot decrypt a message request it again, also after a restart.
	cli.GetMessageForRetry = func(_, to types.JID, id types.MessageID) *waE2E.Message { return l.findSent(ctx, to, id) }
	// Earlier messages are no requests to errand.
	cli.ManualHistorySyncDownload = true
	cli.BackgroundEventCtx = life
	cli.PrePairCallback = func(jid types.JID, _, _ string) bool { return l.adopt(life, jid) }
	cli.AddEventHandlerWithSuccessStatus(func(event any) bool { return l.handle(ctx, event) })
	c.Prepare(cli)
	return l
}

func (l *line) run(ctx, life context.Context) {
	for ctx.Err() == nil {
		l.begin()
		e := ending{err: l.connect(ctx, life)}
		if e.err == nil {
			e = l.watch(ctx)
		}
		if l.client.IsConnected() { // if already disconnected, pending sends can resend on the next connection
			l.client.Disconnect()
		}
		l.settle()
		if ctx.Err() != nil {
			return
		}
		if errors.Is(e.err, store.ErrDeviceDeleted) {
			e.gone = true
		}
		if e.gone {
			if err := l.c.Devices.Unlink(ctx, l.c.Account); err != nil && ctx.Err() == nil {
				e.err = err
			}
		}
		if !e.again {
			if l.took.Load() || !l.since.IsZero() && !e.intake && time.Since(l.since) > l.c.LongestPause {
				l.c.failures = 0
			}
			channels.Sleep(ctx, l.c.failed(e))
		}
		if e.gone {
			return
		}
	}
}

// connect stops watching ctx once the connection is up, because otherwise whatsmeow would close it
// twice at the same time.
func (l *line) connect(ctx, life context.Context) error {
	dial, cancel := context.WithCancel(life)
	giveUp := context.AfterFunc(ctx, cancel)
	err := l.client.ConnectContext(dial)
	if err == nil {
		l.loops++
	}
	if !giveUp() || err != nil {
		cancel()
	}
	return err
}

// settle waits until the stanzas of earlier connections are handled. The next connection delivers
// unacknowledged messages again. They must not be overtaken, or decrypted twice at the same time.
func (l *line) settle() {
	longest := time.NewTimer(longestTake + 30*time.Second)
	defer longest.Stop()
	for l.loops > 0 {
		select {
		case <-l.idle:
			l.loops--
		case <-longest.C:
			l.c.Logger.Warn("what came with the connection before is still being handled")
			return
		}
	}
}

func (l *line) begin() {
	l.refused.Store(false)
	l.storeFailed.Store(false)
	l.took.Store(false)
	l.watchStore()
	l.since = time.Time{}
	for {
		select {
		case <-l.up:
		case <-l.codes:
		case <-l.ended:
		default:
			return
		}
	}
}

func (l *line) end(e ending) {
	select {
	case l.ended <- e:
	default: // an earlier end is pending
	}
}

// When close returns, no event is being handled.
func (l *line) close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	if l.client.IsConnected() {
		l.client.Disconnect()
	}
	l.giveUp()
	l.working.Wait()
}
