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

// A line is a client, over all its connections, until its device is linked no
// more. Its events come from whatsmeow's goroutines: those of messages one after
// the other, the rest as they please. What they say of the connection goes to the
// one that runs it.
type line struct {
	c      *Channel
	client *whatsmeow.Client

	up      chan bool     // it is connected, or not answering
	codes   chan []string // texts of QR codes, to be shown one after the other
	ended   chan ending
	since   time.Time // when it was connected
	loops   int       // connections whose stanzas may still be being handled
	idle    chan struct{}
	linked  atomic.Bool // the device is, or is just being
	hasName atomic.Bool // the device knows what the person calls themselves
	refused atomic.Bool // a message of this connection was not taken: none behind it is
	stuck   atomic.Bool // the same, until one is taken or none is left
	took    atomic.Bool // a message of this connection was taken
	// storeFailed says that the store of the device has failed on this connection.
	storeFailed atomic.Bool
	sessions    sessions

	mu      sync.Mutex
	closed  bool
	working sync.WaitGroup
	failing failingMessage
	waiting map[types.MessageID]*time.Timer
}

// An ending is why a connection ended.
type ending struct {
	err    error
	event  any  // what WhatsApp said, if it did
	intake bool // errand could not commit a message
	pair   bool // linking did not work, or nobody has scanned the code
	again  bool // it goes on at once
	gone   bool // the device is linked no more
}

var naming sync.Once

// nameDevice says what phones call us in their list of linked devices. It is a
// global variable, written before the first client reads it.
func nameDevice() {
	naming.Do(func() {
		store.DeviceProps.Os = proto.String("errand")
		store.DeviceProps.PlatformType = waCompanionReg.DeviceProps_CHROME.Enum()
	})
}

// newLine makes a line. What is taken in ends with ctx; the client itself, with
// life.
func (c *Channel) newLine(ctx, life context.Context, dev *store.Device) *line {
	l := &line{c: c, up: make(chan bool, 8), codes: make(chan []string, 1), ended: make(chan ending, 8), idle: make(chan struct{}, 64),
		waiting: map[types.MessageID]*time.Timer{}}
	l.client = whatsmeow.NewClient(dev, libraryLog{c.Logger, func() { l.idle <- struct{}{} }})
	l.linked.Store(dev.ID != nil)
	l.hasName.Store(dev.PushName != "") // from now on the library may write it
	cli := l.client
	// One place decides when to connect: here.
	cli.EnableAutoReconnect, cli.DisableLoginAutoReconnect = false, true
	cli.SynchronousAck, cli.EnableDecryptedEventBuffer = true, true
	// Who cannot decrypt what we sent asks for it again, also after a restart.
	cli.GetMessageForRetry = func(_, to types.JID, id types.MessageID) *waE2E.Message { return l.findSent(ctx, to, id) }
	// What was said before is nobody's errand.
	cli.ManualHistorySyncDownload = true
	cli.BackgroundEventCtx = life
	cli.PrePairCallback = func(jid types.JID, _, _ string) bool { return l.adopt(life, jid) }
	cli.AddEventHandlerWithSuccessStatus(func(event any) bool { return l.handle(ctx, event) })
	c.Prepare(cli)
	return l
}

// run connects, again and again, until the device is linked no more or ctx ends.
func (l *line) run(ctx, life context.Context) {
	for ctx.Err() == nil {
		l.begin()
		e := ending{err: l.connect(ctx, life)}
		if e.err == nil {
			e = l.watch(ctx)
		}
		if l.client.IsConnected() { // else whoever sends need not know: it is sent again when it is connected
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

// connect connects. Once it has, the connection does not end with ctx but is
// closed: whatsmeow would do both at the same time.
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

// settle waits until of the connections before nothing is being handled any more.
// The next one delivers all that was not acknowledged: it must not be overtaken
// by what was behind it, and nothing can be decrypted twice at the same time.
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

// begin forgets what the connection before has left.
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
	default: // whoever runs it knows already
	}
}

// close ends the line: when it returns, nothing is being handled any more.
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
