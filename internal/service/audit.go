package service

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/store"
)

// The doors in the audit log. A platform has its own name as its door.
const (
	DoorPage   = "page"
	DoorCLI    = "cli"
	DoorAPI    = "api"
	DoorMCP    = "mcp"
	DoorA2A    = "a2a"
	DoorOpenAI = "openai"
)

// Audit has the operation on the audit log.
type Audit struct{ *Env }

func (a *Audit) bind(r *ops.Runner) { ops.Bind(r, api.ListAudit, a.list) }

// list accepts a person by name or id; the id may be a removed person's.
func (a *Audit) list(ctx context.Context, _ actor.Actor, in api.ListAuditInput) (out api.List[core.AuditEntry], err error) {
	f := store.AuditFilter{Person: in.Person, Of: in.Of, Since: in.Since.Time, Before: int64(in.Before), Limit: in.Limit}
	f.Deeds = strings.FieldsFunc(in.Deed, func(r rune) bool { return r == ',' || r == ' ' })
	for _, word := range f.Deeds {
		if !isDeed(word) {
			return out, Invalid("deed", "refusal.unknown_deed", "deed", strconv.Quote(core.Cut(word, 40)), "deeds", deedNames())
		}
	}
	if f.After, err = ParseCursor(api.ListAudit.Name, in.After.After); err != nil {
		return out, err
	}
	if f.Person != "" {
		p, err := a.Store.FindPerson(ctx, string(f.Person))
		switch {
		case err == nil:
			f.Person = p.ID
		case errors.Is(err, store.ErrAmbiguous):
			return out, conflict("ambiguous", "refusal.several_people", "name", core.Cut(string(f.Person), 60))
		case !errors.Is(err, store.ErrNotFound):
			return out, err
		}
	}
	list, err := paged(a.Store.Audit(ctx, f))
	return page(api.ListAudit.Name, in.Limit, list, PositionOfEntry), err
}

func isDeed(word string) bool {
	for _, d := range core.Deeds() {
		if d.Matches(word) {
			return true
		}
	}
	return false
}

func deedNames() string {
	var names []string
	for _, d := range core.Deeds() {
		names = append(names, string(d))
	}
	return strings.Join(names, ", ")
}
