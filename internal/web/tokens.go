package web

import (
	"net/http"
	"time"

	"errand"
	"errand/internal/service"
)

func (s *Server) getTokens(r *http.Request, in inPerson) ([]service.Token, error) {
	p, err := s.person(r, in)
	if err != nil {
		return nil, err
	}
	return s.Backend.Tokens(r.Context(), actor(r), p.ID)
}

const maxDays = 3650

type newToken struct {
	Name  string `json:"name"`
	Days  int    `json:"days" description:"how long it is valid; 0: for good. One that a token makes for its own person ends with that token at the latest"`
	Scope string `json:"scope" description:"what it is for: read, chat, delegate, admin, with spaces between them; left out: all that its person may do, and no more than the token that makes it"`
}

type tokenIn struct {
	inPerson
	Body newToken
}

type tokenOut struct {
	service.Token
	Secret string `json:"token"`
}

// postToken makes a token; this answer is the only place where it is shown.
func (s *Server) postToken(r *http.Request, in tokenIn) (tokenOut, error) {
	p, err := s.person(r, in.inPerson)
	if err != nil {
		return tokenOut{}, err
	}
	return s.makeToken(r, p.ID, in.Body)
}

func (s *Server) makeToken(r *http.Request, of errand.PersonID, in newToken) (out tokenOut, err error) {
	if in.Days < 0 || in.Days > maxDays {
		return out, badRequest("days", "days is a number from 1 to %d, or 0 for a token that does not expire", maxDays)
	}
	name, err := words(in.Name, "name", 60)
	if err != nil {
		return out, err
	}
	out.Secret, out.Token, err = s.Backend.CreateToken(r.Context(), actor(r), of, service.NewToken{
		Name: name, ValidFor: time.Duration(in.Days) * 24 * time.Hour, Scope: in.Scope})
	return out, err
}

func (s *Server) getOwnTokens(r *http.Request, _ nothing) ([]service.Token, error) {
	return s.Backend.Tokens(r.Context(), actor(r), actor(r).Person)
}

type ownTokenIn struct {
	Body newToken
}

func (s *Server) postOwnToken(r *http.Request, in ownTokenIn) (tokenOut, error) {
	return s.makeToken(r, actor(r).Person, in.Body)
}

type revokeIn struct {
	ID string `path:"id" id:"token" description:"token id"`
}

type revokeOut struct {
	ID string `json:"id"`
}

func (s *Server) deleteOwnToken(r *http.Request, in revokeIn) (revokeOut, error) {
	return revokeOut(in), s.Backend.RevokeOwnToken(r.Context(), actor(r), in.ID)
}

func (s *Server) deleteToken(r *http.Request, in revokeIn) (revokeOut, error) {
	return revokeOut(in), s.Backend.RevokeToken(r.Context(), actor(r), in.ID)
}
