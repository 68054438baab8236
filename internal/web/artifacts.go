package web

import (
	"mime"
	"net/http"
	"strconv"

	"errand"
)

type artifactIn struct {
	ID errand.ArtifactID `path:"id" id:"file" description:"artifact id"`
}

const artifactAbout = "For whoever sent it, and for partners and above; for others it is not there. It comes as an attachment, with the type that its content has. " +
	"The artifacts of a session are in GET /api/sessions/{id}."

// getArtifact hands a file over that somebody sent. It is never shown as a page
// of ours, whatever is in it.
func (s *Server) getArtifact(w http.ResponseWriter, r *http.Request, in artifactIn) error {
	a, data, err := s.Backend.Artifact(r.Context(), actor(r), in.ID)
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
