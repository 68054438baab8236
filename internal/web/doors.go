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

	"errand/internal/recovered"
	"errand/internal/service"
)

// A Door answers programs in a protocol of its own, for who they act for. What waits answers
// when stopping is done: the server is about to end, or they may no more. The URL of a request
// is absolute: it is the address by which the program calls errand.
type Door func(stopping context.Context, w http.ResponseWriter, r *http.Request, by service.Actor)

// metadataPath is where RFC 9728 has a protected resource say what it takes.
const metadataPath = "/.well-known/oauth-protected-resource"

func (s *Server) doors() []route {
	var list []route
	for _, path := range slices.Sorted(maps.Keys(s.Doors)) {
		list = append(list, route{"POST " + path, s.bounded(false, s.through(s.Doors[path]))})
	}
	return list
}

// through serves a door to who shows a token. A cookie opens none: a page of another site
// could have a browser send one.
func (s *Server) through(door Door) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		if callerOf(r).Login != "token" {
			return unauthorized("refusal.bearer")
		}
		stopping, cancel := s.whileMay(r)
		defer cancel()
		door(stopping, w, s.absolute(r), actor(r))
		return nil
	}
}

func (s *Server) absolute(r *http.Request) *http.Request {
	out, u := r.WithContext(r.Context()), *r.URL
	u.Scheme, u.Host, _ = strings.Cut(s.base(r), "://")
	out.URL = &u
	return out
}

// cardName ends the paths of the cards by which agents of other systems find errand's.
const cardName = "/.well-known/agent-card.json"

// isCard holds for what a stranger may read, and who shows a token reads more of.
func isCard(p string) bool {
	return p == cardName || strings.HasPrefix(p, "/a2a/") && strings.HasSuffix(p, cardName)
}

// getCard serves a card, to nobody or to somebody.
func (s *Server) getCard(w http.ResponseWriter, r *http.Request) {
	s.Card(r.Context(), w, s.absolute(r), actor(r))
}

func (s *Server) whileMay(r *http.Request) (context.Context, context.CancelFunc) {
	ctx, cancel := s.untilEnd(r.Context())
	may, beat := s.mayReadOn(r), s.Beat+time.Second // then the check looks again
	var mu sync.Mutex
	var next *time.Timer // no goroutine between two beats: a thousand wait at once
	look := func() {
		var err error
		defer func() {
			if err != nil {
				cancel()
			}
		}()
		defer recovered.Panic(s.Logger, "the check of a request that waits", &err)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case ctx.Err() != nil:
		case may(0) != nil:
			cancel()
		default:
			next.Reset(beat)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	next = time.AfterFunc(beat, look)
	return ctx, func() {
		next.Stop()
		cancel()
	}
}

// doorsToo serves of each door what is not its POST, which it refuses in its own protocol,
// and what a program reads that has no token.
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

// getMetadata says how programs may come in by a door: with a token in a header. errand
// gives tokens to people itself, and asks no authorization server.
func (s *Server) getMetadata(path string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Access-Control-Allow-Origin", "*") // it says nothing of anybody
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
