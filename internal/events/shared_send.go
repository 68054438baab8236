package events

import (
	"context"
	"time"
)

// wakeSender has the sender see what there is to send.
func (s *Shared) wakeSender() {
	select {
	case s.wake <- struct{}{}:
	default: // it is awake
	}
}

// send announces what this process publishes until ctx ends, and then what is left.
func (s *Shared) send(ctx context.Context) {
	var sent time.Time
	pause := firstPause
	for ctx.Err() == nil {
		next, ok := s.due(sent)
		if !ok || next > 0 {
			s.sleep(ctx, ok, next)
			continue
		}
		if err := s.sendBatch(ctx); err != nil {
			wait(ctx, pause)
			pause = min(2*pause, longestSend)
			continue
		}
		sent, pause = time.Now(), firstPause
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastSend)
	defer cancel()
	_ = s.sendBatch(last) // that it failed is logged; the others look into the log now and then
}

// due returns in how long there is something to send; false: not yet known.
func (s *Shared) due(sent time.Time) (time.Duration, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	switch {
	case s.helloDue || s.out.urgent || s.out.lost:
		return 0, true
	case s.out.idle():
		return 0, false
	}
	return time.Until(sent.Add(batchEvery)), true
}

// sleep waits until something is published, or is due.
func (s *Shared) sleep(ctx context.Context, timed bool, d time.Duration) {
	var due <-chan time.Time
	if timed {
		timer := time.NewTimer(d)
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-ctx.Done():
	case <-s.wake:
	case <-due:
	}
}

// sendBatch sends all that there is to send. What fails is not tried again: the others
// are told that they have missed something, once that can be said.
func (s *Shared) sendBatch(ctx context.Context) error {
	list, hello := s.take()
	err := s.notify(ctx, list)
	s.change(func() {
		s.failing = err != nil
		if err != nil {
			s.out.lose()
			s.helloDue = s.helloDue || hello != 0 && hello == s.hello
		}
	}, err)
	if err == nil && hello != 0 {
		s.expect(hello)
	}
	return err
}

// take takes what there is to send; with the hello, if it is still to be sent.
func (s *Shared) take() (list []message, hello uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.out.lost:
		s.out = outgoing{}
		s.sync(message{Lost: true})
	case s.helloDue: // others may have said hello when it was not received here
		s.sync(message{})
	}
	if s.helloDue {
		s.helloDue, hello = false, s.hello
		s.out.add(message{Hello: hello})
	}
	list = s.out.messages
	s.out = outgoing{}
	return list, hello
}

func (s *Shared) notify(ctx context.Context, list []message) error {
	var batch []string
	bytes := 0
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		ctx, cancel := context.WithTimeout(ctx, sendWithin)
		defer cancel()
		err := s.o.Transport.Notify(ctx, batch)
		if err != nil {
			s.unsent.Add(1)
		} else {
			s.sent.Add(uint64(len(batch)))
		}
		batch, bytes = nil, 0
		return err
	}
	for _, m := range list {
		m.From = s.me
		encoded, err := m.encode(s.o.Longest, &s.number)
		if err != nil {
			s.o.Logger.Warn("event not announced to other workers", "error", err)
			continue
		}
		for _, raw := range encoded {
			if bytes += len(raw); bytes > mostAtOnce {
				if err := flush(); err != nil {
					return err
				}
				bytes = len(raw)
			}
			batch = append(batch, raw)
		}
	}
	return flush()
}
