package intake_test

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
	d := newDoor(t, nil)
	for _, role := range errand.Roles() {
		if err := d.store.Remember(t.Context(), errand.PersonID(role), "nikki", store.Note{Key: "k", Value: "v"}); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		role   errand.Role
		person errand.PersonID
		sees   int
		look   int // status; 0: no error
		forget int
	}{
		{errand.Member, "", 1, 0, 0},
		{errand.Member, "guest", 0, 403, 403},
		{errand.Member, "*", 0, 403, 403},
		{errand.Partner, "guest", 1, 0, 403},
		{errand.MasterAdmin, "*", 3, 0, 404},
		{errand.MasterAdmin, "guest", 1, 0, 0},
		{errand.MasterAdmin, "guest", 0, 0, 404},
	}
	for _, test := range tests {
		by := service.Actor{Person: errand.PersonID(test.role), Role: test.role}
		list, err := d.Notes(t.Context(), by, service.NoteFilter{Person: test.person})
		if status(err) != test.look || len(list) != test.sees {
			t.Errorf("%s sees %d notes about %q, %v; want %d, %d", test.role, len(list), test.person, err, test.sees, test.look)
		}
		if err := d.ForgetNote(t.Context(), by, test.person, "nikki", "k"); status(err) != test.forget {
			t.Errorf("%s has a note about %q forgotten: %v, want %d", test.role, test.person, err, test.forget)
		}
	}
}

func status(err error) int {
	var e *service.Error
	if errors.As(err, &e) {
		return e.Status
	}
	if err != nil {
		return -1
	}
	return 0
}
