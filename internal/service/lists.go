package service

import (
	"cmp"
	"context"
	"time"

	"errand"
	"errand/internal/events"
	"errand/internal/rights"
)

// Lists say which lists have changed.
type Lists = events.Lists

// The lists that are followed.
const (
	ListsTasks      = events.Tasks
	ListsQuestions  = events.Questions
	ListsDeliveries = events.Deliveries
)

// A ListReading says how lists are followed.
type ListReading struct {
	// OnChange is told which lists are not what they were: none of them when all that comes is
	// told from then on, and at every Beat. An error ends the reading. Here it is seen
	// whether who reads still may.
	OnChange func(Lists) error
	Beat     time.Duration // not 0
	// Blind is how often all is taken for changed while what other workers do is not
	// heard of; default 2 s.
	Blind time.Duration
}

// FollowLists tells which lists of a person, as of [Service.Questions], have changed,
// until ctx is done or r says so, and returns why. It reads nothing from the store. Those
// that the actor may not look at are left out.
func (s *Service) FollowLists(ctx context.Context, by Actor, person errand.PersonID, r ListReading) error {
	if err := s.may(by, rights.QuestionsRead); err != nil {
		return err
	}
	person, err := s.whose(by, person)
	if err != nil {
		return err
	}
	visible := events.Questions
	for list, capability := range map[Lists]string{events.Tasks: rights.TasksRead, events.Deliveries: rights.DeliveriesRead} {
		if s.Allows(by, rights.Capability, capability) {
			visible |= list
		}
	}
	changed, cancel := s.Store.Bus().SubscribeLists(person)
	defer cancel()
	if err := r.OnChange(0); err != nil {
		return err
	}
	beat := time.NewTicker(r.Beat)
	defer beat.Stop()
	for {
		var lists Lists
		select {
		case <-ctx.Done():
			return ctx.Err()
		case lists = <-changed:
			if lists &= visible; lists == 0 {
				continue
			}
		case <-beat.C:
		case <-s.blind(cmp.Or(r.Blind, 2*time.Second)):
			lists = visible
		}
		if err := r.OnChange(lists); err != nil {
			return err
		}
	}
}

// blind is when to look though nothing was heard; never while all is.
func (s *Service) blind(after time.Duration) <-chan time.Time {
	if s.Store.Bus().Live() {
		return nil
	}
	return time.After(after)
}
