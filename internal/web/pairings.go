package web

import (
	"net/http"

	"errand"
	"errand/internal/service"
)

type pairingsIn struct {
	Waiting bool `query:"waiting" description:"true: only those about whom nobody has decided yet"`
}

func (s *Server) getPairings(r *http.Request, in pairingsIn) ([]service.Pairing, error) {
	return s.Backend.Pairings(r.Context(), actor(r), in.Waiting)
}

type inCode struct {
	Code string `path:"code" id:"code" description:"the code that they were told"`
}

type approveIn struct {
	inCode
	Body struct {
		Role   string `json:"role" description:"member by default"`
		Person string `json:"person" description:"who they are, if they are known already"`
	}
}

type approveOut struct {
	Pairing service.Pairing `json:"pairing"`
	Person  service.Person  `json:"person"`
}

// postApprove lets somebody in: as a new person with a role, member unless it
// says another, or as somebody who is known already.
func (s *Server) postApprove(r *http.Request, in approveIn) (out approveOut, err error) {
	role := errand.Member
	if in.Body.Role != "" {
		if role, err = s.role(in.Body.Role); err != nil {
			return out, err
		}
	}
	var as errand.PersonID
	if in.Body.Person != "" {
		p, err := s.Backend.FindPerson(r.Context(), actor(r), in.Body.Person)
		if err != nil {
			return out, err
		}
		as = p.ID
	}
	out.Pairing, out.Person, err = s.Backend.Approve(r.Context(), actor(r), in.Code, role, as)
	return out, err
}

type denyOut struct {
	Code  string `json:"code"`
	State string `json:"state"`
}

func (s *Server) postDeny(r *http.Request, in inCode) (denyOut, error) {
	return denyOut{in.Code, "denied"}, s.Backend.Deny(r.Context(), actor(r), in.Code)
}

func (s *Server) getRefusals(r *http.Request, _ nothing) ([]service.Refusal, error) {
	return s.Backend.Refusals(r.Context(), actor(r))
}
