package service

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/temporal/dispatch"
)

// Sessions has the operations on sessions, including ended ones.
type Sessions struct {
	*Env
	dispatch *dispatch.Dispatcher
	roster   *agents.Roster
	tools    func(core.Session, core.Role) []string // see [Deps.Tools]
}

func (s *Sessions) bind(r *ops.Runner) {
	ops.Bind(r, api.ListSessions, s.list)
	ops.Bind(r, api.SearchSessions, s.search)
	ops.Bind(r, api.GetSession, s.get)
	ops.Bind(r, api.ListCalls, s.calls)
	ops.Bind(r, api.ExportSession, s.export)
	ops.Bind(r, api.DeleteSession, s.remove)
	ops.Bind(r, api.GetTurnUsage, s.turnUsage)
}

func (s *Sessions) list(ctx context.Context, by actor.Actor, in api.ListSessionsInput) (out api.List[core.Session], err error) {
	f := store.SessionFilter{Channel: in.Channel, Agent: core.AgentName(strings.ToLower(in.Agent)), State: string(in.State), Before: in.Before.Time, Limit: in.Limit}
	if in.Chat != "" {
		if f.Key, err = webKey(in.Chat, cmp.Or(in.Person.Person, by.Person)); err != nil {
			return out, err
		}
	}
	if f.Person, err = s.whose(by, in.Person.Person); err != nil {
		return out, err
	}
	if f.After, err = ParseCursor(api.ListSessions.Name, in.After.After); err != nil {
		return out, err
	}
	list, err := s.titled(ctx, f)
	return page(api.ListSessions.Name, in.Limit, list, store.PositionOfSession), err
}

func (s *Sessions) titled(ctx context.Context, f store.SessionFilter) ([]core.Session, error) {
	list, err := paged(s.Store.Sessions(ctx, f))
	if err != nil {
		return nil, err
	}
	ids := make([]core.SessionID, len(list))
	for i, found := range list {
		ids[i] = found.ID
	}
	titles, err := s.Store.ChatTitles(ctx, ids)
	for i := range list {
		list[i].Title = titles[list[i].ID]
	}
	return list, err
}

func (e *Env) resolveSession(ctx context.Context, by actor.Actor, idOrPrefix string) (core.Session, error) {
	whose := by.Person
	if e.readsOthers(by) == nil {
		whose = ""
	}
	found, err := e.Store.FindSession(ctx, idOrPrefix, whose)
	return found, Known(err)
}

func (s *Sessions) search(ctx context.Context, by actor.Actor, in api.SearchSessionsInput) ([]core.SearchHit, error) {
	text := strings.TrimSpace(in.Text)
	if text == "" {
		return nil, Invalid("q", "refusal.no_search")
	}
	person, err := s.whose(by, in.Person.Person)
	if err != nil {
		return nil, err
	}
	hits, err := s.Store.Search(ctx, text, person, in.Limit)
	if errors.Is(err, store.ErrNoWords) {
		return nil, Invalid("no_words", "refusal.no_words")
	}
	return hits, err
}

func (s *Sessions) get(ctx context.Context, by actor.Actor, in api.SessionID) (core.Export, error) {
	return s.exported(ctx, by, in.ID)
}

func (s *Sessions) export(ctx context.Context, by actor.Actor, in api.ExportSessionInput) (api.File, error) {
	if in.Format != "" && in.Format != "markdown" && in.Format != "json" {
		return api.File{}, badRequest("format", "format must be markdown or json, not %q", core.Cut(in.Format, 40))
	}
	e, err := s.exported(ctx, by, in.ID)
	if err != nil {
		return api.File{}, err
	}
	name := "session-" + core.Cut(string(e.Session.ID), 40)
	if in.Format == "json" {
		raw, err := json.Marshal(e)
		return exportFile(append(raw, '\n'), name+".json", "application/json"), err
	}
	return exportFile([]byte(store.Markdown(e)), name+".md", "text/markdown; charset=utf-8"), nil
}

func exportFile(raw []byte, name, media string) api.File {
	return api.File{Reader: bytes.NewReader(raw), Name: name, Type: media, Size: int64(len(raw))}
}

// exported returns a session with its messages, its tasks, and its agent's current tools.
func (s *Sessions) exported(ctx context.Context, by actor.Actor, id core.SessionID) (core.Export, error) {
	found, err := s.resolveSession(ctx, by, string(id))
	if err != nil {
		return core.Export{}, err
	}
	e, err := s.exportTitled(ctx, found.ID)
	if err != nil || found.Person == "" || found.Person == core.Everyone {
		return e, Known(err) // in a shared session the tools depend on the author of a message
	}
	person, err := s.Store.Person(ctx, found.Person)
	switch {
	case errors.Is(err, store.ErrNotFound): // the person was removed
		return e, nil
	case err != nil:
		return e, err
	}
	e.Role = person.Role
	if agent, ok := s.roster.Agent(found.Agent); ok {
		e.Role = core.Lesser(e.Role, agent.ActsAs)
	}
	if s.tools != nil {
		e.Tools = s.tools(found, person.Role)
	}
	return e, nil
}

func (s *Sessions) exportTitled(ctx context.Context, id core.SessionID) (core.Export, error) {
	e, err := s.Store.Export(ctx, id)
	if err != nil {
		return e, err
	}
	titles, err := s.Store.ChatTitles(ctx, []core.SessionID{id})
	e.Session.Title = titles[id]
	return e, err
}

func (s *Sessions) calls(ctx context.Context, by actor.Actor, in api.ListCallsInput) ([]core.TurnCall, error) {
	if in.Turn < 1 {
		return nil, badRequest("turn", "name the turn by its number, which the event at its end has")
	}
	found, err := s.resolveSession(ctx, by, string(in.ID))
	if err != nil {
		return nil, err
	}
	return s.Store.TurnCalls(ctx, core.SessionOwner(found.ID), in.Turn)
}

func (s *Sessions) turnUsage(ctx context.Context, by actor.Actor, in api.TurnUsageInput) (*core.Usage, error) {
	if s.may(by.Scoped(""), rights.UsageRead) != nil {
		return nil, nil
	}
	used, err := s.Store.TurnUsage(ctx, by.Person, in.Session, in.Turn)
	return &used, err
}
