package web

import (
	"fmt"
	"net/http"
	"runtime"

	"errand"
)

type outboxIn struct {
	State []errand.OutboxState `query:"state" description:"one state, or several with commas; may be repeated"`
	Limit int                  `query:"limit" default:"200" maximum:"1000" description:"at most so many, 200 by default"`
}

func (s *Server) getOutbox(r *http.Request, in outboxIn) ([]errand.Notification, error) {
	return s.Backend.Outbox(r.Context(), actor(r), in.State, in.Limit)
}

type deliveryIn struct {
	ID int64 `path:"id" id:"delivery"`
}

type deliveryOut struct {
	ID int64 `json:"id"`
}

func (s *Server) postOutboxRetry(r *http.Request, in deliveryIn) (deliveryOut, error) {
	return deliveryOut(in), s.Backend.RetryOutbox(r.Context(), actor(r), in.ID)
}

func (s *Server) postOutboxDismiss(r *http.Request, in deliveryIn) (deliveryOut, error) {
	return deliveryOut(in), s.Backend.DismissOutbox(r.Context(), actor(r), in.ID)
}

// metrics is in the text format of Prometheus.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) error {
	numbers, err := s.Backend.Numbers(r.Context(), actor(r))
	if err != nil {
		return err
	}
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	fmt.Fprintf(w, "# TYPE errand_goroutines gauge\nerrand_goroutines %d\n", runtime.NumGoroutine())
	fmt.Fprintf(w, "# TYPE errand_heap_bytes gauge\nerrand_heap_bytes %d\n", mem.HeapAlloc)
	if n := numbers.OpenTasks; n != nil {
		fmt.Fprintf(w, "# TYPE errand_open_tasks gauge\nerrand_open_tasks %d\n", *n)
	}
	if n := numbers.Unsent; n != nil {
		fmt.Fprintf(w, "# TYPE errand_unsent_deliveries gauge\nerrand_unsent_deliveries %d\n", *n)
	}
	connectionMetrics(w, numbers.Connections)
	hookMetrics(w, s.Hooks)
	for _, c := range s.Counters {
		if err := c.Write(w); err != nil {
			return err
		}
	}
	return nil
}
