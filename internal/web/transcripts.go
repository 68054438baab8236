package web

import (
	"fmt"
	"io"
	"maps"
	"net/http"

	"errand"
	"errand/internal/service"
)

type inSession struct {
	ID errand.SessionID `path:"id" id:"session" description:"session id, or its unique beginning"`
}

// getSession shows a session with its transcript: what an export has, as JSON.
func (s *Server) getSession(r *http.Request, in inSession) (service.Export, error) {
	return s.Backend.Export(r.Context(), actor(r), in.ID)
}

type callsIn struct {
	inSession
	Turn int `query:"turn" maximum:"1000000000" description:"number of the turn, as events have it"`
}

func (s *Server) getCalls(r *http.Request, in callsIn) ([]service.TurnCall, error) {
	if in.Turn == 0 {
		return nil, badRequest("turn", "say which turn: an event that ends one has its number")
	}
	return s.Backend.TurnCalls(r.Context(), actor(r), in.ID, in.Turn)
}

type exportIn struct {
	Format string `query:"format" enum:"markdown,json" description:"markdown by default"`
	inSession
}

func (s *Server) getExport(w http.ResponseWriter, r *http.Request, in exportIn) error {
	if in.Format != "" && in.Format != "markdown" && in.Format != "json" {
		return badRequest("format", "format is markdown or json, not %q", errand.Cut(in.Format, 40))
	}
	export, err := s.Backend.Export(r.Context(), actor(r), in.ID)
	if err != nil {
		return err
	}
	name := errand.Cut(string(export.Session.ID), 40)
	if in.Format == "json" {
		w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", "session-"+name+".json"))
		return reply(w, http.StatusOK, export)
	}
	w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", "session-"+name+".md"))
	if _, err := io.WriteString(w, export.Markdown()); err != nil {
		return nil // the client is gone
	}
	return nil
}

type deleteSessionIn struct {
	inSession
	Force bool `query:"force" description:"true: also with tasks at work, which are cancelled"`
}

type deleteSessionOut struct {
	Removed map[string]int   `json:"removed" description:"how many of what"`
	Session errand.SessionID `json:"session_id"`
}

func (s *Server) deleteSession(r *http.Request, in deleteSessionIn) (deleteSessionOut, error) {
	gone, err := s.Backend.DeleteSession(r.Context(), actor(r), in.ID, in.Force)
	out := deleteSessionOut{map[string]int{}, gone.Session}
	maps.Copy(out.Removed, gone.Rows)
	if gone.Histories > 0 {
		out.Removed["histories"] = gone.Histories // of workflows, in Temporal
	}
	return out, err
}
