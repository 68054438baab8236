package web

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"errand"
)

// counters are what this server counts of itself.
type counters struct {
	started time.Time
	streams atomic.Int64
	answers [6]atomic.Int64 // by the first digit of the status; 0: others
}

// healthz says that the process answers.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	write(w, http.StatusOK, map[string]string{"status": "ok", "version": s.Version})
}

// readyz says whether messages can be accepted and worked on.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	if err := s.Backend.Ready(ctx); err != nil {
		s.Logger.Debug("not ready", "error", err)
		w.Header().Set("Retry-After", "2")
		write(w, http.StatusServiceUnavailable, errorBody("unavailable", "not ready: "+err.Error()))
		return
	}
	write(w, http.StatusOK, map[string]string{"status": "ready"})
}

// metrics answers in Prometheus' text format
// (https://prometheus.io/docs/instrumenting/exposition_formats/).
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	var b bytes.Buffer
	metric := func(name, kind, help string) {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
	}
	metric("errand_build_info", "gauge", "The version that runs.")
	fmt.Fprintf(&b, "errand_build_info{version=%q} 1\n", s.Version)
	metric("process_start_time_seconds", "gauge", "When the server was made, since 1970.")
	fmt.Fprintf(&b, "process_start_time_seconds %d\n", s.count.started.Unix())
	if rss, ok := residentBytes(); ok {
		metric("process_resident_memory_bytes", "gauge", "Memory in use.")
		fmt.Fprintf(&b, "process_resident_memory_bytes %d\n", rss)
	}
	metric("go_goroutines", "gauge", "Goroutines.")
	fmt.Fprintf(&b, "go_goroutines %d\n", runtime.NumGoroutine())
	metric("errand_http_answers_total", "counter", "Requests answered, by class of status.")
	for class := 1; class < len(s.count.answers); class++ {
		fmt.Fprintf(&b, "errand_http_answers_total{class=\"%dxx\"} %d\n", class, s.count.answers[class].Load())
	}
	metric("errand_streams", "gauge", "Event streams that are open.")
	fmt.Fprintf(&b, "errand_streams %d\n", s.count.streams.Load())
	s.openTasks(r.Context(), &b, metric)
	if s.Metrics != nil {
		s.Metrics(r.Context(), &b)
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Write(b.Bytes())
}

// openTasks counts tasks that have not ended; the others only grow.
func (s *Server) openTasks(ctx context.Context, b *bytes.Buffer, metric func(name, kind, help string)) {
	states := []errand.TaskState{errand.Submitted, errand.Working, errand.InputRequired}
	tasks, err := s.Backend.Tasks(ctx, TaskQuery{States: states, Limit: maxTasks})
	if err != nil {
		s.Logger.Warn("tasks not counted", "error", err)
		return
	}
	counts := map[errand.TaskState]int{}
	for _, t := range tasks {
		counts[t.State]++
	}
	metric("errand_tasks", "gauge", "Tasks that have not ended, by state; counted up to 1000.")
	for _, state := range states {
		fmt.Fprintf(b, "errand_tasks{state=%q} %d\n", state, counts[state])
	}
}

// residentBytes is known on Linux only.
func residentBytes() (int, bool) {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(statm))
	if len(fields) < 2 {
		return 0, false
	}
	pages, err := strconv.Atoi(fields[1])
	return pages * os.Getpagesize(), err == nil
}

// measured counts answers.
func (s *Server) measured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		watched := &watchedWriter{ResponseWriter: w}
		began := time.Now()
		defer func() {
			class := watched.status / 100
			if class < 1 || class >= len(s.count.answers) {
				class = 0
			}
			s.count.answers[class].Add(1)
			s.Logger.Debug("request", "method", r.Method, "path", r.URL.Path, "status", watched.status, "took", time.Since(began))
		}()
		next.ServeHTTP(watched, r)
	})
}

// A watchedWriter remembers the status.
type watchedWriter struct {
	http.ResponseWriter
	status int
}

func (w *watchedWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *watchedWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController find the connection.
func (w *watchedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
