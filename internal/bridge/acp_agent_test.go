package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/cli/console"
	"errand/internal/test/clitest"
)

// An editor is the other side of the protocol: it keeps what it would show.
type editor struct {
	acp.Client // what no agent of errand's asks for
	*acp.ClientSideConnection
	in     io.Closer
	chosen acp.PermissionOptionId // what its person chooses; empty: they close the question
	waits  bool                   // its person does not answer

	mu    sync.Mutex
	shown []string
	asked []acp.RequestPermissionRequest
	news  chan struct{}
}

func (e *editor) note(lines ...string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.shown = append(e.shown, lines...)
	close(e.news)
	e.news = make(chan struct{})
}

func (e *editor) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	u := n.Update
	switch {
	case u.UserMessageChunk != nil:
		e.note("you: " + u.UserMessageChunk.Content.Text.Text)
	case u.AgentMessageChunk != nil && u.AgentMessageChunk.Content.ResourceLink != nil:
		e.note("file: " + u.AgentMessageChunk.Content.ResourceLink.Name)
	case u.AgentMessageChunk != nil:
		e.note("text: " + u.AgentMessageChunk.Content.Text.Text)
	case u.AgentThoughtChunk != nil:
		e.note("thought: " + u.AgentThoughtChunk.Content.Text.Text)
	case u.ToolCall != nil:
		e.note(fmt.Sprintf("card %s, %s, %s", u.ToolCall.Title, u.ToolCall.Kind, u.ToolCall.Status))
	case u.ToolCallUpdate != nil:
		line := "card"
		if u.ToolCallUpdate.Status != nil {
			line += " " + string(*u.ToolCallUpdate.Status)
		}
		for _, c := range u.ToolCallUpdate.Content {
			line += ": " + c.Content.Content.Text.Text
		}
		e.note(line)
	case u.Plan != nil:
		line := "plan"
		for _, entry := range u.Plan.Entries {
			line += fmt.Sprintf(" [%s %s]", entry.Content, entry.Status)
		}
		e.note(line)
	case u.CurrentModeUpdate != nil:
		e.note("mode " + string(u.CurrentModeUpdate.CurrentModeId))
	}
	return nil
}

func (e *editor) RequestPermission(ctx context.Context, in acp.RequestPermissionRequest) (out acp.RequestPermissionResponse, err error) {
	e.mu.Lock()
	e.asked = append(e.asked, in)
	e.mu.Unlock()
	line := "asks " + *in.ToolCall.Title
	for _, o := range in.Options {
		line += fmt.Sprintf(" [%s %s]", o.Name, o.Kind)
	}
	e.note(line)
	if e.waits {
		<-ctx.Done()
		e.note("taken back")
		return out, ctx.Err()
	}
	if e.chosen == "" {
		out.Outcome.Cancelled = &acp.RequestPermissionOutcomeCancelled{}
		return out, nil
	}
	out.Outcome.Selected = &acp.RequestPermissionOutcomeSelected{OptionId: e.chosen}
	return out, nil
}

// await waits until the editor shows a line, and returns all of them.
func (e *editor) await(t *testing.T, want string) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		e.mu.Lock()
		shown, news := append([]string(nil), e.shown...), e.news
		e.mu.Unlock()
		for _, line := range shown {
			if strings.Contains(line, want) {
				return shown
			}
		}
		select {
		case <-news:
		case <-ctx.Done():
			t.Fatalf("never shown: %q; there is %q", want, shown)
		}
	}
}

func edit(t *testing.T, worker *clitest.FakeWorker) *editor {
	t.Helper()
	return editWith(t, worker, Options{Version: "1"})
}

func editWith(t *testing.T, worker *clitest.FakeWorker, opts Options) *editor {
	t.Helper()
	toAgent, fromEditor := io.Pipe()
	toEditor, fromAgent := io.Pipe()
	e := &editor{in: fromEditor, news: make(chan struct{})}
	quiet := slog.New(slog.DiscardHandler)
	ended := make(chan error, 1)
	go func() {
		ended <- RunACP(t.Context(), console.NewWorker(worker.URL, "secret"), opts, toAgent, fromAgent, quiet)
	}()
	e.ClientSideConnection = acp.NewClientSideConnection(e, fromEditor, toEditor)
	e.SetLogger(quiet)
	t.Cleanup(func() {
		fromEditor.Close()
		require.NoError(t, <-ended)
		toEditor.Close()
	})
	got, err := e.Initialize(t.Context(), acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber})
	require.NoError(t, err)
	require.True(t, got.AgentCapabilities.LoadSession)
	return e
}

