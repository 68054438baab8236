package service

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
)

// The doors by which somebody comes in, as the audit log names them. A platform is a door by
// its own name.
const (
	DoorPage   = "page"
	DoorCLI    = "cli"
	DoorAPI    = "api"
	DoorMCP    = "mcp"
	DoorA2A    = "a2a"
	DoorOpenAI = "openai"

	doorAgent = "agent" // a tool that an agent has called for them
)

// viaProgram stands in the audit log for a program that shows no token of a person's.
const viaProgram = "program"

// Through is a, who has come in by a door.
func (a Actor) Through(door string) Actor {
	a.door = door
	return a
}

// doing is ctx for what an actor does: what is changed under it that the audit log keeps, it
// keeps as theirs.
func doing(ctx context.Context, by Actor) context.Context {
	d := store.Doer{Person: by.Person, Via: by.token, Door: by.door}
	switch {
	case by.tool != "":
		d.Via, d.Door = string(by.agent), doorAgent
	case by.program:
		d.Via = cmp.Or(d.Via, viaProgram)
	}
	return store.WithDoer(ctx, d)
}

// What the store keeps of who has done what, under the names that pages and programs use.
type (
	AuditEntry  = store.AuditEntry
	AuditFilter = store.AuditFilter
)

// Audit lists what people and programs have done, the newest first. The person of the filter
// is one by name or id, also one who is not there any more by their id.
func (s *Service) Audit(ctx context.Context, by Actor, f AuditFilter) ([]AuditEntry, error) {
	if err := s.may(by, rights.AuditRead); err != nil {
		return nil, err
	}
	for _, word := range f.Deeds {
		if !isDeed(word) {
			return nil, Invalid("deed", "refusal.unknown_deed", "deed", strconv.Quote(errand.Cut(word, 40)), "deeds", deedNames())
		}
	}
	if f.Person != "" {
		p, err := s.Store.FindPerson(ctx, string(f.Person))
		switch {
		case err == nil:
			f.Person = p.ID
		case errors.Is(err, store.ErrAmbiguous):
			return nil, conflict("ambiguous", "refusal.several_people", "name", errand.Cut(string(f.Person), 60))
		case !errors.Is(err, store.ErrNotFound):
			return nil, err
		}
	}
	return paged(s.Store.Audit(ctx, f))
}

func isDeed(word string) bool {
	for _, d := range store.Deeds() {
		if d.Matches(word) {
			return true
		}
	}
	return false
}

func deedNames() string {
	var names []string
	for _, d := range store.Deeds() {
		names = append(names, string(d))
	}
	return strings.Join(names, ", ")
}
