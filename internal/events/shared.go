package events

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"errand/internal/core"
)

// A Transport sends messages to all processes that share a store and are listening at the time.
type Transport interface {
	// Listen calls receive with every message of every process, including this one, until ctx ends
	// or the connection fails, and returns why. It calls listening once: messages sent after that
	// are received.
	Listen(ctx context.Context, listening func(), receive func(string)) error
	// Notify sends messages in order, either all or none.
	Notify(ctx context.Context, messages []string) error
}

// Options configure a [Shared].
type Options struct {
	Transport Transport
	Longest   int // maximum size of a message in bytes
	Logger    *slog.Logger
}

// batchEvery is the minimum interval between two batches of passing events. Durable events wait
// only for the batch in progress.
const batchEvery = 50 * time.Millisecond

// mostAtOnce is the maximum size of a batch in bytes.
const mostAtOnce = 256 << 10

// Limits for sending, retries, listening again, and receiving a sent message.
const (
	sendWithin    = 5 * time.Second
	lastSend      = time.Second // when the bus is being closed
	firstPause    = 100 * time.Millisecond
	longestSend   = 2 * time.Second
	longestWait   = 10 * time.Second
	receiveWithin = 10 * time.Second
	pingEvery     = 30 * time.Second // a connection may die silently
)

// Shared is the bus of all processes that share a store.
//
// A process sends what it has published to the others, which pass it on to their own subscribers:
// the key and the id of durable events, and whole passing events. A process that begins to listen
// sends a hello. When it has received its own hello, it is live. The others reply with their turns
// in progress. Messages that could not be sent are dropped: the process then sends its turns in
// progress again, and subscribers of other processes read the log again.
type Shared struct {
	*Local // its mutex also guards the fields below
	o      Options
	me     process
	wake   chan struct{}
	end    context.CancelFunc
	work   sync.WaitGroup

	out    outgoing
	number uint64 // of messages sent; only the sender uses it

	sent, receivedCount, unsent atomic.Uint64

	hello     uint64                  // counts its calls of Listen
	helloDue  bool                    // a hello has to be sent
	received  bool                    // its own hello was received
	endListen context.CancelCauseFunc // ends the current Listen
	failing   bool                    // the latest messages could not be sent
	announced bool                    // it has logged that the bus is not live
	pinged    uint64                  // the latest ping sent; echoed is the latest ping received
	echoed    uint64
}

// NewShared returns a bus that listens and sends until it is closed.
func NewShared(o Options) *Shared {
	ctx, end := context.WithCancel(context.Background())
	s := &Shared{Local: NewLocal(), o: o, me: process(rand.Text()), wake: make(chan struct{}, 1), end: end}
	s.work.Go(func() { s.listen(ctx) })
	s.work.Go(func() { s.send(ctx) })
	return s
}

// Close sends the remaining messages and stops.
func (s *Shared) Close() {
	s.end()
	s.work.Wait()
}

// Publish implements [Bus].
func (s *Shared) Publish(e core.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := s.beginsText(e)
	s.publishLocked(e)
	s.out.add(announcement(e))
	s.out.urgent = s.out.urgent || first // the beginning of a text is what readers wait for
	s.wakeSender()
}

// Live implements [Bus].
func (s *Shared) Live() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.liveLocked()
}

// Stats implements [Bus].
func (s *Shared) Stats() Stats {
	stats := s.Local.Stats()
	stats.Sent, stats.Received, stats.Unsent = s.sent.Load(), s.receivedCount.Load(), s.unsent.Load()
	return stats
}

func (s *Shared) liveLocked() bool { return s.received && !s.failing }
