package service

import (
	"context"
	"strings"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/rights"
	"errand/internal/store"
)

// Notes has the operations on notes, which agents keep about people.
type Notes struct{ *Env }

func (n *Notes) bind(r *ops.Runner) {
	ops.Bind(r, api.ListNotes, n.list)
	ops.Bind(r, api.DeleteNote, n.forget)
}

func (n *Notes) list(ctx context.Context, by actor.Actor, in api.ListNotesInput) (out api.List[core.PersonNote], err error) {
	f := store.NoteFilter{Agent: core.AgentName(strings.ToLower(in.Agent)), Prefix: in.Prefix, Limit: in.Limit}
	if f.Person, err = n.whose(by, in.Person.Person); err != nil {
		return out, err
	}
	if f.After, err = ParseCursor(api.ListNotes.Name, in.After.After); err != nil {
		return out, err
	}
	list, err := paged(n.Store.Notes(ctx, f))
	return page(api.ListNotes.Name, in.Limit, list, store.PositionOfNote), err
}

// forget deletes a note about the actor or, if the actor may change other people's things, about
// another person.
func (n *Notes) forget(ctx context.Context, by actor.Actor, in api.DeleteNoteInput) (api.NoteOut, error) {
	out := api.NoteOut{Agent: strings.ToLower(in.Agent), Key: in.Key}
	person := in.Person
	if person == "" {
		person = by.Person
	}
	if person != by.Person && n.changesOthers(by) != nil {
		return out, Forbidden("refusal.others_notes", "role", n.leastFor(rights.OthersChange))
	}
	if err := n.Store.ForgetNote(ctx, person, core.AgentName(out.Agent), in.Key); err != nil {
		return out, Known(err)
	}
	n.Logger.Info("note forgotten", "person", person, "agent", out.Agent, "by", by.Person)
	return out, nil
}
