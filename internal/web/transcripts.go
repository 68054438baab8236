package web

import (
	"fmt"
	"io"
	"maps"
	"net/http"

	"errand"
)

// getSession shows a session with its transcript: what an export has, as JSON.
func (s *Server) getSession(w http.ResponseWriter, r *http.Request) error {
	id, err := idOf(r, "session")
	if err != nil {
		return err
	}
	export, err := s.Backend.Export(r.Context(), actor(r), errand.SessionID(id))
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, export)
}

func (s *Server) getExport(w http.ResponseWriter, r *http.Request) error {
	format := r.URL.Query().Get("format")
	if format != "" && format != "markdown" && format != "json" {
		return badRequest("format", "format is markdown or json, not %q", errand.Cut(format, 40))
	}
	id, err := idOf(r, "session")
	if err != nil {
		return err
	}
	export, err := s.Backend.Export(r.Context(), actor(r), errand.SessionID(id))
	if err != nil {
		return err
	}
	name := errand.Cut(string(export.Session.ID), 40)
	if format == "json" {
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

func (s *Server) deleteSession(w http.ResponseWriter, r *http.Request) error {
	id, err := idOf(r, "session")
	if err != nil {
		return err
	}
	force, err := flag(r.URL.Query(), "force")
	if err != nil {
		return err
	}
	gone, err := s.Backend.DeleteSession(r.Context(), actor(r), errand.SessionID(id), force)
	if err != nil {
		return err
	}
	removed := map[string]int{}
	maps.Copy(removed, gone.Rows)
	if gone.Histories > 0 {
		removed["histories"] = gone.Histories // of workflows, in Temporal
	}
	return reply(w, http.StatusOK, map[string]any{"session_id": gone.Session, "removed": removed})
}
