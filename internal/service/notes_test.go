package service_test

import (
	"errors"
	"testing"

	"errand"
	"errand/internal/service"
	"errand/internal/store"
)

// TestNotes proves that everybody sees what is noted about themselves and may
// have it forgotten, and about others only who may.
func TestNotes(t *testing.T) {
	h := newHouse(t, nil)
	for _, role := range errand.Roles() {
		if err := h.store.Remember(t.Context(), errand.PersonID(role), "nikki", store.Note{Key: "k", Value: "v"}); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		role   errand.Role
		person errand.PersonID
		sees   int
		look   service.Kind // empty: no error
		forget service.Kind
	}{
		{errand.Member, "", 1, "", ""},
		{errand.Member, "guest", 0, service.KindForbidden, service.KindForbidden},
		{errand.Member, "*", 0, service.KindForbidden, service.KindForbidden},
		{errand.Partner, "guest", 1, "", service.KindForbidden},
		{errand.MasterAdmin, "*", 3, "", service.KindNotFound},
		{errand.MasterAdmin, "guest", 1, "", ""},
		{errand.MasterAdmin, "guest", 0, "", service.KindNotFound},
	}
	for _, test := range tests {
		by := service.Actor{Person: errand.PersonID(test.role), Role: test.role}
		list, err := h.Notes(t.Context(), by, service.NoteFilter{Person: test.person})
		if kind(err) != test.look || len(list) != test.sees {
			t.Errorf("%s sees %d notes about %q, %v; want %d, %q", test.role, len(list), test.person, err, test.sees, test.look)
		}
		if err := h.ForgetNote(t.Context(), by, test.person, "nikki", "k"); kind(err) != test.forget {
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