const agents = `[{"name":"nikki","description":"leads","primary":true,"active":true,"talks":true},{"name":"sasha","talks":true},{"name":"judge"}]`

// office plays a worker with a chat "main". What is sent to the log is what happens in it
// after a message; what answers the message is its stream.
func office(t *testing.T) (worker *clitest.FakeWorker, log chan string) {
	worker = clitest.NewFakeWorker(t, nil)
	worker.On("GET /api/agents", http.StatusOK, agents)
	log = make(chan string, 50)
	worker.Mux.HandleFunc("GET /api/sessions/main/events", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("before") != "" {
			io.WriteString(w, `[{"id":1,"type":"message","text":"hello","message_id":"m-1"},{"id":2,"type":"task","agent":"sasha","task_id":"t-11111111","state":"submitted","text":"trains"},
				{"id":3,"type":"task","agent":"sasha","task_id":"t-11111111","state":"completed","text":"trains"},{"id":4,"type":"reply","agent":"nikki","turn":1,"text":"Two trains."}]`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		for {
			select {
			case e := <-log:
				clitest.SendEvent(w, e)
			case <-r.Context().Done():
				return
			}
		}
	})
	worker.On("GET /api/tasks/t-11111111", http.StatusOK, `{"id":"t-11111111","state":"completed","result":"9:05 and 11:20"}`)
	worker.On("GET /api/sessions", http.StatusOK, `[{"route":{"channel":"web","chat":"main"},"agent":"nikki","active":"2026-11-20T10:00:00Z","plan":{"agent":"nikki","items":[{"text":"ask","state":"done"},{"text":"book","state":"doing"}]}}]`)
	return worker, log
}

func answered(worker *clitest.FakeWorker, log chan string, meanwhile []string, stream ...string) {
	worker.Mux.HandleFunc("POST /api/sessions/main/messages", func(w http.ResponseWriter, _ *http.Request) {
		for _, e := range meanwhile {
			log <- e
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		for _, e := range stream {
			clitest.SendEvent(w, e)
		}
	})
}

func load(t *testing.T, e *editor) {
	t.Helper()
	_, err := e.ResumeSession(t.Context(), acp.ResumeSessionRequest{SessionId: "main", Cwd: "/"})
	require.NoError(t, err)
}

func say(t *testing.T, e *editor, text string) (acp.PromptResponse, error) {
	return e.Prompt(t.Context(), acp.PromptRequest{SessionId: "main", Prompt: []acp.ContentBlock{acp.TextBlock(text)}})
}

// TestPrompt proves what an editor shows of a turn, in order, and how its prompt ends.
func TestPrompt(t *testing.T) {
	const reply = `{"id":9,"type":"reply","agent":"nikki","turn":2,"text":"Two trains."}`
	for _, tt := range []struct {
		name      string
		meanwhile []string
		ends      string // the event that ends the turn; a reply where it is empty
		want      []string
		reason    acp.StopReason
	}{
		{name: "streamed", meanwhile: []string{`{"type":"step","agent":"nikki","turn":2,"text":"thinking"}`, `{"type":"delta","turn":2,"text":"Two "}`, `{"type":"delta","turn":2,"text":"trains"}`},
			want: []string{"text: Two ", "text: trains", "text: ."}},
		{name: "not streamed", want: []string{"text: Two trains."}},
		{name: "begun anew", meanwhile: []string{`{"type":"delta","turn":2,"text":"One"}`, `{"type":"reset","turn":2}`, `{"type":"delta","turn":2,"text":"Two trains."}`},
			want: []string{"text: One", "text: \n\nTwo trains."}},
		{name: "a tool", meanwhile: []string{`{"type":"step","session_id":"s","agent":"nikki","turn":2,"text":"step 1, searching","tool":"web_search"}`, `{"type":"step","agent":"nikki","turn":2,"text":"step 2, thinking"}`},
			want: []string{"card step 1, searching, search, in_progress", "card completed", "text: Two trains."}},
		{name: "a task", meanwhile: []string{`{"id":6,"type":"task","agent":"sasha","task_id":"t-11111111","state":"submitted","text":"trains"}`,
			`{"type":"step","agent":"sasha","task_id":"t-11111111","text":"step 1, searching"}`, `{"id":7,"type":"task","agent":"sasha","task_id":"t-11111111","state":"completed","text":"trains"}`},
			want: []string{"card Sasha: trains, other, pending", "card in_progress", "card: Sasha: step 1, searching", "card completed", "card: 9:05 and 11:20", "text: Two trains."}},
		{name: "a plan", meanwhile: []string{`{"type":"step","agent":"nikki","turn":2,"text":"1/2","plan_changed":true}`},
			want: []string{"plan [ask completed] [book in_progress]", "text: Two trains."}},
		{name: "another agent", ends: `{"id":9,"type":"reply","agent":"sasha","turn":2,"text":"I am Sasha."}`, want: []string{"text: I am Sasha.", "mode sasha"}},
		{name: "a question in the reply", ends: `{"id":9,"type":"question","agent":"nikki","turn":2,"text":"Which?","options":["9:05","11:20"]}`, want: []string{"text: Which?\n\n- 9:05\n- 11:20"}},
		{name: "cut off", ends: `{"id":9,"type":"reply","agent":"nikki","turn":2,"text":"Two","cause":"length"}`, want: []string{"text: Two"}, reason: acp.StopReasonMaxTokens},
		{name: "no reply", ends: `{"id":9,"type":"error","turn":2,"text":"the model is down","options":["try again"]}`, want: []string{"text: errand: the model is down\n\n- try again"}},
		{name: "stopped elsewhere", ends: `{"id":9,"type":"notice","turn":2,"text":"Stopped."}`, want: []string{"text: Stopped."}, reason: acp.StopReasonCancelled},
		{name: "a command", ends: `{"type":"notice","text":"No tasks."}`, want: []string{"text: No tasks."}},
		{name: "a file", meanwhile: []string{`{"id":7,"type":"file","agent":"nikki","turn":2,"file":{"id":3,"name":"trip.pdf","type":"application/pdf","size":9}}`}, want: []string{"file: trip.pdf", "text: Two trains."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			worker, log := office(t)
			ends := tt.ends
			if ends == "" {
				ends = reply
			}
			meanwhile := tt.meanwhile
			if strings.Contains(ends, `"id"`) {
				meanwhile = append(meanwhile, ends)
			}
			answered(worker, log, meanwhile, ends)
			e := edit(t, worker)
			load(t, e)
			text := "trains?"
			if tt.name == "a command" {
				text = "/tasks"
			}
			got, err := say(t, e, text)
			require.NoError(t, err)
			reason := tt.reason
			if reason == "" {
				reason = acp.StopReasonEndTurn
			}
			assert.Equal(t, reason, got.StopReason)
			e.mu.Lock()
			defer e.mu.Unlock()
			assert.Equal(t, tt.want, e.shown, "all of it is shown before the prompt ends")
		})
	}
}

// TestCancel proves that an editor's cancel is /stop in the chat, and that the prompt ends
// when the turn has.
func TestCancel(t *testing.T) {
	worker, log := office(t)
	began, over := make(chan struct{}), make(chan struct{})
	const stopped = `{"id":9,"type":"notice","turn":2,"text":"Stopped."}`
	worker.Mux.HandleFunc("POST /api/sessions/main/messages", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("wait") == "false" {
			log <- stopped
			close(over)
			io.WriteString(w, `{"reply":{"text":"Stopped."},"command":true}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		close(began)
		<-over
		clitest.SendEvent(w, stopped)
	})
	e := edit(t, worker)
	load(t, e)
	go func() {
		<-began
		assert.NoError(t, e.Cancel(t.Context(), acp.CancelNotification{SessionId: "main"}))
	}()
	got, err := say(t, e, "trains?")
	require.NoError(t, err)
	assert.Equal(t, acp.StopReasonCancelled, got.StopReason)
	sent := worker.Asked("POST", "/api/sessions/main/messages")
	require.Len(t, sent, 2)
	assert.Contains(t, sent[1].Body, `"/stop"`)
	e.await(t, "text: Stopped.")
}

// TestClose proves that an editor that closes a session stops its own prompt, and no turn that
// was begun elsewhere.
func TestClose(t *testing.T) {
	for _, tt := range []struct {
		name string
		own  bool
	}{{"its own prompt", true}, {"a prompt that is over", false}} {
		t.Run(tt.name, func(t *testing.T) {
			worker, log := office(t)
			const reply = `{"id":9,"type":"reply","agent":"nikki","turn":2,"text":"Two trains."}`
			began, over := make(chan struct{}), make(chan struct{})
			worker.Mux.HandleFunc("POST /api/sessions/main/messages", func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Query().Get("wait") == "false" {
					close(over)
					io.WriteString(w, `{"reply":{"text":"Stopped."},"command":true}`)
					return
				}
				w.Header().Set("Content-Type", "text/event-stream")
				w.WriteHeader(http.StatusOK)
				w.(http.Flusher).Flush()
				close(began)
				if tt.own {
					select {
					case <-over:
					case <-r.Context().Done():
					}
				}
				log <- reply
				clitest.SendEvent(w, reply)
			})
			e := edit(t, worker)
			load(t, e)
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				say(t, e, "trains?") // what came of it does not matter here
			}()
			<-began
			if !tt.own {
				<-ended
			}
			_, err := e.CloseSession(t.Context(), acp.CloseSessionRequest{SessionId: "main"})
			require.NoError(t, err)
			<-ended
			sent := worker.Asked("POST", "/api/sessions/main/messages")
			if !tt.own {
				assert.Len(t, sent, 1)
				return
			}
			require.Len(t, sent, 2)
			assert.Contains(t, sent[1].Body, `"/stop"`)
		})
	}
}

// TestLoadIsWhole proves that a chat is open only when what was said in it is told: nothing
// else comes between.
func TestLoadIsWhole(t *testing.T) {
	worker := clitest.NewFakeWorker(t, nil)
	reads, goOn := make(chan struct{}), make(chan struct{})
	worker.On("GET /api/agents", http.StatusOK, agents)
	worker.On("GET /api/sessions", http.StatusOK, `[{"agent":"nikki"}]`)
	worker.On("GET /api/questions", http.StatusOK, `[]`)
	worker.Mux.HandleFunc("GET /api/sessions/main/events", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("before") == "" {
			<-r.Context().Done()
			return
		}
		close(reads)
		<-goOn
		io.WriteString(w, `[{"id":1,"type":"message","text":"hello","message_id":"m-1"}]`)
	})
	worker.Mux.HandleFunc("POST /api/sessions/main/messages", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		clitest.SendEvent(w, `{"type":"notice","text":"No tasks."}`)
	})
	e := edit(t, worker)
	loaded := make(chan error, 1)
	go func() {
		_, err := e.LoadSession(t.Context(), acp.LoadSessionRequest{SessionId: "main", Cwd: "/", McpServers: []acp.McpServer{}})
		loaded <- err
	}()
	<-reads
	_, err := say(t, e, "/tasks")
	close(goOn)
	assert.ErrorContains(t, err, "there is no session")
	require.NoError(t, <-loaded)
	_, err = say(t, e, "/tasks")
	require.NoError(t, err)
	assert.Equal(t, []string{"you: hello", "text: No tasks."}, e.await(t, "No tasks."))
}

// TestLoad proves that a chat is told again, with what became of its tasks, before it goes
// on, and that a late result is shown though no prompt waits.
func TestLoad(t *testing.T) {
	worker, log := office(t)
	worker.On("GET /api/questions", http.StatusOK, `[]`)
	e := edit(t, worker)
	got, err := e.LoadSession(t.Context(), acp.LoadSessionRequest{SessionId: "main", Cwd: "/", McpServers: []acp.McpServer{}})
	require.NoError(t, err)
	require.Len(t, got.Modes.AvailableModes, 2)
	assert.Equal(t, acp.SessionModeId("nikki"), got.Modes.CurrentModeId)
	e.mu.Lock()
	assert.Equal(t, []string{"you: hello", "card Sasha: trains, other, pending", "card completed", "text: Two trains.", "card: 9:05 and 11:20", "plan [ask completed] [book in_progress]"}, e.shown)
	e.mu.Unlock()
	log <- `{"id":5,"type":"late","agent":"sasha","task_id":"t-22222222","text":"One more."}`
	shown := e.await(t, "One more.")
	assert.Equal(t, []string{"text: **Sasha, the late result of t-22222222:**", "text: \n\nOne more."}, shown[len(shown)-2:])
	log <- `{"id":6,"type":"message","message_id":"m-9","text":"from the phone"}`
	e.await(t, "you: from the phone")

	list, err := e.ListSessions(t.Context(), acp.ListSessionsRequest{Cwd: acp.Ptr("/srv")})
	require.NoError(t, err)
	require.Len(t, list.Sessions, 1)
	assert.Equal(t, "main", string(list.Sessions[0].SessionId))
}

// TestPermission proves that an approval is asked in the editor where whoever runs it may give
// it and has said that it asks them, named where not, and taken back when it is over, and that
// nothing else is asked as a permission.
func TestPermission(t *testing.T) {
	const approval = `{"id":"q-1","kind":"approval","state":"%s","agent":"finn","task_id":"t-1","text":"Finn wants to call write_file","options":["yes","no","always"],
		"approval":{"tool":"write_file","arguments":"{}","hash":"abc","for_session":true},"deciders":["Ana"],"may_answer":%v}`
	const asks = `asks Finn: write_file [yes allow_once] [no reject_once] [always allow_always]`
	for _, tt := range []struct {
		name, question string
		chosen         acp.PermissionOptionId
		waits          bool
		want           string // that is shown
		body           string // of the answer; empty: none is given
	}{
		{"yes", fmt.Sprintf(approval, "open", true), "yes", false, "card completed", `{"hash":"abc","text":"yes"}`},
		{"no", fmt.Sprintf(approval, "open", true), "no", false, "card completed", `{"hash":"abc","text":"no"}`},
		{"closed", fmt.Sprintf(approval, "open", true), "", false, "q-1 still waits for an answer", ""},
		{"not theirs", fmt.Sprintf(approval, "open", false), "yes", false, "Ana may answer. It can be answered on the page", ""},
		{"without --approve", fmt.Sprintf(approval, "open", true), "yes", false, "was started without `--approve`. Ana may answer. It can be answered on the page", ""},
		{"answered elsewhere", fmt.Sprintf(approval, "open", true), "", true, "taken back", ""},
		{"a choice", `{"id":"q-1","kind":"question","state":"open","agent":"finn","task_id":"t-1","text":"Which?","options":["a","b"],"may_answer":true}`, "b", false, "**Finn asks:** Which?\n\n- a\n- b\n\nAnswer with `/answer q-1 …`", ""},
		{"words", `{"id":"q-1","kind":"question","state":"open","agent":"finn","task_id":"t-1","text":"Which?","may_answer":true}`, "", false, "**Finn asks:** Which?\n\nAnswer with `/answer q-1 …`", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			worker, log := office(t)
			var answered atomic.Bool
			worker.Mux.HandleFunc("GET /api/questions/q-1", func(w http.ResponseWriter, _ *http.Request) {
				if answered.Load() {
					io.WriteString(w, `{"id":"q-1","kind":"approval","state":"answered"}`)
					return
				}
				io.WriteString(w, tt.question)
			})
			worker.On("GET /api/questions", http.StatusOK, `[]`)
			worker.On("POST /api/questions/q-1/answer", http.StatusOK, `{}`)
			approve := tt.name != "without --approve"
			e := editWith(t, worker, Options{Version: "1", Approve: approve})
			e.chosen, e.waits = tt.chosen, tt.waits
			load(t, e)
			log <- `{"id":6,"type":"question","agent":"finn","task_id":"t-1","text":"Which?","question_id":"q-1","question_kind":"approval"}`
			if tt.waits {
				e.await(t, asks)
				log <- `{"id":7,"type":"notice","text":"Something else."}` // the approval is none of the chat's
				log <- `{"id":8,"type":"notice","text":"And more."}`
				before := e.await(t, "And more.") // and with it, what the one before it has led to
				assert.NotContains(t, before, "taken back", "it is open")
				answered.Store(true)
				log <- `{"id":9,"type":"notice","text":"Ana has said yes."}`
			}
			shown := e.await(t, tt.want)
			if !approve || !strings.Contains(tt.question, `"may_answer":true`) || !strings.Contains(tt.question, "approval") {
				assert.NotContains(t, strings.Join(shown, "\n"), "asks Finn")
			} else {
				e.await(t, asks)
				e.mu.Lock()
				assert.Contains(t, e.asked[0].ToolCall.Content[0].Content.Content.Text.Text, "```json\n{}\n```")
				e.mu.Unlock()
			}
			answers := worker.Asked("POST", "/api/questions/q-1/answer")
			if tt.body == "" {
				assert.Empty(t, answers)
				return
			}
			require.Len(t, answers, 1)
			assert.JSONEq(t, tt.body, answers[0].Body)
		})
	}
}

// TestRefusals proves what an editor is told that asks for what there is not.
func TestRefusals(t *testing.T) {
	worker, _ := office(t)
	e := edit(t, worker)
	load(t, e)
	_, err := e.Prompt(t.Context(), acp.PromptRequest{SessionId: "other", Prompt: []acp.ContentBlock{acp.TextBlock("hi")}})
	assert.ErrorContains(t, err, `there is no session \"other\"`)
	_, err = e.SetSessionMode(t.Context(), acp.SetSessionModeRequest{SessionId: "main", ModeId: "judge"})
	assert.ErrorContains(t, err, `there is no agent`)
	_, err = say(t, e, "  ")
	assert.ErrorContains(t, err, "the prompt is empty")
	_, err = e.Prompt(t.Context(), acp.PromptRequest{SessionId: "main", Prompt: []acp.ContentBlock{acp.AudioBlock("aa", "audio/wav")}})
	assert.ErrorContains(t, err, "nothing else")

	strict := clitest.NewFakeWorker(t, nil)
	strict.On("GET /api/agents", http.StatusUnauthorized, `{}`)
	strict.On("GET /api/sessions", http.StatusOK, `[]`)
	other := edit(t, strict)
	_, err = other.NewSession(t.Context(), acp.NewSessionRequest{Cwd: "/", McpServers: []acp.McpServer{}})
	assert.ErrorContains(t, err, "does not know this token")
	_, err = other.LoadSession(t.Context(), acp.LoadSessionRequest{SessionId: "gone", Cwd: "/", McpServers: []acp.McpServer{}})
	assert.ErrorContains(t, err, "-32002")

	away := clitest.NewFakeWorker(t, nil)
	alone := edit(t, away)
	away.Close()
	_, err = alone.NewSession(t.Context(), acp.NewSessionRequest{Cwd: "/", McpServers: []acp.McpServer{}})
	assert.ErrorContains(t, err, "errand does not answer at")
}

// TestLines proves that what is no message is answered and hurts nothing, and that nothing
// but the protocol is written.
func TestLines(t *testing.T) {
	worker, _ := office(t)
	for _, tt := range []struct{ name, line, want string }{
		{"no JSON", `{"jsonrpc":`, `"code":-32700`},
		{"no object", `[1]`, `"code":-32600`},
		{"no method", `{"jsonrpc":"2.0"}`, `"code":-32600`},
		{"a method that is a number", `{"jsonrpc":"2.0","id":1,"method":7}`, `"code":-32600`},
		{"too long", `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", maxACPLine) + `"}`, `longer than`},
		{"deeply nested", strings.Repeat("[", 20000), `"code":-32700`},
		{"an unknown method", `{"jsonrpc":"2.0","id":1,"method":"session/dance","params":{}}`, `"code":-32601`},
		{"a session that is not there", `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"x","prompt":[]}}`, `"code":-32002`},
		{"no parameters", `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{}}`, `"code":-32602`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in, say := io.Pipe()
			out := clitest.NewOutput()
			ended := make(chan error, 1)
			go func() {
				ended <- RunACP(t.Context(), console.NewWorker(worker.URL, ""), Options{Version: "1"}, in, out, slog.New(slog.DiscardHandler))
			}()
			_, err := io.WriteString(say, tt.line+"\n\n"+`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":1}}`+"\n")
			require.NoError(t, err)
			out.Await(t, 0, tt.want)
			out.Await(t, 0, `"protocolVersion":1`)
			require.NoError(t, say.Close())
			require.NoError(t, <-ended)
			for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
				assert.True(t, json.Valid([]byte(line)), line)
			}
		})
	}
}

// TestMessage proves what of a prompt an agent reads.
func TestMessage(t *testing.T) {
	m, err := messageOf([]acp.ContentBlock{acp.TextBlock("look at "), acp.ResourceLinkBlock("main.go", "file:///srv/main.go"), acp.TextBlock(" and "),
		acp.ResourceBlock(acp.EmbeddedResourceResource{TextResourceContents: &acp.TextResourceContents{Uri: "file:///srv/doc.md", Text: "# Doc"}}), acp.ImageBlock("aGk=", "image/jpeg")})
	require.NoError(t, err)
	assert.Equal(t, "look at [main.go](file:///srv/main.go) and [doc.md]", m.Text)
	require.Len(t, m.Files, 2)
	assert.Equal(t, "# Doc", string(m.Files[0].Data))
	assert.Equal(t, "picture-2.jpg", m.Files[1].Name)
	_, err = messageOf([]acp.ContentBlock{acp.ImageBlock("!", "image/png")})
	assert.ErrorContains(t, err, "cannot be read")
}
