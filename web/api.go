package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"unicode/utf8"

	"errand"
	"errand/gateway"
)

// A route is one operation of the API; openapi.json describes each.
type route struct {
	pattern string
	serve   func(http.ResponseWriter, *http.Request) error
}

func (s *Server) api() []route {
	return []route{
		{"POST /api/sessions/{chat}/messages", s.postMessage},
		{"GET /api/sessions/{chat}/events", s.getEvents},
		{"POST /api/sessions/{chat}/reset", s.postReset},
		{"GET /api/sessions", s.getSessions},
		{"GET /api/tasks", s.getTasks},
		{"POST /api/tasks", s.postTask},
		{"GET /api/tasks/{id}", s.getTask},
		{"POST /api/tasks/{id}/cancel", s.postCancel},
		{"POST /api/tasks/{id}/retry", s.postRetry},
		{"GET /api/outbox", s.getOutbox},
		{"POST /api/outbox/{id}/retry", s.postOutboxRetry},
		{"POST /api/outbox/{id}/dismiss", s.postOutboxDismiss},
		{"GET /api/agents", s.getAgents},
		{"GET /api/about", s.getAbout},
		{"POST /api/pause", s.postPause},
		{"POST /api/resume", s.postResume},
	}
}

func (s *Server) routes(mux *http.ServeMux) {
	for _, r := range s.api() {
		mux.HandleFunc(r.pattern, func(w http.ResponseWriter, req *http.Request) {
			if err := r.serve(w, req); err != nil {
				s.fail(w, req, err)
			}
		})
	}
	mux.HandleFunc("GET /api/openapi.json", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFileFS(w, r, static, "static/openapi.json")
	})
	mux.HandleFunc("GET /tasks", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFileFS(w, r, static, "static/tasks.html")
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := s.Backend.Ready(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, "ready\n")
	})
	mux.HandleFunc("GET /metrics", s.metrics)
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, &gateway.Error{Status: http.StatusNotFound, Code: "not_found", Message: "there is no " + r.Method + " " + r.URL.Path + "; /api/openapi.json lists what is there"})
	})
}

// where returns the route and conversation that a request names.
func (s *Server) where(chat string) (errand.Route, errand.SessionKey, error) {
	route, err := gateway.WebRoute(chat)
	return route, errand.NewSessionKey(route, s.Person), err
}

func (s *Server) postReset(w http.ResponseWriter, r *http.Request) error {
	_, key, err := s.where(r.PathValue("chat"))
	if err != nil {
		return err
	}
	id, err := s.Backend.Reset(r.Context(), key)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, map[string]any{"session_id": id})
}

func (s *Server) getSessions(w http.ResponseWriter, r *http.Request) error {
	list, err := s.Backend.Sessions(r.Context(), gateway.Actor{Person: s.Person, Role: errand.MasterAdmin}, gateway.SessionFilter{})
	return replyList(w, list, err)
}

func (s *Server) getTasks(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	var key errand.SessionKey
	if chat := q.Get("chat"); chat != "" {
		var err error
		if _, key, err = s.where(chat); err != nil {
			return err
		}
	}
	var states []errand.TaskState
	for _, v := range q["state"] {
		for state := range strings.SplitSeq(v, ",") {
			states = append(states, errand.TaskState(state))
		}
	}
	limit, _ := strconv.Atoi(q.Get("limit"))
	list, err := s.Backend.Tasks(r.Context(), s.Person, key, states, min(max(limit, 0), 1000))
	views := make([]taskView, len(list))
	for i := range list {
		views[i] = viewOf(list[i])
	}
	return replyList(w, views, err)
}

func (s *Server) getTask(w http.ResponseWriter, r *http.Request) error {
	t, err := s.Backend.FindTask(r.Context(), r.PathValue("id"), s.Person)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, viewOf(t))
}

// A taskView is a task as the API shows it: its agents are one string too.
type taskView struct {
	errand.Task
	Agent string `json:"agent"`
	Depth int    `json:"depth"`
}

func viewOf(t errand.Task) taskView { return taskView{t, t.AgentList(), t.Origin.Depth} }

func (s *Server) postTask(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Agent  string             `json:"agent"`
		Agents []errand.AgentName `json:"agents"`
		Text   string             `json:"text"`
		Chat   string             `json:"chat"`
	}
	if err := read(w, r, &in); err != nil {
		return err
	}
	for name := range strings.SplitSeq(in.Agent, ",") {
		if name = strings.TrimSpace(name); name != "" {
			in.Agents = append(in.Agents, errand.AgentName(strings.ToLower(name)))
		}
	}
	d := gateway.Delegation{Route: errand.Route{Channel: errand.ChannelWeb}, Person: s.Person, Role: errand.MasterAdmin, Agents: in.Agents, Text: in.Text}
	if in.Chat != "" {
		var err error
		if d.Route, _, err = s.where(in.Chat); err != nil {
			return err
		}
	}
	t, err := s.Backend.Delegate(r.Context(), d)
	if err != nil {
		return err
	}
	return reply(w, http.StatusCreated, viewOf(t))
}

func (s *Server) postCancel(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Reason string `json:"reason"`
	}
	if err := read(w, r, &in); err != nil {
		return err
	}
	return s.onTask(w, r, func(ctx context.Context, id errand.TaskID) (errand.Task, error) {
		return s.Backend.CancelTask(ctx, id, in.Reason)
	})
}

func (s *Server) postRetry(w http.ResponseWriter, r *http.Request) error {
	return s.onTask(w, r, s.Backend.RetryTask)
}

