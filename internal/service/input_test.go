package service_test

import (
	"errors"
	"strings"
	"testing"

	"errand/internal/core"
	"errand/internal/service"
	"errand/internal/test/servicetest"
)

// TestImpossibleIDs proves that ids which Temporal or a database would not take are
// refused in words, and are no failure of errand's.
func TestImpossibleIDs(t *testing.T) {
	h := newHouse(t, nil)
	owner := as(core.MasterAdmin)
	refused := func(what string, err error) {
		t.Helper()
		var no *service.Error
		if !errors.As(err, &no) || no.Kind != service.KindInvalid {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, id := range []string{"a\x00b", strings.Repeat("x", 201)} {
		_, err := servicetest.Reset(t.Context(), h.Service, owner, chatOf(owner.Person), "", id)
		refused("a session for the message "+id, err)
	}
	for _, i := range [][3]string{{"tele\x00gram", "", "1"}, {"telegram", "ma\x00in", "1"}, {"tele\u202egram", "", "1"}, {"", "", "1"}} {
		refused(strings.Join(i[:], " "), h.Link(t.Context(), owner, owner.Person, i[0], i[1], i[2]))
	}
}
