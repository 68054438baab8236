package web

import (
	"context"
	"net/http"
	"strings"
	"time"

	"errand"
	"errand/internal/service"
)

func (s *Server) getPeople(w http.ResponseWriter, r *http.Request) error {
	list, err := s.Backend.People(r.Context(), actor(r))
	return replyList(w, list, err)
}

// person returns the person that a request names, by id, by its beginning or by
// name.
func (s *Server) person(r *http.Request) (service.Person, error) {
	name, err := words(r.PathValue("id"), "id", 100)
	if err == nil && name == "" {
		err = badRequest("id", "say who")
	}
	if err != nil {
		return service.Person{}, err
	}
	return s.Backend.FindPerson(r.Context(), actor(r), name)
}

// role reads the name of a role: errand's, or the installation's.
func (s *Server) role(name string) (errand.Role, error) {
	role, ok := s.Rights.Parse(name)
	if !ok {
		return "", badRequest("role", "there is no role %q; there are %s", errand.Cut(name, 40), strings.Join(s.Rights.Names(), ", "))
	}
	return role, nil
}

// postPerson changes what is given and leaves the rest. The role comes first:
// it is what may be refused.
func (s *Server) postPerson(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Role     *string `json:"role"`
		Language *string `json:"language"`
		Name     *string `json:"name"`
	}
	if err := read(w, r, &in); err != nil {
		return err
	}
	if in.Role == nil && in.Language == nil && in.Name == nil {
		return badRequest("empty", "say what to change: role, language or name")
	}
	p, err := s.person(r)
	if err != nil {
		return err
	}
	by, ctx := actor(r), r.Context()
	if in.Role != nil {
		role, err := s.role(*in.Role)
		if err != nil {
			return err
		}
		if _, err := s.Backend.SetRole(ctx, by, p.ID, role); err != nil {
			return err
		}
	}
	if in.Language != nil {
		if err := s.Backend.SetLanguage(ctx, by, p.ID, *in.Language); err != nil {
			return err
		}
	}
	if in.Name != nil {
		if err := s.Backend.SetName(ctx, by, p.ID, *in.Name); err != nil {
			return err
		}
	}
	if p, err = s.Backend.FindPerson(ctx, by, string(p.ID)); err != nil {
		return err
	}
	return reply(w, http.StatusOK, p)
}

func (s *Server) deletePerson(w http.ResponseWriter, r *http.Request) error {
	p, err := s.person(r)
	if err != nil {
		return err
	}
	if err := s.Backend.RemovePerson(r.Context(), actor(r), p.ID); err != nil {
		return err
	}
	return reply(w, http.StatusOK, p)
}

// postIdentity says who else somebody is.
func (s *Server) postIdentity(w http.ResponseWriter, r *http.Request) error {
	var in identity
	if err := read(w, r, &in); err != nil {
		return err
	}
	return s.onIdentity(w, r, in, s.Backend.Link)
}

// deleteIdentity says that somebody is not who it was said they were.
func (s *Server) deleteIdentity(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	return s.onIdentity(w, r, identity{q.Get("channel"), q.Get("account"), q.Get("external_id")}, s.Backend.Unlink)
}

// An identity is by what a channel knows somebody.
type identity struct {
	Channel    string `json:"channel"`
	Account    string `json:"account"`
	ExternalID string `json:"external_id"`
}

func (s *Server) onIdentity(w http.ResponseWriter, r *http.Request, i identity,
	do func(ctx context.Context, by service.Actor, id errand.PersonID, channel, account, externalID string) error) error {
	if i.Channel == "" || i.ExternalID == "" {
		return badRequest("identity", "an identity needs a channel and an external_id")
	}
	p, err := s.person(r)
	if err != nil {
		return err
	}
	if err := do(r.Context(), actor(r), p.ID, i.Channel, i.Account, i.ExternalID); err != nil {
		return err
	}
	return reply(w, http.StatusOK, p)
}

func (s *Server) getTokens(w http.ResponseWriter, r *http.Request) error {
	p, err := s.person(r)
	if err != nil {
		return err
	}
	list, err := s.Backend.Tokens(r.Context(), actor(r), p.ID)
	return replyList(w, list, err)
}

// maxDays is how long a token may be valid that is to expire at all.
const maxDays = 3650

// postToken makes a token; this answer is the only place where it is shown.
func (s *Server) postToken(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Name string `json:"name"`
		Days int    `json:"days"` // 0: it does not expire
	}
	if err := read(w, r, &in); err != nil {
		return err
	}
	if in.Days < 0 || in.Days > maxDays {
		return badRequest("days", "days is a number from 1 to %d, or 0 for a token that does not expire", maxDays)
	}
	name, err := words(in.Name, "name", 60)
	if err != nil {
		return err
	}
	p, err := s.person(r)
	if err != nil {
		return err
	}
	plain, token, err := s.Backend.CreateToken(r.Context(), actor(r), p.ID, name, time.Duration(in.Days)*24*time.Hour)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	return reply(w, http.StatusCreated, struct {
		service.Token
		Secret string `json:"token"`
	}{token, plain})
}

func (s *Server) deleteToken(w http.ResponseWriter, r *http.Request) error {
	id, err := idOf(r, "token")
	if err != nil {
		return err
	}
	if err := s.Backend.RevokeToken(r.Context(), actor(r), id); err != nil {
		return err
	}
	return reply(w, http.StatusOK, map[string]any{"id": id})
}
