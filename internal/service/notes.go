package service

import (
	"context"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
)

// What agents have noted about people, under the names that pages and programs
// use.
type (
	Note       = store.PersonNote
	NoteFilter = store.NoteFilter
)

// Notes lists what agents have noted: about whom, the filter says, for those who may look at them.
func (s *Service) Notes(ctx context.Context, by Actor, f NoteFilter) ([]Note, error) {
	if err := s.may(by, rights.NotesRead); err != nil {
		return nil, err
	}
	var err error
	if f.Person, err = s.whose(by, f.Person); err != nil {
		return nil, err
	}
	return paged(s.Store.Notes(ctx, f))
}

// ForgetNote has a note about a person forgotten: about themselves, or, for a
// master_admin, about anybody.
func (s *Service) ForgetNote(ctx context.Context, by Actor, person errand.PersonID, agent errand.AgentName, key string) error {
	if err := s.may(by, rights.NotesForget); err != nil {
		return err
	}
	ctx = doing(ctx, by)
	if person == "" {
		person = by.Person
	}
	if person != by.Person && s.changesOthers(by) != nil {
		return Forbidden("refusal.others_notes", "role", s.leastFor(rights.OthersChange))
	}
	if err := s.Store.ForgetNote(ctx, person, agent, key); err != nil {
		return Known(err)
	}
	s.Logger.Info("note forgotten", "person", person, "agent", agent, "by", by.Person)
	return nil
}
