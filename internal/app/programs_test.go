package app_test

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"errand/api"
	"errand/internal/core"
)

const (
	shownTask     = "t-7k3m9q2x" // the ids in docs/programs.md
	shownQuestion = "q-4sqyx5ad"
)

// printed is what the commands and programs of each section of docs/programs.md print.
var printed = map[string]string{
	"Send a message":               "hello",
	"Stream an answer":             "hello",
	"Run a task in the background": "night trains to Oslo",
	"Answer a question":            "by night",
	"Cancel a task":                "canceled",
	"Get a token":                  "errand_",
	"Get a webhook at the end":     "whsec_",
	"In Go":                        "canceled",
}

// tryProgram runs a snippet of docs/programs.md, and checks what it prints.
func (r *reader) tryProgram(t *testing.T, s snippet) {
	switch s.language {
	case "json":
		if !json.Valid([]byte(s.text)) {
			t.Errorf("this is not JSON:\n%s", s.text)
		}
		return
	case "yaml":
		r.try(t, s)
		return
	case "go": // the commands below it run it
		if err := os.WriteFile(filepath.Join(r.program, "main.go"), []byte(r.here(t, s)), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	cmd := r.programOf(t, s)
	switch {
	case s.language == "sh" && strings.Contains(s.text, "/trigger-bot"):
		r.triggers(t, cmd)
		return
	case s.language != "sh" && strings.Contains(s.text, "8090"):
		r.receives(t, cmd)
		return
	}
	if got := r.run(t, cmd); !strings.Contains(got, printed[s.section]) {
		t.Errorf("it prints %q, want %q", got, printed[s.section])
	}
	if s.section == "Answer a question" && s.language != "sh" {
		var left []api.Question
		if r.getJSON(t, "http://"+r.in.Address+"/api/questions", r.token(t, "delegate"), &left); len(left) > 0 {
			t.Errorf("without an answer are %+v", left)
		}
	}
}

// programOf returns the command that runs a snippet, as its reader would.
func (r *reader) programOf(t *testing.T, s snippet) *exec.Cmd {
	t.Helper()
	text, folder := r.prepared(t, s), t.TempDir()
	name, args := "bash", []string{"-euo", "pipefail", "-c", text}
	switch s.language {
	case "python":
		name, args = "python3", []string{filepath.Join(folder, "program.py")}
		imports := regexp.MustCompile(`(?m)^(import|from) .*\n`).FindAllString(text, -1)
		if exec.CommandContext(t.Context(), name, "-c", strings.Join(imports, "")).Run() != nil {
			t.Skip("this machine has no Python with its packages")
		}
	case "js":
		if strings.Contains(text, "standardwebhooks") {
			if folder = os.Getenv("ERRAND_TEST_NPM"); folder == "" {
				t.Skip("ERRAND_TEST_NPM names no folder with the library")
			}
		}
		name, args = "node", []string{filepath.Join(folder, "program-"+r.port+".mjs")}
	}
	if _, err := exec.LookPath(name); err != nil {
		t.Skip("this machine has no " + name)
	}
	scope := "chat,delegate"
	if strings.HasPrefix(text, "export ERRAND_TOKEN=") {
		scope = ""
	}
	cmd := r.command(t, scope, name, args...)
	cmd.Stdin = strings.NewReader("by night\nby night\n")
	switch {
	case s.language != "sh":
		if err := os.WriteFile(args[0], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Remove(args[0]) })
	case strings.HasPrefix(text, "go "):
		cmd.Dir = r.program
	}
	return cmd
}

// prepared returns the text of a snippet for this installation, in which the task and the question
// are there that it names.
func (r *reader) prepared(t *testing.T, s snippet) string {
	t.Helper()
	text := strings.ReplaceAll(r.here(t, s), "http://127.0.0.1:"+r.port+"/hook", r.hooks.URL+"/hook")
	if name, ok := strings.CutPrefix(text, "export "); ok {
		name, _, _ = strings.Cut(name, "=")
		return text + "printenv " + name
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	text = strings.ReplaceAll(text, "../errand", root)
	switch s.section {
	case "Run a task in the background":
		return strings.ReplaceAll(text, shownTask, string(r.delegate(t, "night trains to Oslo").ID))
	case "Cancel a task":
		return strings.ReplaceAll(text, shownTask, string(r.delegate(t, "wait 3h").ID))
	case "Answer a question":
		asks := r.delegate(t, do(call{Tool: "ask_user", Args: `{"question": "by day or by night?", "options": ["by day", "by night"]}`})).ID
		var question core.QuestionID
		eventually(t, "the question", func() bool {
			var open []api.Question
			r.getJSON(t, "http://"+r.in.Address+"/api/questions", r.token(t, "delegate"), &open)
			for _, q := range open {
				if q.Task == asks {
					question = q.ID
				}
			}
			return question != ""
		})
		return strings.ReplaceAll(text, shownQuestion, string(question))
	}
	return text
}

func (r *reader) delegate(t *testing.T, text string) api.Task {
	t.Helper()
	client := &api.Client{Base: "http://" + r.in.Address, Token: r.token(t, "delegate")}
	task, err := api.Call(t.Context(), client, api.CreateTask, api.CreateTaskInput{Body: api.NewTask{Agent: "sasha", Text: text, Chat: "holidays"}})
	if err != nil {
		t.Fatal(err)
	}
	return task.Value
}

// triggers runs a request to /trigger-bot twice: it has to be one task, whose webhook comes.
func (r *reader) triggers(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	var first, again struct{ ID, URL string }
	for _, out := range []any{&first, &again} {
		next := *cmd
		next.Stderr = new(bytes.Buffer)
		if got := r.run(t, &next); json.Unmarshal([]byte(got), out) != nil {
			t.Fatalf("the answer is %s", got)
		}
	}
	if first.ID == "" || again.ID != first.ID {
		t.Errorf("with the same key it is the task %q and then %q", first.ID, again.ID)
	}
	var read struct{ State, Result string }
	eventually(t, "the end of the task at "+first.URL, func() bool {
		r.getJSON(t, first.URL, r.token(t, "delegate"), &read)
		return read.State == "completed"
	})
	if !strings.Contains(read.Result, "night trains to Oslo") {
		t.Errorf("where url leads the result is %q", read.Result)
	}
	r.awaitWebhook(t, first.ID, read.Result)
}

// awaitWebhook waits for the webhook of a task, and checks it as its receiver would.
func (r *reader) awaitWebhook(t *testing.T, task, result string) {
	t.Helper()
	verifier, err := webhooks.NewWebhook(r.run(t, r.command(t, "", "errand", "hooks", "secret")))
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the webhook", func() bool { return len(r.hooks.requests()) > 0 })
	got := r.hooks.requests()[0]
	var said struct {
		Type string
		Data struct{ ID, State, Result string }
	}
	if err := verifier.Verify(got.body, got.header); err != nil || json.Unmarshal(got.body, &said) != nil {
		t.Fatalf("the webhook is %s, %v", got.body, err)
	}
	if said.Type != "task.completed" || said.Data.ID != task || said.Data.State != "completed" || said.Data.Result != result {
		t.Errorf("the webhook says %+v", said)
	}
}

// receives runs a receiver of webhooks, and has it told by errand and by somebody else.
func (r *reader) receives(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	var printed lines
	cmd.Env = append(cmd.Env, "ERRAND_HOOKS_SECRET="+r.run(t, r.command(t, "", "errand", "hooks", "secret")))
	cmd.Stdout = &printed
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	defer func() {
		cmd.Process.Kill()
		<-ended
	}()
	at := "127.0.0.1:" + r.port
	eventually(t, "the receiver", func() bool {
		conn, err := net.Dial("tcp", at)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	resp, err := http.Post("http://"+at+"/hook", "application/json", strings.NewReader(`{"type":"task.completed","data":{"id":"forged"}}`))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusBadRequest {
		t.Errorf("what nobody has signed is answered %s", resp.Status)
	}
	r.run(t, r.command(t, "", "errand", "hooks", "try", "http://"+at+"/hook"))
	eventually(t, "a line of the receiver", func() bool { return printed.String() != "" })
	if said := printed.String(); !strings.HasPrefix(said, "test ") || strings.Contains(said, "forged") {
		t.Errorf("the receiver prints %q", said)
	}
}
