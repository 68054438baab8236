package web

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

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
		w.Header().Set("Cache-Control", "no-store")
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

// connectionMetrics tells, for each account, which of the states it is in.
func connectionMetrics(w io.Writer, list []service.ConnectionView) {
	if len(list) == 0 {
		return
	}
	fmt.Fprint(w, "# TYPE errand_connection_state gauge\n")
	for _, c := range list {
		for _, state := range errand.ConnectionStates() {
			is := 0
			if c.State == state {
				is = 1
			}
			fmt.Fprintf(w, "errand_connection_state{channel=%q,account=%q,state=%q} %d\n", c.Channel, c.Account, strings.ReplaceAll(string(state), " ", "_"), is)
		}
	}
}

// hookMetrics tells how many calls each hook has turned away, where it counts them.
func hookMetrics(w io.Writer, hooks map[string]http.Handler) {
	said := false
	for _, path := range slices.Sorted(maps.Keys(hooks)) {
		hook, ok := hooks[path].(interface{ Refused() int64 })
		if !ok {
			continue
		}
		if !said {
			fmt.Fprint(w, "# TYPE errand_hook_refused_total counter\n")
			said = true
		}
		fmt.Fprintf(w, "errand_hook_refused_total{path=%q} %d\n", path, hook.Refused())
	}
}
