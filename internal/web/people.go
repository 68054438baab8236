package web

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"errand"
	"errand/internal/service"
)

type peopleIn struct {
	inPage
	Limit int `query:"limit" maximum:"1000" description:"at most so many; everybody when left out"`
}

func positionOfPerson(p service.PersonView) service.Position { return p.Person.Position() }

func (s *Server) getPeople(r *http.Request, _ peopleIn, p service.Page) ([]service.PersonView, error) {
	return s.Backend.People(r.Context(), actor(r), p)
}

// inPerson names somebody by id, by its beginning or by name.
type inPerson struct {
	ID string `path:"id" description:"person id, its unique beginning, or a name"`
}

func (s *Server) person(r *http.Request, in inPerson) (service.Person, error) {
	name, err := words(in.ID, "id", 100)
	if err == nil && name == "" {
		err = badRequest("id", "say who")
	}
	if err != nil {
		return service.Person{}, err
	}
	return s.Backend.FindPerson(r.Context(), actor(r), name)
}

func (s *Server) roleName(r *http.Request, role errand.Role) string {
	return service.RoleName(s.Rights, role, s.textsFor(r))
}

// role reads the name of a role: errand's, or the installation's.
func (s *Server) role(name string) (errand.Role, error) {
	role, ok := s.Rights.Parse(name)
	if !ok {
		return "", service.Invalid("role", "refusal.unknown_role", "role", strconv.Quote(errand.Cut(name, 40)), "roles", strings.Join(s.Rights.Names(), ", "))
	}
	return role, nil
}

type personIn struct {
	inPerson
	Body struct {
		Role *string `json:"role" description:"of errand's roles, or by this installation's name for it"`
		aboutPerson
	}
}

type aboutPerson struct {
	Language *string `json:"language" description:"BCP 47"`
	Name     *string `json:"name"`
	Zone     *string `json:"time_zone" description:"IANA time zone of the person's times, such as Europe/Oslo; empty: the installation's"`
}

// postPerson changes what is given and leaves the rest. The role comes first:
// it is what may be refused.
func (s *Server) postPerson(r *http.Request, in personIn) (service.Person, error) {
	to := in.Body
	if to.Role == nil && to.Language == nil && to.Name == nil && to.Zone == nil {
		return service.Person{}, badRequest("empty", "say what to change: role, language, name or time_zone")
	}
	p, err := s.person(r, in.inPerson)
	if err != nil {
		return p, err
	}
	by := actor(r)
	if to.Role != nil {
		role, err := s.role(*to.Role)
		if err != nil {
			return p, err
		}
		if _, err := s.Backend.SetRole(r.Context(), by, p.ID, role); err != nil {
			return p, err
		}
	}
	if err := s.change(r, p.ID, to.aboutPerson); err != nil {
		return p, err
	}
	return s.Backend.FindPerson(r.Context(), by, string(p.ID))
}

// change changes what is given of what a person may set for themselves.
func (s *Server) change(r *http.Request, id errand.PersonID, to aboutPerson) error {
	by, ctx := actor(r), r.Context()
	if to.Language != nil {
		if err := s.Backend.SetLanguage(ctx, by, id, *to.Language); err != nil {
			return err
		}
	}
	if to.Name != nil {
		if err := s.Backend.SetName(ctx, by, id, *to.Name); err != nil {
			return err
		}
	}
	if to.Zone != nil {
		if _, err := s.Backend.SetTimeZone(ctx, by, id, *to.Zone); err != nil {
			return err
		}
	}
	return nil
}

type meIn struct {
	Body struct{ aboutPerson }
}

type meChanged struct {
	ID errand.PersonID `json:"id"`
}

// postMe changes what is given of whoever asks, and leaves the rest.
func (s *Server) postMe(r *http.Request, in meIn) (meChanged, error) {
	if in.Body.aboutPerson == (aboutPerson{}) {
		return meChanged{}, badRequest("empty", "say what to change: name, language or time_zone")
	}
	by := actor(r)
	return meChanged{by.Person}, s.change(r, by.Person, in.Body.aboutPerson)
}

func (s *Server) deletePerson(r *http.Request, in inPerson) (service.Person, error) {
	p, err := s.person(r, in)
	if err != nil {
		return p, err
	}
	return p, s.Backend.RemovePerson(r.Context(), actor(r), p.ID)
}

// An identity is by what a channel knows somebody.
type identity struct {
	Channel    string `json:"channel" required:"true"`
	Account    string `json:"account"`
	ExternalID string `json:"external_id" required:"true"`
}

type linkIdentityIn struct {
	inPerson
	Body identity
}

func (s *Server) postIdentity(r *http.Request, in linkIdentityIn) (service.Person, error) {
	return s.onIdentity(r, in.inPerson, in.Body, s.Backend.Link)
}

type unlinkIdentityIn struct {
	inPerson
	Channel    string `query:"channel" description:"channel"`
	Account    string `query:"account" description:"account"`
	ExternalID string `query:"external_id" description:"how the channel knows them"`
}

// deleteIdentity says that somebody is not who it was said they were.
func (s *Server) deleteIdentity(r *http.Request, in unlinkIdentityIn) (service.Person, error) {
	return s.onIdentity(r, in.inPerson, identity{in.Channel, in.Account, in.ExternalID}, s.Backend.Unlink)
}

func (s *Server) onIdentity(r *http.Request, in inPerson, i identity,
	do func(ctx context.Context, by service.Actor, id errand.PersonID, channel, account, externalID string) error) (service.Person, error) {
	if i.Channel == "" || i.ExternalID == "" {
		return service.Person{}, badRequest("identity", "an identity needs a channel and an external_id")
	}
	p, err := s.person(r, in)
	if err != nil {
		return p, err
	}
	return p, do(r.Context(), actor(r), p.ID, i.Channel, i.Account, i.ExternalID)
}
