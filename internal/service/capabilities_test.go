package service_test

import (
	"reflect"
	"slices"
	"testing"

	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/service"
)

// TestServiceHasNoOperations proves that a Service has no exported method that acts for a caller
// without the check of the runner.
func TestServiceHasNoOperations(t *testing.T) {
	allowed := []string{
		"Allows", "MayUse", "ActorAs", // decide about rights and actors
		"RoleName", "RoleNames", "ParseRole", "RosterOf", "ZoneOf", // read no person's things
	}
	for m := range reflect.TypeFor[*service.Service]().Methods() {
		if !slices.Contains(allowed, m.Name) {
			t.Errorf("%s is a method of Service: declare an operation in package api", m.Name)
		}
	}
}

func other(by actor.Actor) core.PersonID {
	if by.Person == "guest" {
		return "member"
	}
	return "guest"
}
