package service_test

import (
	"context"
	"testing"

	"errand"
	"errand/internal/rights"
	"errand/internal/service"
)

// health notes whether what it says was asked for by somebody who runs errand.
type health struct{ admin bool }

func (h *health) States(_ string, admin bool) []errand.ModelState {
	h.admin = admin
	return nil
}

func (h *health) All(context.Context, errand.PersonID, string) ([]errand.ModelState, error) {
	return nil, nil
}

// TestModelStates proves that which provider does not answer, and what there is to
// do, is for those who may check the models.
func TestModelStates(t *testing.T) {
	for _, least := range []errand.Role{errand.MasterAdmin, errand.Partner} {
		seen, table := &health{}, rights.Default()
		if err := table.Set(rights.Capability, rights.ModelsCheck, least); err != nil {
			t.Fatal(err)
		}
		h := newHouse(t, func(deps *service.Deps) { deps.Health, deps.Rights = seen, table })
		for _, role := range errand.Roles() {
			if _, err := h.ModelStates(t.Context(), as(role)); err != nil {
				t.Fatal(err)
			}
			if want := role.Includes(least); seen.admin != want {
				t.Errorf("a %s reads what those read who check models: %v, want %v", role, seen.admin, want)
			}
		}
	}
}
