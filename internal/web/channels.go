package web

import (
	"fmt"
	"net/http"

	"rsc.io/qr"

	"errand"
	"errand/internal/service"
)

func (s *Server) getChannels(r *http.Request, _ nothing) ([]service.ConnectionView, error) {
	return s.Backend.Connections(r.Context(), actor(r))
}

type inAccount struct {
	Channel string `path:"channel"`
	Account string `path:"account"`
}

// getChannelQR is what a phone has to scan for an account to be linked, as an
// image. It is a secret for as long as it is valid.
func (s *Server) getChannelQR(w http.ResponseWriter, r *http.Request, in inAccount) error {
	list, err := s.Backend.Connections(r.Context(), actor(r))
	if err != nil {
		return err
	}
	for _, c := range list {
		if c.Channel != in.Channel || c.Account != in.Account || c.Link == "" {
			continue
		}
		code, err := qr.Encode(c.Link, qr.M)
		if err != nil {
			return fmt.Errorf("draw the code: %w", err)
		}
		w.Header().Set("Content-Type", "image/png")
		_, err = w.Write(code.PNG())
		return err
	}
	return service.Refuse(service.KindNotFound, "not_found", "refusal.nothing_to_scan")
}

type codeIn struct {
	inAccount
	Body struct {
		Phone string `json:"phone" required:"true" description:"the number of the phone, with its country code"`
	}
}

type codeOut struct {
	Code string `json:"code"`
}

// postChannelCode has a code made to type into a phone, instead of scanning. It
// links the account, so it is a secret for as long as it is valid.
func (s *Server) postChannelCode(r *http.Request, in codeIn) (codeOut, error) {
	code, err := s.Backend.LinkCode(r.Context(), actor(r), errand.Account{Channel: in.Channel, Name: in.Account}, in.Body.Phone)
	return codeOut{code}, err
}
