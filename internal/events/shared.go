package events

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"errand"
)

// A Transport carries messages between the processes that share a store. It keeps none
// for those who do not listen.
type Transport interface {
	// Listen calls receive with every message of every process, this one's too, until
	// ctx ends or nothing arrives any more, and returns why. listening is called once:
	// what is sent after that is received.
	Listen(ctx context.Context, listening func(), receive func(string)) error
	// Notify sends messages, in order, all of them or none.
	Notify(ctx context.Context, messages []string) error
}

// Options are what a [Shared] is made of.
type Options struct {
	Transport Transport
	Longest   int // bytes of a message
	Logger    *slog.Logger
}

// batchEvery is the least time between two batches of passing events. What lasts does not
// wait, but for the batch under way.
const batchEvery = 50 * time.Millisecond

// mostAtOnce is how many bytes of messages the transport is given at once.
const mostAtOnce = 256 << 10

// How long sending may take, and how soon it is tried again; how soon listening is, and
// when what was sent should have been received.
const (
	sendWithin    = 5 * time.Second
	lastSend      = time.Second // when the bus is closed
	firstPause    = 100 * time.Millisecond
	longestSend   = 2 * time.Second
	longestWait   = 10 * time.Second
	receiveWithin = 10 * time.Second
	pingEvery     = 30 * time.Second // a connection may die without a word
)

// Shared is the bus of all processes that share a store.
//
// A process announces what it has published to the others, which pass it on to their own
// subscribers: of durable events the key and the id, the passing ones as they are. A
// process that begins to listen says hello. Once it has received that itself it is live;
// the others answer with what goes on at theirs. What could not be sent is not kept: its
// process tells all of what goes on anew, and the others' subscribers read again.
type Shared struct {
	*Local // its mutex is that of all below, too
	o      Options
	me     process
	wake   chan struct{}
	end    context.CancelFunc
	work   sync.WaitGroup

	out    outgoing
	number uint64 // of messages sent; the sender's own

	sent, receivedCount, unsent atomic.Uint64 // for [Stats]

	hello     uint64                  // how many times it has begun to listen
	helloDue  bool                    // it is still to be sent
	received  bool                    // it came back
	endListen context.CancelCauseFunc // ends the listening under way
	failing   bool                    // the latest messages could not be sent
	announced bool                    // that the bus is not live was logged
	pinged    uint64                  // the latest ping, and the latest that was received
	echoed    uint64
}

// NewShared makes a bus that listens and sends until it is closed.
func NewShared(o Options) *Shared {
	ctx, end := context.WithCancel(context.Background())
	s := &Shared{Local: NewLocal(), o: o, me: process(rand.Text()), wake: make(chan struct{}, 1), end: end}
	s.work.Go(func() { s.listen(ctx) })
	s.work.Go(func() { s.send(ctx) })
	return s
}

// Close sends what there is to send, and ends.
func (s *Shared) Close() {
	s.end()
	s.work.Wait()
}

// Publish is as of a [Bus].
func (s *Shared) Publish(e errand.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := s.beginsText(e)
	s.publishLocked(e)
	s.out.add(announcement(e))
	s.out.urgent = s.out.urgent || first // who reads it waits for this most
	s.wakeSender()
}

// Live is as of a [Bus].
func (s *Shared) Live() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.liveLocked()
}

// Stats is as of a [Bus].
func (s *Shared) Stats() Stats {
	stats := s.Local.Stats()
	stats.Sent, stats.Received, stats.Unsent = s.sent.Load(), s.receivedCount.Load(), s.unsent.Load()
	return stats
}

func (s *Shared) liveLocked() bool { return s.received && !s.failing }
