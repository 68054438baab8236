package browser

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/ownerkey"
	"errand/internal/temporal/devserver"
)

// What a worker that is a process of its own is told by its environment.
const (
	workerData     = "ERRAND_TEST_WORKER_DATA"
	workerListen   = "ERRAND_TEST_WORKER_LISTEN"
	workerTemporal = "ERRAND_TEST_WORKER_TEMPORAL"
)

// workerMain is the program of a worker that a test kills. It reports whether it was one.
func workerMain() bool {
	data := os.Getenv(workerData)
	if data == "" {
		return false
	}
	err := func() error {
		cfg, err := config.Load(config.Sources{
			Env:   func(name string) string { return map[string]string{"ERRAND_DATA": data}[name] },
			Tools: app.ToolNames(), Flags: config.Flags{Listen: os.Getenv(workerListen)},
		})
		if err != nil {
			return err
		}
		cfg.UIPort = 0
		if cfg.TemporalPort, err = strconv.Atoi(os.Getenv(workerTemporal)); err != nil {
			return err
		}
		if _, err := app.Start(context.Background(), app.Options{Config: cfg, Version: "test"}); err != nil {
			return err
		}
		select {} // until it is killed
	}()
	fmt.Fprintln(os.Stderr, "worker:", err)
	os.Exit(1)
	return true
}

// A workerProcess is an installation in a process of its own, with the demonstration model.
type workerProcess struct {
	t         *testing.T
	data, url string
	temporal  int
	cmd       *exec.Cmd
}

func startProcess(t *testing.T) *workerProcess {
	t.Helper()
	if os.Getenv("ERRAND_TEST_BROWSER") == "" {
		t.Skip("ERRAND_TEST_BROWSER names no browser")
	}
	w := &workerProcess{t: t, data: filepath.Join(t.TempDir(), "data"), url: fmt.Sprintf("http://127.0.0.1:%d", devserver.FreePort(t)), temporal: devserver.FreePort(t)}
	w.begin()
	t.Cleanup(func() { w.kill() })
	return w
}

// begin starts it and waits until it is ready.
func (w *workerProcess) begin() {
	w.t.Helper()
	w.cmd = exec.Command(os.Args[0])
	w.cmd.Env = append(ownerkey.ChildEnv(os.Environ()), workerData+"="+w.data, workerListen+"="+strings.TrimPrefix(w.url, "http://"), fmt.Sprintf("%s=%d", workerTemporal, w.temporal))
	w.cmd.Stderr = os.Stderr
	if err := w.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	tick, end := time.NewTicker(50*time.Millisecond), time.After(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if resp, err := http.Get(w.url + "/readyz"); err == nil {
				resp.Body.Close()
				if resp.StatusCode == http.StatusOK {
					return
				}
			}
		case <-end:
			w.t.Fatal("the worker is not ready")
		}
	}
}

func (w *workerProcess) kill() {
	_ = w.cmd.Process.Kill() // it may be dead
	_ = w.cmd.Wait()
}

// TestKilledWorker proves that a turn goes on after kill -9, before the eyes of who has the
// page open: the page says that errand is away, says who is at work as soon as it is back, also
// when it is loaded anew, and shows the answer once.
func TestKilledWorker(t *testing.T) {
	worker := startProcess(t)
	owner := atBrowser(t, "owner")
	key, err := os.ReadFile(filepath.Join(worker.data, "owner.key"))
	owner.must("read the key", err)
	owner.open(worker.url + "/login.html")
	owner.types("#token", strings.TrimSpace(string(key)))
	owner.clicks("#with-token button")
	owner.sees("#who", "Admin")

	owner.says("ask Finn to count the trams, work 9s")
	owner.sees("#log .task.working", "count the trams")
	owner.sees("#doing", "Finn")
	worker.kill()
	owner.sees("#connection", "Can't reach errand")
	worker.begin()
	owner.until("errand to be back", func() bool { return owner.text("#connection") == "" })
	owner.sees("#doing", "Finn")
	owner.open(worker.url + "/")
	owner.sees("#log .mine", "count the trams")
	owner.sees("#doing", "Finn")
	owner.sees("#log .task", "completed")
	owner.sees("#log .reply", "count the trams")
	owner.until("nobody at work", func() bool { return owner.text("#doing") == "" })
	if n := owner.count("#log .mine"); n != 1 {
		t.Errorf("the message is shown %d times", n)
	}
	if n := owner.count("#log .reply"); n != 1 {
		t.Errorf("there are %d answers", n)
	}
	owner.open(worker.url + "/tasks")
	owner.until("one task", func() bool {
		return owner.count("#tasks tbody[data-task]") == 1 && owner.has("#tasks .state-word", "Done")
	})
	owner.clicks("#tasks .title")
	owner.sees(".state-line a", "ask Finn to count the trams") // the title of its chat
	owner.sees(".events .gap", "errand was not running Finn continued from there.")
	owner.until("the gap in the bar", func() bool { return owner.count(".bar-of .at-gap") == 1 })
	owner.picture("task-killed")
	owner.accessible("a task whose worker was killed")
	owner.narrow()
}
