package chaos

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"errand/internal/tools/code"
)

// TestPrograms proves what becomes of a program whose worker is killed while it runs. One
// without the network has changed nothing and is run again; of one that has the network
// nobody knows what it did, and the agent is told so. Neither outlives its worker.
func TestPrograms(t *testing.T) {
	found := code.Find(t.Context(), code.Options{Sandbox: string(code.Bubblewrap), Timeout: time.Minute, Memory: 256e6, Files: 8e6, Processes: 16}, code.Host{})
	if found.Kind != code.Bubblewrap {
		t.Skip(found.Why)
	}
	for _, network := range []bool{false, true} {
		t.Run(fmt.Sprintf("network %t", network), func(t *testing.T) {
			t.Parallel()
			killInProgram(t, network)
		})
	}
}

func killInProgram(t *testing.T, network bool) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	w := newWorld(t, point{}, setting{target: embedded})
	w.configure(fmt.Sprintf("primary: nikki\nagents:\n  nikki: {instructions: \"You are Nikki.\", tools: [run_code]}\ncode: {sandbox: bubblewrap, timeout: 1h, network: %t}\n", network))
	_, port, err := net.SplitHostPort(w.control)
	if err != nil {
		t.Fatal(err)
	}
	// Nobody else sleeps for so many years: other tests may run beside this one.
	seconds := fmt.Sprintf("4%s%09d", port, os.Getpid())
	w.startWorker("")
	w.send(ctx, "ann", "m1", "use run_code: sleep "+seconds+"; echo It woke up.")
	first := w.sleeping(ctx, seconds, 0)
	w.worker.kill()
	w.startWorker("")
	want := "error: outcome unknown"
	if !network {
		want = "It woke up."
		second := w.sleeping(ctx, seconds, first)
		if err := syscall.Kill(second, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	for len(w.platform.Seen("ann")) == 0 {
		if !w.pause(ctx) {
			t.Fatalf("ann reads nothing; log:\n%s", w.logs())
		}
	}
	for len(asleep(seconds)) > 0 {
		if !w.pause(ctx) {
			t.Fatalf("the program still runs; log:\n%s", w.logs())
		}
	}
	// A last message shows that nothing is on its way behind.
	w.send(ctx, "ann", "m2", "still there?")
	for !slices.Contains(w.platform.Seen("ann"), "you said still there?") {
		if !w.pause(ctx) {
			t.Fatalf("ann reads %q; log:\n%s", w.platform.Seen("ann"), w.logs())
		}
	}
	if seen := w.platform.Seen("ann"); len(seen) != 2 || !strings.HasPrefix(seen[0], "it said ") || !strings.Contains(seen[0], want) {
		t.Errorf("ann reads %q, want %q", seen, want)
	}
	if pids := asleep(seconds); len(pids) > 0 {
		t.Errorf("the program was run again: %v", pids)
	}
	if repeated := w.ledger.repeated(); len(repeated) > 0 {
		t.Errorf("model calls were made again: %v", repeated)
	}
}

// sleeping waits for a process that sleeps for so long, and is not the one before.
func (w *world) sleeping(ctx context.Context, seconds string, before int) int {
	w.t.Helper()
	for {
		for _, pid := range asleep(seconds) {
			if pid != before {
				return pid
			}
		}
		if !w.pause(ctx) {
			w.t.Fatalf("the program does not run; ann reads %q; log:\n%s", w.platform.Seen("ann"), w.logs())
		}
	}
}

func asleep(seconds string) (pids []int) {
	list, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is right
	for _, path := range list {
		if text, err := os.ReadFile(path); err == nil && string(text) == "sleep\x00"+seconds+"\x00" {
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}
