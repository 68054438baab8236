package service_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"errand"
	"errand/internal/events"
	"errand/internal/service"
)

// TestFollowLists proves that people are told of changes of what they may look at, and
// that nothing is told while nothing changes but that the stream goes on.
func TestFollowLists(t *testing.T) {
	h := newHouse(t, nil)
	enough := errors.New("enough")
	for _, test := range []struct {
		role   errand.Role
		person errand.PersonID
		want   service.Lists
	}{
		{errand.Guest, "", service.ListsQuestions},
		{errand.Member, "", service.ListsQuestions | service.ListsTasks},
		{errand.Partner, "", events.AllLists},
		{errand.Partner, "*", events.AllLists},
	} {
		by := service.Actor{Person: errand.PersonID(test.role), Role: test.role}
		beats := 0
		var told []service.Lists
		err := h.FollowLists(t.Context(), by, test.person, service.ListReading{Beat: time.Millisecond, OnChange: func(lists service.Lists) error {
			switch told = append(told, lists); {
			case lists != 0:
				return enough
			case beats == 3:
				bus := h.store.Bus()
				if test.person == "" {
					bus.ChangeLists("somebody else", events.Tasks)
				}
				bus.ChangeLists(by.Person, events.AllLists)
			}
			beats++
			return nil
		}})
		if !errors.Is(err, enough) || len(told) < 5 || told[len(told)-1] != test.want {
			t.Errorf("%s was told %v, %v; want %03b after some beats", test.role, told, err, test.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.FollowLists(ctx, service.Actor{Person: "member", Role: errand.Member}, "", service.ListReading{Beat: time.Hour, OnChange: func(service.Lists) error { return nil }}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
