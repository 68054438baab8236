package service_test

import (
	"errors"
	"testing"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
	"errand/internal/store"
)

// TestNotes proves that everybody sees what is noted about themselves and may
// have it forgotten, and about others only who may.
func TestNotes(t *testing.T) {
	h := newHouse(t, nil)
	for _, role := range core.Roles() {
		if err := h.store.Remember(t.Context(), core.PersonID(role), "nikki", store.Note{Key: "k", Value: "v"}); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		role   core.Role
		person core.PersonID
		sees   int
		look   service.Kind // empty: no error
		forget service.Kind
	}{
		{core.Member, "", 1, "", ""},
		{core.Member, "guest", 0, service.KindForbidden, service.KindForbidden},
		{core.Member, "*", 0, service.KindForbidden, service.KindForbidden},
		{core.Partner, "guest", 1, "", service.KindForbidden},
		{core.MasterAdmin, "*", 3, "", service.KindNotFound},
		{core.MasterAdmin, "guest", 1, "", ""},
		{core.MasterAdmin, "guest", 0, "", service.KindNotFound},
	}
	for _, test := range tests {
		by := actor.Actor{Person: core.PersonID(test.role), Role: test.role}
		list, err := ops.Do(t.Context(), h.Runner, api.ListNotes, by, api.ListNotesInput{Person: api.Person{Person: test.person}})
		if kind(err) != test.look || len(list.Items) != test.sees {
			t.Errorf("%s sees %d notes about %q, %v; want %d, %q", test.role, len(list.Items), test.person, err, test.sees, test.look)
		}
		if err := do(t.Context(), h, api.DeleteNote, by, api.DeleteNoteInput{Agent: "Nikki", Key: "k", Person: test.person}); kind(err) != test.forget {
			t.Errorf("%s has a note about %q forgotten: %v, want %q", test.role, test.person, err, test.forget)
		}
	}
}

// kind is what is the matter, by an error; empty: nothing.
func kind(err error) service.Kind {
	var e *service.Error
	if err != nil && !errors.As(err, &e) {
		return "no error of the service"
	}
	if err != nil {
		return e.Kind
	}
	return ""
}
