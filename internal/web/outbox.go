package web

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strconv"

	"errand"
)

func (s *Server) getOutbox(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	states, err := oneOf(q, "state", errand.Pending, errand.Sending, errand.Sent, errand.Unknown, errand.Blocked, errand.Dismissed)
	if err != nil {
		return err
	}
	limit, err := number(q, "limit", 200, 1000)
	if err != nil {
		return err
	}
	list, err := s.Backend.Outbox(r.Context(), states, limit)
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
	if err != nil || id < 1 {
		return badRequest("id", "the id of a delivery is a number")
	}
	if err := do(r.Context(), id); err != nil {
		return err
	}
	return reply(w, http.StatusOK, map[string]any{"id": id})
}

// metrics is in the text format of Prometheus.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) error {
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	fmt.Fprintf(w, "# TYPE errand_goroutines gauge\nerrand_goroutines %d\n", runtime.NumGoroutine())
	fmt.Fprintf(w, "# TYPE errand_heap_bytes gauge\nerrand_heap_bytes %d\n", mem.HeapAlloc)
	open, err := s.Backend.Tasks(r.Context(), "", "", errand.OpenStates(), 1000)
	if err == nil {
		fmt.Fprintf(w, "# TYPE errand_open_tasks gauge\nerrand_open_tasks %d\n", len(open))
	}
	unsent, err := s.Backend.Outbox(r.Context(), []errand.OutboxState{errand.Pending, errand.Sending, errand.Unknown, errand.Blocked}, 1000)
	if err == nil {
		fmt.Fprintf(w, "# TYPE errand_unsent_deliveries gauge\nerrand_unsent_deliveries %d\n", len(unsent))
	}
	if list, err := s.Backend.ConnectionStates(r.Context()); err == nil {
		connectionMetrics(w, list)
	}
	hookMetrics(w, s.Hooks)
	for _, c := range s.Counters {
		if err := c.Write(w); err != nil {
			return err
		}
	}
	return nil
}
