package chaos

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"errand/internal/temporal/devserver"
)

// noticed is how long living workers may take to notice a dead one. said is how long they may
// then take to answer, on a machine with little load.
const (
	noticed = 15 * time.Second
	said    = 5 * time.Second
)

// TestDeadWorker proves that others notice a killed worker within 15 seconds and continue its
// work. What one was doing that stands still is continued, too, later: for a minute
// Temporal still gives it work. When it goes on, it does nothing twice.
func TestDeadWorker(t *testing.T) {
	t.Parallel()
	address := os.Getenv("ERRAND_TEST_APP_POSTGRES")
	if address == "" {
		t.Skip("ERRAND_TEST_APP_POSTGRES is not set: a URL, postgres://…, of a database where schemas may be made")
	}
	for _, hold := range []string{"nikki: send Sasha, message 1", "sasha: look at notes for night trains to Oslo"} {
		for how, signal := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "stands still": syscall.SIGSTOP} {
			for _, workers := range []int{2, 4} {
				if os.Getenv("ERRAND_CHAOS") != "full" && (signal == syscall.SIGKILL) != (workers == 4) {
					continue
				}
				t.Run(fmt.Sprintf("%s, 1 of %d %s", hold[:5], workers, how), func(t *testing.T) {
					t.Parallel()
					deadWorker(t, address, hold, signal, workers)
				})
			}
		}
	}
}

func deadWorker(t *testing.T, address, hold string, signal syscall.Signal, n int) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	w := newWorld(t, point{hold: hold}, setting{target: worker, postgres: address})
	workers := map[string]*process{}
	model := w.model
	var control []string
	for i := range n {
		name, at := fmt.Sprint(i), fmt.Sprintf("127.0.0.1:%d", devserver.FreePort(t))
		control = append(control, at)
		workers[name] = spawn(t, append(slices.Clone(w.env), "CHAOS_ROLE=worker", "CHAOS_CONTROL="+at, "ERRAND_LISTEN=127.0.0.1:0",
			"ERRAND_DATA="+filepath.Join(w.dir, "data"+name), "OPENAI_BASE_URL="+model+"/worker/"+name+"/v1")...)
	}
	for i, at := range control { // while they start, none is taken for dead
		w.control, w.worker = at, workers[fmt.Sprint(i)]
		for w.sessions(ctx) == nil {
			if !w.pause(ctx) {
				t.Fatalf("worker %d does not answer: %s", i, w.logs())
			}
		}
	}
	w.send(ctx, "ann", "m1", errands.text)
	select {
	case <-w.ledger.held:
	case <-ctx.Done():
		t.Fatalf("the model was not called; log:\n%s", w.logs())
	}
	dead := workers[w.ledger.holder]
	if err := dead.cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for i, at := range control { // ask one that is alive
		if p := workers[fmt.Sprint(i)]; p != dead {
			w.control, w.worker = at, p
		}
	}
	var took time.Duration // until its end was noticed: how long the rest takes depends on the machine
	for !errands.delivered(w.platform.Seen("ann")) {
		if took == 0 && slices.ContainsFunc(slices.Collect(maps.Values(workers)), hasNoticedDeath) {
			took = time.Since(began)
		}
		if !w.pause(ctx) {
			t.Fatalf("ann reads %q; log:\n%s", w.platform.Seen("ann"), w.logs())
		}
	}
	t.Logf("noticed after %.1f s, delivered after %.1f s", took.Seconds(), time.Since(began).Seconds())
	if signal == syscall.SIGKILL && (took == 0 || took > noticed) {
		t.Errorf("that the worker is dead was noticed after %s", took)
	}
	if signal == syscall.SIGSTOP {
		for time.Since(began) < 30*time.Second && w.pause(ctx) {
		}
		dead.cmd.Process.Signal(syscall.SIGCONT)
	}
	close(w.ledger.release) // the call of the dead worker is answered now
	w.send(ctx, "bob", "m2", "hello")
	for !slices.Equal(w.platform.Seen("bob"), []string{"you said hello"}) {
		if !w.pause(ctx) {
			t.Fatalf("bob reads %q; log:\n%s", w.platform.Seen("bob"), w.logs())
		}
	}
	if signal == syscall.SIGSTOP {
		for !strings.Contains(dead.last(), "taken for dead") {
			if !w.pause(ctx) {
				t.Fatalf("it does not notice that it was taken for dead; log:\n%s", dead.last())
			}
		}
	}
	if got := w.platform.Seen("ann"); !errands.delivered(got) {
		t.Errorf("ann reads %q", got)
	}
	if tasks, err := w.tasks(ctx); err != nil || len(tasks) != 1 {
		t.Errorf("tasks are %+v, %v", tasks, err)
	}
	for what, times := range w.ledger.repeated() {
		if times > 2 || what != hold && !strings.HasPrefix(what, starting) { // the other agent may be at work, too
			t.Errorf("model call %q was made %d times", what, times)
		}
	}
}

// hasNoticedDeath reports whether a worker has taken another for dead.
func hasNoticedDeath(p *process) bool {
	return strings.Contains(p.log.String(), "worker does not answer")
}

type workerKey struct{}

// ofWorker returns a request to the model of one worker, whose name is in its path.
func ofWorker(r *http.Request) *http.Request {
	rest, ok := strings.CutPrefix(r.URL.Path, "/worker/")
	if !ok {
		return r
	}
	name, path, _ := strings.Cut(rest, "/")
	r = r.Clone(context.WithValue(r.Context(), workerKey{}, name))
	r.URL.Path = "/" + path
	return r
}
