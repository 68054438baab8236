package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"errand/internal/test/sim/coding"
)

// A coder is a coding agent and what it does: asked to, it writes "hello" to note.txt in its
// folder, once it may, then waits until it may end, and says "It is written.".
type coder struct {
	folder  string
	agent   string      // its entry in errand.yaml
	task    string      // what it is sent to do
	written func() bool // the file is there, and it waits
	end     func()      // what it waits for
}

// TestCodingAgentKilled proves what becomes of a coding agent whose worker is killed, first
// while it waits for a yes and then while it works: the program dies with its worker, what
// it asked is still open, and it goes on in its session. What it did is done once and told once.
func TestCodingAgentKilled(t *testing.T) {
	t.Parallel()
	c := &coder{folder: t.TempDir()}
	c.agent = fmt.Sprintf("{acp: [%q], folder: %q, env: {%s: %q}}", os.Args[0], c.folder, coding.Variable, t.TempDir())
	c.task = ">ask note.txt hello\n>write kept 1\n>await go\n>say It is written."
	c.written = func() bool { return c.read("kept") != "" } // and the line before it is done for good
	c.end = func() {
		if err := os.WriteFile(filepath.Join(c.folder, "go"), nil, 0o600); err != nil {
			t.Error(err)
		}
	}
	c.killed(t, "hello")
}

// TestOpenCode is TestCodingAgentKilled for the real OpenCode, with a model of ours.
// ERRAND_TEST_OPENCODE is the path of its program.
func TestOpenCode(t *testing.T) {
	program := os.Getenv("ERRAND_TEST_OPENCODE")
	if program == "" {
		t.Skip("ERRAND_TEST_OPENCODE names no opencode 1.18.33")
	}
	m := &codersModel{folder: t.TempDir(), waits: make(chan struct{}), ends: make(chan struct{})}
	model := httptest.NewServer(m)
	t.Cleanup(model.Close)
	t.Cleanup(m.end)
	settings := fmt.Sprintf(`{"autoupdate": false, "share": "disabled", "permission": {"bash": "ask"}, "model": "house/m", "small_model": "house/m",
		"provider": {"house": {"npm": "@ai-sdk/openai-compatible", "name": "House", "options": {"baseURL": "%s/v1", "apiKey": "k"}, "models": {"m": {"name": "m"}}}}}`, model.URL)
	if err := os.WriteFile(filepath.Join(m.folder, "opencode.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	c := &coder{folder: m.folder, task: "write the note", end: m.end}
	c.agent = fmt.Sprintf("{acp: [%q, acp], folder: %q, env: {HOME: %q}}", program, c.folder, t.TempDir())
	c.written = func() bool {
		select {
		case <-m.waits:
			return true
		default:
			return false
		}
	}
	c.killed(t, "hello\n")
}

func (c *coder) read(name string) string {
	text, _ := os.ReadFile(filepath.Join(c.folder, name)) // not there yet
	return string(text)
}

// killed plays it. The file has note in the end.
func (c *coder) killed(t *testing.T, note string) {
	ctx, cancel := context.WithTimeout(t.Context(), 12*time.Minute) // OpenCode begins slowly on a busy machine, three times
	defer cancel()
	w := newWorld(t, point{}, setting{target: embedded})
	w.configure("remote_agents:\n  coder: " + c.agent + "\n")
	w.startWorker("")
	until := func(what string, so func() bool) {
		t.Helper()
		for !so() {
			if !w.pause(ctx) {
				t.Fatalf("it did not come to that: %s; ann reads %q; log:\n%s", what, w.platform.Seen("ann"), w.logs())
			}
		}
	}
	kill := func() {
		t.Helper()
		if len(c.running()) == 0 {
			t.Error("the program does not run")
		}
		w.worker.kill()
		until("the end of the program with its worker", func() bool { return len(c.running()) == 0 })
	}
	w.send(ctx, "ann", "m1", "good evening")
	w.greeted(ctx)
	w.delegate(ctx, url.Values{"agent": {"coder"}, "text": {c.task}})
	until("the question", func() bool { return answerWith.MatchString(strings.Join(w.platform.Seen("ann"), "\n")) })
	kill()
	w.startWorker("")
	if note := c.read("note.txt"); note != "" {
		t.Errorf("before anybody has said yes the file has %q", note)
	}
	w.answer(ctx, "yes")
	until("the file", c.written)
	kill()
	w.startWorker("")
	c.end()
	const result = "Sasha says: two trains" // the ledger tells any result in these words
	until("the result", func() bool { return slices.Contains(w.platform.Seen("ann"), result) })
	if list, err := w.tasks(ctx); err != nil || len(list) != 1 || !strings.Contains(list[0].Result, "It is written.") {
		t.Errorf("the tasks are %+v, %v", list, err)
	}
	// A last message shows that nothing is on its way behind.
	w.send(ctx, "ann", "m2", "still there?")
	until("the last answer", func() bool { return slices.Contains(w.platform.Seen("ann"), "you said still there?") })
	seen := w.platform.Seen("ann")
	for what, want := range map[string]int{"wants to run coder.": 1, result: 1} {
		if n := timesIn(seen, what); n != want {
			t.Errorf("ann reads %q %d times, want %d: %q", what, n, want, seen)
		}
	}
	if got := c.read("note.txt"); got != note {
		t.Errorf("the file has %q, want %q", got, note)
	}
}

func (c *coder) running() (list []string) {
	where, _ := filepath.Glob("/proc/[0-9]*/cwd") // the pattern is right
	for _, link := range where {
		if at, err := os.Readlink(link); err == nil && at == c.folder {
			list = append(list, filepath.Base(filepath.Dir(link)))
		}
	}
	return list
}

// A codersModel is the model of a program: it has the note written by a command, unless it is
// there. Then it waits to be told that it may say so.
type codersModel struct {
	folder string
	once   sync.Once
	waits  chan struct{} // closed once it has waited
	last   sync.Once
	ends   chan struct{}
}

func (m *codersModel) end() { m.last.Do(func() { close(m.ends) }) }

func (m *codersModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var req struct{ Tools []json.RawMessage }
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, "no request", http.StatusBadRequest)
		return
	}
	delta, reason := map[string]any{"role": "assistant", "content": "It is written."}, "stop"
	if len(req.Tools) > 0 { // without, it is asked for a title
		if _, err := os.Stat(filepath.Join(m.folder, "note.txt")); err == nil {
			m.once.Do(func() { close(m.waits) })
			select {
			case <-m.ends:
			case <-r.Context().Done():
				return
			}
		} else {
			args, _ := json.Marshal(map[string]string{"command": "echo hello >> note.txt", "description": "Writes the note"})
			reason, delta = "tool_calls", map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{"index": 0, "id": "call-1", "type": "function",
				"function": map[string]string{"name": "bash", "arguments": string(args)}}}}
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, choice := range []map[string]any{{"index": 0, "delta": delta}, {"index": 0, "delta": map[string]any{}, "finish_reason": reason}} {
		chunk, _ := json.Marshal(map[string]any{"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": []any{choice}})
		fmt.Fprintf(w, "data: %s\n\n", chunk)
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}
