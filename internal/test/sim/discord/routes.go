package discord

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
)

// A Route names a kind of call, to count calls and to order faults.
type Route string

// What a client asks the gateway for.
const (
	Connect  Route = "gateway: connect"
	Identify Route = "gateway: identify"
	Resume   Route = "gateway: resume"
)

// The routes that this server knows.
const (
	GetGateway        Route = "GET /gateway"
	GetGatewayBot     Route = "GET /gateway/bot"
	GetMe             Route = "GET /users/@me"
	GetApplication    Route = "GET /applications/@me"
	OAuthApplication  Route = "GET /oauth2/applications/@me"
	CreateDM          Route = "POST /users/@me/channels"
	GetChannel        Route = "GET /channels/{channel}"
	ListMessages      Route = "GET /channels/{channel}/messages"
	GetMessage        Route = "GET /channels/{channel}/messages/{message}"
	CreateMessage     Route = "POST /channels/{channel}/messages"
	EditMessage       Route = "PATCH /channels/{channel}/messages/{message}"
	DeleteMessage     Route = "DELETE /channels/{channel}/messages/{message}"
	Typing            Route = "POST /channels/{channel}/typing"
	AddReaction       Route = "PUT /channels/{channel}/messages/{message}/reactions/{emoji}/@me"
	RemoveReaction    Route = "DELETE /channels/{channel}/messages/{message}/reactions/{emoji}/{user}"
	AnswerInteraction Route = "POST /interactions/{interaction}/{token}/callback"
	FollowUp          Route = "POST /webhooks/{application}/{token}"
	EditFollowUp      Route = "PATCH /webhooks/{application}/{token}/messages/{message}"
	DeleteFollowUp    Route = "DELETE /webhooks/{application}/{token}/messages/{message}"
	ListCommands      Route = "GET /applications/{application}/commands"
	SetCommands       Route = "PUT /applications/{application}/commands"
	Download          Route = "GET /attachments/{channel}/{file}/{name}"
)

// A handler carries out a call under the server's lock. It returns the
// answer in JSON; nil: no content (204).
type handler func(*Server, *request) (any, error)

var handlers = map[Route]handler{
	GetGateway: (*Server).getGateway, GetGatewayBot: (*Server).getGatewayBot,
	GetMe: (*Server).getMe, GetApplication: (*Server).getApplication, OAuthApplication: (*Server).getApplication,
	CreateDM: (*Server).createDM,

	GetChannel:   (*Server).getChannel,
	ListMessages: (*Server).listMessages, GetMessage: (*Server).getMessage, CreateMessage: (*Server).createMessage,
	EditMessage: (*Server).editMessage, DeleteMessage: (*Server).deleteMessage, Typing: (*Server).startTyping,
	AddReaction: (*Server).addReaction, RemoveReaction: (*Server).removeReaction,
	AnswerInteraction: (*Server).answerInteraction, FollowUp: (*Server).followUp,
	EditFollowUp: (*Server).editFollowUp, DeleteFollowUp: (*Server).deleteFollowUp,
	ListCommands: (*Server).listCommands, SetCommands: (*Server).setCommands,
}

// open routes need no token in the header: they have one in the path, or none.
var open = map[Route]bool{GetGateway: true, AnswerInteraction: true, FollowUp: true, EditFollowUp: true, DeleteFollowUp: true}

func (s *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	for route, do := range handlers {
		method, path, _ := strings.Cut(string(route), " ")
		serve := func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, route, do) }
		for _, version := range []string{"/api/v9", "/api/v10"} {
			mux.HandleFunc(method+" "+version+path, serve)
		}
	}
	mux.HandleFunc(string(Download), s.download)
	return mux
}

// ServeHTTP answers everything: the API, the CDN and the gateway.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		s.gateway(w, r)
		return
	}
	if _, pattern := s.mux.Handler(r); pattern == "" {
		reply(w, nil, errNotFound)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// serve carries a call out, with the fault that was ordered for it.
func (s *Server) serve(w http.ResponseWriter, hr *http.Request, route Route, do handler) {
	r := &request{Request: hr, route: route, call: &Call{Route: route, Path: hr.URL.RequestURI(), At: s.opts.Now()}}
	bad := r.read()
	s.mu.Lock()
	token, isBot := strings.CutPrefix(hr.Header.Get("Authorization"), "Bot ")
	if isBot {
		r.bot = s.botWith(token)
	}
	r.call.Body, r.call.Bot = string(r.body), r.bot
	s.calls = append(s.calls, r.call)
	fault := s.takeFault(route)
	s.happened()
	s.mu.Unlock()
	s.meet(w, r, fault, func() (any, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if r.bot == nil && !open[route] {
			return nil, errUnauthorized
		}
		if bad != nil {
			return nil, bad
		}
		if err := s.limit(w.Header(), r); err != nil {
			return nil, err
		}
		return do(s, r)
	})
}

func (s *Server) answered(c *Call, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.Status = status
	s.happened()
}

type created struct{ any }

func reply(w http.ResponseWriter, result any, err error) int {
	status := http.StatusOK
	var no *refusal
	switch {
	case errors.As(err, &no):
		status, result = no.status, no.body()
	case err != nil:
		status, result = http.StatusInternalServerError, map[string]any{"message": "500: Internal Server Error", "code": 0}
	case result == nil:
		w.WriteHeader(http.StatusNoContent)
		return http.StatusNoContent
	}
	if c, is := result.(created); is {
		status, result = http.StatusCreated, c.any
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(result) // fails only if the client is gone
	return status
}
