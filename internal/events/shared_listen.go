package events

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

var errNotReceived = errors.New("what this worker sends itself does not arrive: if a pooler is between, such as PgBouncer, it has to keep sessions, or database_url has to go past it")

func (s *Shared) listen(ctx context.Context) {
	pause := firstPause
	for ctx.Err() == nil {
		began := time.Now()
		err := s.listenOnce(ctx)
		if time.Since(began) > longestWait {
			pause = firstPause
		}
		s.change(func() { s.received, s.helloDue = false, false }, err)
		wait(ctx, pause/2+rand.N(pause)) // workers must not retry at the same moment
		pause = min(2*pause, longestWait)
	}
}

func (s *Shared) listenOnce(ctx context.Context) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	s.work.Go(func() { s.ping(ctx, end) })
	err := s.o.Transport.Listen(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.hello++
		s.helloDue, s.endListen = true, end
		s.forgetTexts()
		s.wakeSender()
	}, s.receive)
	if cause := context.Cause(ctx); errors.Is(cause, errNotReceived) {
		return cause
	}
	return err
}

func (s *Shared) expect(hello uint64) {
	time.AfterFunc(receiveWithin, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.hello == hello && !s.received {
			s.endListen(errNotReceived)
		}
	})
}

// ping stops a Listen that no longer receives this process's own messages.
func (s *Shared) ping(ctx context.Context, end context.CancelCauseFunc) {
	for {
		if wait(ctx, pingEvery-receiveWithin); ctx.Err() != nil {
			return
		}
		s.mu.Lock()
		if !s.liveLocked() {
			s.mu.Unlock()
			continue
		}
		s.pinged++
		n := s.pinged
		s.out.add(message{To: s.me, Ping: n})
		s.wakeSender()
		s.mu.Unlock()
		if wait(ctx, receiveWithin); ctx.Err() != nil {
			return
		}
		s.mu.Lock()
		lost := s.liveLocked() && s.echoed != n
		s.mu.Unlock()
		if lost {
			end(errNotReceived)
			return
		}
	}
}

func (s *Shared) receive(raw string) {
	m, err := decode(raw)
	if m.From == s.me {
		if m.Ping != 0 {
			s.mu.Lock()
			s.echoed = m.Ping
			s.mu.Unlock()
		}
		if m.Hello != 0 {
			s.change(func() { s.received = s.received || m.Hello == s.hello }, nil)
		}
		return
	}
	s.receivedCount.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil:
		s.o.Logger.Warn("event of another worker not understood", "error", err)
		s.lag()
	case m.To != "" && m.To != s.me:
	case m.Hello != 0:
		s.sync(message{To: m.From})
	case m.Sync:
		s.forget(m.From)
		if m.Lost {
			s.lag()
		}
	case m.Lists != 0:
		s.changeListsLocked(m.Person, m.Lists)
	case m.Event != nil:
		s.pass(*m.Event, m.From)
	default: // from a newer version
		s.lag()
	}
}

// sync sends the turns in progress here, up to a limit.
func (s *Shared) sync(m message) {
	to := m.To
	m.Sync = true
	s.out.add(m)
	for list := range s.ownInProgress(mostOutgoing / 8) {
		if s.out.bytes > mostOutgoing/2 {
			break
		}
		for _, e := range list {
			m := announcement(e)
			m.To = to
			s.out.add(m)
		}
	}
	s.wakeSender()
}

// change runs do and logs and announces whether the bus is live. why is the error if it is not.
func (s *Shared) change(do func(), why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.liveLocked()
	do()
	now := s.liveLocked()
	if was != now {
		s.lag() // the log has what was missed; subscribers adjust how often they read it
	}
	switch {
	case now && s.announced:
		s.o.Logger.Info("events of other workers arrive again")
		s.announced = false
	case !now && !s.announced && why != nil && !errors.Is(why, context.Canceled):
		s.o.Logger.Warn("events of other workers do not arrive; open pages and waiting requests read the store instead, four times a second", "error", why)
		s.announced = true
	}
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
