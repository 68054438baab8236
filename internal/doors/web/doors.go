package web

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"errand/internal/actor"
	"errand/internal/ops"
	"errand/internal/telemetry"
)

// A Door answers programs in a protocol other than the API's; by is the actor that the program acts
// for. When stopping is done, because the server stops or the actor lost its rights, the door ends
// its waits and answers. The URL of r is absolute, with the address by which the program calls
// errand.
type Door func(stopping context.Context, w http.ResponseWriter, r *http.Request, by actor.Actor)

// metadataPath is defined by RFC 9728.
const metadataPath = "/.well-known/oauth-protected-resource"

func (s *Server) doors() []route {
	var list []route
	for _, path := range slices.Sorted(maps.Keys(s.Doors)) {
		list = append(list, route{pattern: "POST " + path, serve: s.bounded(false, s.through(s.Doors[path]))})
	}
	return list
}

// through requires a token, because a page of another site could make a browser send its cookie.
func (s *Server) through(door Door) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		if callerOf(r).Login != "token" {
			return unauthorized("refusal.bearer")
		}
		stopping, cancel := s.whileMay(r)
		defer cancel()
		door(stopping, w, s.absolute(r), actorOf(r))
		return nil
	}
}

func (s *Server) absolute(r *http.Request) *http.Request {
	out, u := r.WithContext(r.Context()), *r.URL
	u.Scheme, u.Host, _ = strings.Cut(s.base(r), "://")
	out.URL = &u
	return out
}

const cardName = "/.well-known/agent-card.json"

// isCard reports whether a path is a card's. A card shows more to a caller with a token.
func isCard(p string) bool {
	return p == cardName || strings.HasPrefix(p, "/a2a/") && strings.HasSuffix(p, cardName)
}

func (s *Server) getCard(w http.ResponseWriter, r *http.Request) {
	s.Card(r.Context(), w, s.absolute(r), actorOf(r))
}

// whileMay returns a context that ends when the caller's login ends or their rights change.
func (s *Server) whileMay(r *http.Request) (context.Context, context.CancelFunc) {
	ctx, cancel := s.untilEnd(r.Context())
	caller := ops.Call{By: actorOf(r), Again: s.again(r)}
	var mu sync.Mutex
	var next *time.Timer // holds no goroutine while it waits, because there may be a thousand requests
	look := func() {
		var err error
		defer func() {
			if err != nil {
				cancel()
			}
		}()
		defer telemetry.RecoverPanic(s.Logger, "checking a waiting request failed", &err)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case ctx.Err() != nil:
		case s.Runner.Recheck(caller) != nil:
			cancel()
		default:
			next.Reset(s.Beat)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	next = time.AfterFunc(s.Beat, look)
	return ctx, func() {
		next.Stop()
		cancel()
	}
}

// doorsToo routes methods other than POST, which doors refuse in their own protocols, and what
// programs read without a token.
func (s *Server) doorsToo(mux *http.ServeMux) {
	if s.Card != nil {
		mux.HandleFunc("GET "+cardName, s.getCard)
		mux.HandleFunc("GET /a2a/{agent}"+cardName, s.getCard)
	}
	for path, door := range s.Doors {
		mux.HandleFunc(path, s.permitted("POST "+path, s.through(door)))
		mux.HandleFunc("GET "+metadataPath+path, s.getMetadata(path))
	}
}

// getMetadata names no authorization server, because people get their tokens from errand itself.
func (s *Server) getMetadata(path string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Access-Control-Allow-Origin", "*") // the answer is public
		err := json.NewEncoder(w).Encode(map[string]any{
			"resource": s.base(r) + path, "resource_name": "errand", "bearer_methods_supported": []string{"header"},
		})
		if err != nil {
			s.Logger.Debug("metadata not sent", "error", err)
		}
	}
}

func (s *Server) base(r *http.Request) string {
	if s.PublicURL != "" {
		return strings.TrimSuffix(s.PublicURL, "/")
	}
	if s.isTLS(r) {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

func (s *Server) challenge(w http.ResponseWriter, r *http.Request) {
	for path := range s.Doors {
		if path == r.URL.Path || strings.HasSuffix(path, "/") && strings.HasPrefix(r.URL.Path, path) {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+s.base(r)+metadataPath+path+`"`)
		}
	}
}
