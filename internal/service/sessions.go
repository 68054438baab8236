package service

import (
	"context"
	"errors"
	"time"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
)

// A Session is one durable conversation, as the store keeps it.
type Session = store.Session

// A SessionFilter narrows a list of sessions.
type SessionFilter = store.SessionFilter

// What is found and shown of sessions, under the names that pages and programs
// use.
type (
	Hit      = store.Hit
	Export   = store.Export
	UsageSum = store.UsageSum
	TurnCall = store.TurnCall
)

// Sessions lists sessions, the last active first: one's own, or, for those who may
// look at them, those of the person of the filter; "*" is everybody.
func (s *Service) Sessions(ctx context.Context, by Actor, f SessionFilter) ([]Session, error) {
	if err := s.may(by, rights.SessionsRead); err != nil {
		return nil, err
	}
	var err error
	if f.Person, err = s.whose(by, f.Person); err != nil {
		return nil, err
	}
	list, err := paged(s.Store.Sessions(ctx, f))
	if err != nil {
		return nil, err
	}
	return list, s.addTitles(ctx, list)
}

func (s *Service) addTitles(ctx context.Context, list []Session) error {
	ids := make([]errand.SessionID, len(list))
	for i, found := range list {
		ids[i] = found.ID
	}
	titles, err := s.Store.ChatTitles(ctx, ids)
	for i := range list {
		list[i].Title = titles[list[i].ID]
	}
	return err
}

// resolveSession returns the session that by means by the beginning of its id: one of their
// own, or of anybody's for those who may look at them.
func (s *Service) resolveSession(ctx context.Context, by Actor, idOrPrefix string) (Session, error) {
	whose := by.Person
	if s.readsOthers(by) == nil {
		whose = ""
	}
	found, err := s.Store.FindSession(ctx, idOrPrefix, whose)
	return found, Known(err)
}

// Search finds messages by words of theirs, the newest first, in the
// sessions that [Service.Sessions] lists.
func (s *Service) Search(ctx context.Context, by Actor, text string, f SessionFilter) ([]Hit, error) {
	if err := s.may(by, rights.SessionsSearch); err != nil {
		return nil, err
	}
	person, err := s.whose(by, f.Person)
	if err != nil {
		return nil, err
	}
	hits, err := s.Store.Search(ctx, text, person, f.Limit)
	if errors.Is(err, store.ErrNoWords) {
		return nil, Invalid("no_words", "refusal.no_words")
	}
	return hits, err
}

// Export returns a session with all that was said in it, its tasks, and what its
// agent may do there now.
func (s *Service) Export(ctx context.Context, by Actor, id errand.SessionID) (Export, error) {
	if err := s.may(by, rights.SessionsRead); err != nil {
		return Export{}, err
	}
	found, err := s.resolveSession(ctx, by, string(id))
	if err != nil {
		return Export{}, err
	}
	e, err := s.exportTitled(ctx, found.ID)
	if err != nil || found.Person == "" || found.Person == errand.Everyone {
		return e, Known(err) // in a session that several share it depends on who writes
	}
	person, err := s.Store.Person(ctx, found.Person)
	switch {
	case errors.Is(err, store.ErrNotFound): // they were removed
		return e, nil
	case err != nil:
		return e, err
	}
	e.Role = person.Role
	if agent, ok := s.Roster.Agent(found.Agent); ok {
		e.Role = errand.Lesser(e.Role, agent.ActsAs)
	}
	if s.Tools != nil {
		e.Tools = s.Tools(found, person.Role)
	}
	return e, nil
}

func (s *Service) exportTitled(ctx context.Context, id errand.SessionID) (Export, error) {
	e, err := s.Store.Export(ctx, id)
	if err != nil {
		return e, err
	}
	titles, err := s.Store.ChatTitles(ctx, []errand.SessionID{id})
	e.Session.Title = titles[id]
	return e, err
}

// TurnCalls returns the calls of tools in a turn of a session that by may read.
func (s *Service) TurnCalls(ctx context.Context, by Actor, id errand.SessionID, turn int) ([]TurnCall, error) {
	if err := s.may(by, rights.SessionsRead); err != nil {
		return nil, err
	}
	found, err := s.resolveSession(ctx, by, string(id))
	if err != nil {
		return nil, err
	}
	return s.Store.TurnCalls(ctx, errand.SessionOwner(found.ID), turn)
}

// TurnUsage returns what the model calls of a turn of the actor's have used. A token that may
// send messages may know what their answers have used, if its person may.
func (s *Service) TurnUsage(ctx context.Context, by Actor, session errand.SessionID, turn int) (errand.Usage, error) {
	if err := s.may(by, rights.UsageRead); err != nil && (s.may(by.Scoped(""), rights.UsageRead) != nil || s.may(by, rights.MessagesSend) != nil) {
		return errand.Usage{}, err
	}
	return s.Store.TurnUsage(ctx, by.Person, session, turn)
}

// Usage returns what somebody has used since the beginning of a day, UTC:
// the actor, or, for those who may look at it, another; "*" is everybody.
func (s *Service) Usage(ctx context.Context, by Actor, person errand.PersonID, since time.Time) ([]UsageSum, error) {
	if err := s.may(by, rights.UsageRead); err != nil {
		return nil, err
	}
	person, err := s.whose(by, person)
	if err != nil {
		return nil, err
	}
	return s.Store.UsageOf(ctx, person, since)
}
