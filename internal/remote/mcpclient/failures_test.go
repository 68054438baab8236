package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"errand/internal/store"
)

// TestFailures proves that the operator is shown which calls brought no result, in words
// of errand's, at every worker and also after a restart; and that a call which worked or
// was stopped is none of them.
func TestFailures(t *testing.T) {
	server, folder := sim(t)
	server.Single = true
	shared := newSet()
	first, stopFirst := run(t, shared, nil, server)
	wait(t, "connection", is(first, Connected))
	mine := newSet()
	second, _ := run(t, mine, func(o *Options) {
		o.LeaseTTL, o.Worker, o.Lists, o.Leases, o.Poll = 100*time.Millisecond, "w2", shared, shared, 5*time.Millisecond
	}, server)
	call(t, shared, "sim.echo", `{"text":"secret"}`)
	call(t, shared, "sim.fail", `{"text":"secret"}`)
	call(t, shared, "sim.refuse", `{}`)
	call(t, shared, "sim.ask", `{}`)
	stopped, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tool, _ := shared.tool("sim.hang")
		tool.Run(stopped, aCall, nil)
	}()
	wait(t, "call", func() bool { return slices.Contains(noted(folder, "calls"), "hang") })
	stop()
	<-ended
	call(t, shared, "sim.die", `{}`)
	want := []string{"sim.die it broke the connection", "sim.ask it asked the user something", "sim.refuse it refused the call (-32602)", "sim.fail it said that the call failed"}
	shown := func(s Status) (list []string) {
		for _, f := range s.Failures {
			list = append(list, f.Tool+" "+f.Reason)
			if f.Worker != "w1" || f.At.IsZero() {
				t.Errorf("it failed at %q, %v", f.Worker, f.At)
			}
		}
		return list
	}
	if got := shown(first.List()[0]); !slices.Equal(got, want) {
		t.Errorf("shown: %q, want %q", got, want)
	}
	wait(t, "the same at the other worker", func() bool { return slices.Equal(shown(second.List()[0]), want) })
	wait(t, "state at the other worker", func() bool {
		s := second.List()[0]
		return s.State == Elsewhere && s.RemoteState == Connected && s.Worker == "w1" && s.Says == "sim 1" && s.Single
	})
	stopFirst()
	wait(t, "connection at the second", is(second, Connected))
	if got := shown(second.List()[0]); !slices.Equal(got, want) {
		t.Errorf("after it was taken over: %q", got)
	}
}

// countedLists count what is written.
type countedLists struct {
	*set
	notes, lists atomic.Int32
}

func (l *countedLists) NoteMCPServer(ctx context.Context, m store.MCPServer) error {
	l.notes.Add(1)
	if len(m.Tools) > 0 {
		l.lists.Add(1)
	}
	return l.set.NoteMCPServer(ctx, m)
}

// TestManyFailures proves that calls which fail one after the other cost the store little:
// they are kept every few seconds, and without the list of tools.
func TestManyFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := &countedLists{set: newSet()}
		c := newConnection(Server{Name: "sim", URL: "http://localhost/mcp"}, &Options{Lists: kept, Worker: "w1", Logger: slog.New(slog.DiscardHandler)})
		c.entries = []entry{{Name: "sim.echo", Remote: "echo"}}
		ctx, cancel := context.WithCancel(t.Context())
		c.note(ctx)
		listed := kept.rows["sim"]
		go c.noteFailures(ctx)
		fail := func(tool string, notes int32) {
			t.Helper()
			for n := range 1000 {
				c.noteFailure(fmt.Sprint(tool, n), "it could not be reached")
				synctest.Wait()
			}
			if got := kept.notes.Load(); got != notes {
				t.Errorf("%d notes were written, want %d", got, notes)
			}
		}
		fail("sim.first", 2)
		time.Sleep(noteEvery) // of the bubble
		fail("sim.second", 3)
		time.Sleep(noteEvery)
		fail("sim.last", 4)
		cancel()
		synctest.Wait()
		var told about
		if err := json.Unmarshal(kept.rows["sim"].About, &told); err != nil || len(told.Failures) != mostFailures || told.Failures[0].Tool != "sim.last0" {
			t.Errorf("at the end is kept: %+v, %v", told, err)
		}
		if row := kept.rows["sim"]; kept.notes.Load() != 5 || kept.lists.Load() != 1 || string(row.Tools) != string(listed.Tools) || !row.Changed.Equal(listed.Changed) {
			t.Errorf("the list was written %d times in %d notes: %+v", kept.lists.Load(), kept.notes.Load(), row)
		}
	})
}

// TestLatestFailures proves that few failures are kept, the latest first and each once.
func TestLatestFailures(t *testing.T) {
	at := func(n int, worker string) Failure {
		return Failure{At: time.Unix(int64(n), 0).UTC(), Tool: "sim.fail", Reason: fmt.Sprint(n), Worker: worker}
	}
	var list []Failure
	for n := range 20 {
		list = mergeFailures(list, []Failure{at(n, "w1"), at(n, "w1")})
	}
	list = mergeFailures([]Failure{at(3, "w2"), at(18, "w2")}, list)
	if len(list) != mostFailures || list[0] != at(19, "w1") || list[1] != at(18, "w1") || list[2] != at(18, "w2") || list[9] != at(11, "w1") {
		t.Errorf("kept: %+v", list)
	}
}
