package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"errand/internal/core"
)

const longestWait = 15 * time.Second

const (
	restartPeople = 6
	restartPause  = 500 * time.Millisecond // of a person, before they write again
	restartApart  = 5 * time.Second        // between a worker that is ready and the next that ends
)

// restart ends and starts the workers one after the other while people write, again
// and again until the time is over, and counts what became of what they wrote.
func restart(ctx context.Context, o options) error {
	return withModel(ctx, o, func(ctx context.Context, s *stack) error {
		people, err := s.people(ctx, restartPeople)
		if err != nil {
			return err
		}
		writing, stop := context.WithTimeout(ctx, o.each)
		defer stop()
		c := s.converse(ctx, writing, people)
		rounds := 0
		for writing.Err() == nil {
			rounds++
			for i := range s.replicas("errand") {
				if !pause(ctx, restartApart) {
					return ctx.Err()
				}
				if err := s.replace(ctx, fmt.Sprintf("errand-%d", i+1)); err != nil {
					return err
				}
			}
		}
		c.Wait()
		return s.count(ctx, people, c, rounds)
	})
}

// replace stops a worker as Docker does, and starts another one in its place.
func (s *stack) replace(ctx context.Context, name string) error {
	old := s.process(name)
	began := time.Now()
	if err := s.stop(old); err != nil {
		return err
	}
	ended := time.Since(began)
	if _, err := s.start(ctx, old.place, name); err != nil {
		return err
	}
	if err := s.healthy(ctx, old.place); err != nil {
		return err
	}
	logf("%s ended in %.1f s, and another was ready in %.1f s", name, ended.Seconds(), (time.Since(began) - ended).Seconds())
	return nil
}

type conversations struct {
	sync.WaitGroup
	mu       sync.Mutex
	took     []time.Duration
	problems []error
}

// converse has each person write, wait for the reply, and write again: two turns, then
// a delegation.
func (s *stack) converse(ctx, writing context.Context, people []*person) *conversations {
	c := new(conversations)
	for n, p := range people {
		c.Go(func() {
			for i := 0; pause(writing, restartPause); i++ {
				verb := "say"
				if i%3 == 2 {
					verb = "delegate"
				}
				id := fmt.Sprintf("x%d", 1+i*len(people)+n)
				asked := time.Now()
				one, cancel := context.WithTimeout(ctx, 2*time.Minute)
				got, err := p.write(one, "main", id, verb+" "+id)
				cancel()
				if err == nil && !strings.Contains(got.Reply.Text, "done "+id) {
					err = fmt.Errorf("the reply to %s %s is %q", verb, id, got.Reply.Text)
				}
				c.mu.Lock()
				c.took = append(c.took, time.Since(asked))
				if err != nil {
					c.problems = append(c.problems, err)
				}
				c.mu.Unlock()
			}
		})
	}
	return c
}

// count compares what was written with what is in the chats.
func (s *stack) count(ctx context.Context, people []*person, c *conversations, rounds int) error {
	messages, replies, late := 0, 0, 0
	for _, p := range people {
		events, err := p.events(ctx, "main")
		if err != nil {
			return err
		}
		for _, e := range events {
			switch e.Type {
			case core.EventMessage:
				if e.Cause == "" { // others repeat it
					messages++
				}
			case core.EventReply:
				replies++
			case core.EventLate:
				late++
			}
		}
	}
	slices.Sort(c.took)
	longest := time.Duration(0)
	if len(c.took) > 0 {
		longest = c.took[len(c.took)-1]
	}
	logf("%d rounds of restarts; written %d, in the log %d, replies %d, told late %d; longest wait %.1f s", rounds, len(c.took), messages, replies, late, longest.Seconds())
	err := errors.Join(c.problems...)
	if messages != len(c.took) || replies != messages || late != 0 {
		err = errors.Join(err, fmt.Errorf("wrote %d messages, and the log has %d, with %d replies and %d late ones", len(c.took), messages, replies, late))
	}
	if longest > longestWait {
		err = errors.Join(err, fmt.Errorf("somebody waited %.1f s, and may wait %s", longest.Seconds(), longestWait))
	}
	return err
}
