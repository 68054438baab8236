package events

import (
	"context"
	"time"
)

func (s *Shared) wakeSender() {
	select {
	case s.wake <- struct{}{}:
	default: // the sender is already awake
	}
}

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
	_ = s.sendBatch(last) // the error is logged, and subscribers read the log at intervals
}

// due returns how long to wait before the next batch; false if there is nothing to send.
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

// sendBatch does not retry: the other processes learn later that they have missed something.
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

func (s *Shared) take() (list []message, hello uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.out.lost:
		s.out = outgoing{}
		s.sync(message{Lost: true})
	case s.helloDue: // other hellos may have been missed while this process did not receive
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
