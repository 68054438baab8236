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

func (s *Server) getChannels(w http.ResponseWriter, r *http.Request) error {
	list, err := s.Backend.Connections(r.Context(), actor(r))
	return replyList(w, list, err)
}

// getChannelQR is what a phone has to scan for an account to be linked, as an
// image. It is a secret for as long as it is valid.
func (s *Server) getChannelQR(w http.ResponseWriter, r *http.Request) error {
	list, err := s.Backend.Connections(r.Context(), actor(r))
	if err != nil {
		return err
	}
	for _, c := range list {
		if c.Channel != r.PathValue("channel") || c.Account != r.PathValue("account") || c.Link == "" {
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
	return &service.Error{Status: http.StatusNotFound, Code: "not_found", Message: "there is nothing to scan for this account"}
}

// postChannelCode has a code made to type into a phone, instead of scanning. It
// links the account, so it is a secret for as long as it is valid.
func (s *Server) postChannelCode(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Phone string `json:"phone"`
	}
	if err := read(w, r, &in); err != nil {
		return err
	}
	code, err := s.Backend.LinkCode(r.Context(), actor(r), errand.Account{Channel: r.PathValue("channel"), Name: r.PathValue("account")}, in.Phone)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	return reply(w, http.StatusOK, map[string]string{"code": code})
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
