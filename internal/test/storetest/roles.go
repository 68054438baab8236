package storetest

import (
	"strings"
	"testing"

	"errand/internal/core"
	"errand/internal/store"
)

// AddEveryRole adds one person of each role: their id is the role, and their name
// the role in capitals.
func AddEveryRole(t testing.TB, s *store.Store) {
	t.Helper()
	for _, role := range core.Roles() {
		if _, err := s.EnsurePerson(t.Context(), core.PersonID(role), strings.ToUpper(string(role)), role); err != nil {
			t.Fatal(err)
		}
	}
}
