package service

import (
	"cmp"
	"context"
	"iter"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/events"
	"errand/internal/rights"
)

var listNames = []struct {
	list events.Lists
	name string
}{{events.Tasks, "tasks"}, {events.Questions, "questions"}, {events.Deliveries, "deliveries"}}

// watchChanges reports changes of a person's lists. It reads nothing from the store, and omits
// lists that the actor may not read.
func (m *Messages) watchChanges(ctx context.Context, by actor.Actor, in api.WatchChangesInput) (iter.Seq2[api.Changes, error], error) {
	person, err := m.whose(by, in.Person.Person)
	if err != nil {
		return nil, err
	}
	visible := events.Questions
	for list, capability := range map[events.Lists]string{events.Tasks: rights.TasksRead, events.Deliveries: rights.DeliveriesRead} {
		if m.Allows(by, rights.Capability, capability) {
			visible |= list
		}
	}
	changed, cancel := m.Bus.SubscribeLists(person)
	return func(yield func(api.Changes, error) bool) {
		defer cancel()
		if !yield(changesOf(0), nil) {
			return
		}
		for {
			var lists events.Lists
			select {
			case <-ctx.Done():
				return
			case lists = <-changed:
			case <-blind(m.Bus, cmp.Or(m.BlindPoll, 2*time.Second)):
				lists = events.AllLists
			}
			if lists &= visible; lists != 0 && !yield(changesOf(lists), nil) {
				return
			}
		}
	}, nil
}

// blind returns a channel that receives after a time, or nil if the bus announces changes of other
// workers.
func blind(bus EventBus, after time.Duration) <-chan time.Time {
	if bus.Live() {
		return nil
	}
	return time.After(after)
}

func changesOf(lists events.Lists) api.Changes {
	out := api.Changes{Lists: []string{}}
	for _, l := range listNames {
		if lists&l.list != 0 {
			out.Lists = append(out.Lists, l.name)
		}
	}
	return out
}
