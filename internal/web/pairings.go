package web

import (
	"net/http"
	"regexp"
	"strings"

	"errand"
)

func (s *Server) getPairings(w http.ResponseWriter, r *http.Request) error {
	waiting, err := flag(r.URL.Query(), "waiting")
	if err != nil {
		return err
	}
	list, err := s.Backend.Pairings(r.Context(), actor(r), waiting)
	return replyList(w, list, err)
}

var aCode = regexp.MustCompile(`^[\pL\pN-]{1,40}$`)

func codeOf(r *http.Request) (string, error) {
	code := strings.TrimSpace(r.PathValue("code"))
	if !aCode.MatchString(code) {
		return "", badRequest("code", "%q cannot be a code", errand.Cut(strings.ToValidUTF8(code, "?"), 40))
	}
	return code, nil
}

// postApprove lets somebody in: as a new person with a role, member unless it
// says another, or as somebody who is known already.
func (s *Server) postApprove(w http.ResponseWriter, r *http.Request) error {
	in := struct {
		Role   string `json:"role"`
		Person string `json:"person"`
	}{}
	if err := read(w, r, &in); err != nil {
		return err
	}
	code, err := codeOf(r)
	if err != nil {
		return err
	}
	role := errand.Member
	if in.Role != "" {
		if role, err = s.role(in.Role); err != nil {
			return err
		}
	}
	var as errand.PersonID
	if in.Person != "" {
		p, err := s.Backend.FindPerson(r.Context(), actor(r), in.Person)
		if err != nil {
			return err
		}
		as = p.ID
	}
	pairing, person, err := s.Backend.Approve(r.Context(), actor(r), code, role, as)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, map[string]any{"pairing": pairing, "person": person})
}

func (s *Server) postDeny(w http.ResponseWriter, r *http.Request) error {
	code, err := codeOf(r)
	if err != nil {
		return err
	}
	if err := s.Backend.Deny(r.Context(), actor(r), code); err != nil {
		return err
	}
	return reply(w, http.StatusOK, map[string]any{"code": code, "state": "denied"})
}

func (s *Server) getRefusals(w http.ResponseWriter, r *http.Request) error {
	list, err := s.Backend.Refusals(r.Context(), actor(r))
	return replyList(w, list, err)
}
