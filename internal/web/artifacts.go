package web

import (
	"mime"
	"net/http"
	"strconv"

	"errand"
)

// getArtifact hands a file over that somebody sent. It is never shown as a page
// of ours, whatever is in it.
func (s *Server) getArtifact(w http.ResponseWriter, r *http.Request) error {
	id, err := idOf(r, "file")
	if err != nil {
		return err
	}
	a, data, err := s.Backend.Artifact(r.Context(), actor(r), errand.ArtifactID(id))
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", a.Type)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": a.Name}))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("Content-Length", strconv.Itoa(len(data)))
	if _, err := w.Write(data); err != nil {
		return nil // the client is gone
	}
	return nil
}
