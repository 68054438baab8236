package service_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/events"
	"errand/internal/test/servicetest"
)

// TestWatchChanges proves that a person reads which of the lists that they may read have changed,
// and nothing about the lists of others.
func TestWatchChanges(t *testing.T) {
	h := newHouse(t, nil)
	enough := errors.New("enough")
	for _, test := range []struct {
		role   core.Role
		person core.PersonID
		want   []string
	}{
		{core.Guest, "", []string{"questions"}},
		{core.Member, "", []string{"tasks", "questions"}},
		{core.Partner, "", []string{"tasks", "questions", "deliveries"}},
		{core.Partner, "*", []string{"tasks", "questions", "deliveries"}},
	} {
		by := actor.Actor{Person: core.PersonID(test.role), Role: test.role}
		var read [][]string
		err := servicetest.Stream(t.Context(), h.Runner, api.WatchChanges, by, api.WatchChangesInput{Person: api.Person{Person: test.person}}, func() {}, func(c api.Changes) error {
			if read = append(read, c.Lists); len(read) == 2 {
				return enough
			}
			bus := h.store.Bus()
			if test.person == "" {
				bus.ChangeLists("another person", events.Tasks)
			}
			bus.ChangeLists(by.Person, events.AllLists)
			return nil
		})
		require.ErrorIs(t, err, enough)
		require.Equal(t, [][]string{{}, test.want}, read, test.role)
	}
	ctx, cancel := context.WithCancel(t.Context())
	require.NoError(t, servicetest.Stream(ctx, h.Runner, api.WatchChanges, as(core.Member), api.WatchChangesInput{}, cancel, func(api.Changes) error { return nil }), "it ends with its context")
}