func (s *Server) onTask(w http.ResponseWriter, r *http.Request, do func(context.Context, errand.TaskID) (errand.Task, error)) error {
	t, err := s.Backend.FindTask(r.Context(), r.PathValue("id"), s.Person)
	if err != nil {
		return err
	}
	if t, err = do(r.Context(), t.ID); err != nil {
		return err
	}
	return reply(w, http.StatusOK, viewOf(t))
}

func (s *Server) getOutbox(w http.ResponseWriter, r *http.Request) error {
	var states []errand.OutboxState
	for _, state := range r.URL.Query()["state"] {
		states = append(states, errand.OutboxState(state))
	}
	list, err := s.Backend.Outbox(r.Context(), states, 200)
	return replyList(w, list, err)
}

func (s *Server) postOutboxRetry(w http.ResponseWriter, r *http.Request) error {
	return s.onRow(w, r, s.Backend.RetryOutbox)
}

func (s *Server) postOutboxDismiss(w http.ResponseWriter, r *http.Request) error {
	return s.onRow(w, r, s.Backend.DismissOutbox)
}

func (s *Server) onRow(w http.ResponseWriter, r *http.Request, do func(context.Context, int64) error) error {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return &gateway.Error{Status: http.StatusBadRequest, Code: "id", Message: "the id of a delivery is a number"}
	}
	if err := do(r.Context(), id); err != nil {
		return err
	}
	return reply(w, http.StatusOK, map[string]any{"id": id})
}

func (s *Server) getAgents(w http.ResponseWriter, _ *http.Request) error {
	return replyList(w, s.Backend.Agents(), nil)
}

func (s *Server) getAbout(w http.ResponseWriter, r *http.Request) error {
	paused, err := s.Backend.Paused(r.Context())
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, map[string]any{"version": s.Version, "demo": s.Demo, "web_ui": s.WebUI, "paused": paused})
}

func (s *Server) postPause(w http.ResponseWriter, r *http.Request) error {
	if err := s.Backend.Pause(r.Context(), s.Person); err != nil {
		return err
	}
	return reply(w, http.StatusOK, map[string]any{"paused": true})
}

func (s *Server) postResume(w http.ResponseWriter, r *http.Request) error {
	if err := s.Backend.Resume(r.Context()); err != nil {
		return err
	}
	return reply(w, http.StatusOK, map[string]any{"paused": false})
}

// metrics is in the text format of Prometheus.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	fmt.Fprintf(w, "# TYPE errand_goroutines gauge\nerrand_goroutines %d\n", runtime.NumGoroutine())
	fmt.Fprintf(w, "# TYPE errand_heap_bytes gauge\nerrand_heap_bytes %d\n", mem.HeapAlloc)
	open, err := s.Backend.Tasks(r.Context(), "", "", []errand.TaskState{errand.Submitted, errand.Working, errand.InputRequired}, 1000)
	if err == nil {
		fmt.Fprintf(w, "# TYPE errand_open_tasks gauge\nerrand_open_tasks %d\n", len(open))
	}
	unsent, err := s.Backend.Outbox(r.Context(), []errand.OutboxState{errand.Pending, errand.Sending, errand.Unknown, errand.Blocked}, 1000)
	if err == nil {
		fmt.Fprintf(w, "# TYPE errand_unsent_deliveries gauge\nerrand_unsent_deliveries %d\n", len(unsent))
	}
}

// maxBody is the largest body the API reads, in bytes.
const maxBody = 1 << 20

// read reads a JSON body into v; an empty one leaves v as it is.
func read(w http.ResponseWriter, r *http.Request, v any) error {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return &gateway.Error{Status: http.StatusRequestEntityTooLarge, Code: "too_large", Message: "the request is larger than 1 MB"}
	case err != nil:
		return &gateway.Error{Status: http.StatusBadRequest, Code: "body", Message: "the request could not be read"}
	case len(raw) == 0:
		return nil
	}
	// encoding/json would replace what is not UTF-8 and not say so.
	if !utf8.Valid(raw) {
		return &gateway.Error{Status: http.StatusBadRequest, Code: "not_utf8", Message: "the request is not valid UTF-8"}
	}
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return &gateway.Error{Status: http.StatusBadRequest, Code: "json", Message: "the request is not the JSON that is expected: " + errand.Cut(err.Error(), 200)}
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return &gateway.Error{Status: http.StatusBadRequest, Code: "json", Message: "something follows the JSON object"}
	}
	return nil
}

func replyList[T any](w http.ResponseWriter, list []T, err error) error {
	if err != nil {
		return err
	}
	if list == nil {
		list = []T{}
	}
	return reply(w, http.StatusOK, list)
}

func reply(w http.ResponseWriter, status int, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if _, err := w.Write(append(raw, '\n')); err != nil {
		return nil // the client is gone
	}
	return nil
}

// fail answers with an error: in full where it is the client's, as "internal"
// where it is ours.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	out := &gateway.Error{Status: http.StatusInternalServerError, Code: "internal", Message: "errand could not do that just now; its log says why. Nothing that was accepted is lost."}
	var known *gateway.Error
	switch {
	case errors.As(err, &known):
		out = known
	case r.Context().Err() != nil:
		return
	default:
		s.Logger.Error("request failed", "method", r.Method, "path", r.URL.Path, "error", err)
	}
	if err := reply(w, out.Status, map[string]any{"error": map[string]any{"code": out.Code, "message": out.Message}}); err != nil {
		s.Logger.Debug("error not told", "error", err)
	}
}
