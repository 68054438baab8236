package app_test

import (
	"context"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/coder/acp-go-sdk"

	"errand/internal/bridge"
	"errand/internal/cli/console"
	"errand/internal/ownerkey"
)

// An editor keeps what errand shows in it, as text.
type editor struct {
	acp.Client // what no agent of errand's asks for
	*acp.ClientSideConnection

	mu    sync.Mutex
	shown strings.Builder
	leave func() error // goes away, as a program does that ends
}

func (e *editor) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch u := n.Update; {
	case u.AgentMessageChunk != nil && u.AgentMessageChunk.Content.Text != nil:
		e.shown.WriteString(u.AgentMessageChunk.Content.Text.Text)
	case u.UserMessageChunk != nil:
		e.shown.WriteString("\nyou: " + u.UserMessageChunk.Content.Text.Text + "\n")
	case u.ToolCall != nil:
		e.shown.WriteString("\ncard " + u.ToolCall.Title + "\n")
	case u.ToolCallUpdate != nil && u.ToolCallUpdate.Status != nil:
		e.shown.WriteString("\ncard is " + string(*u.ToolCallUpdate.Status) + "\n")
	}
	return nil
}

func (e *editor) text() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.shown.String()
}

// asEditorAgent runs "errand acp" for an editor that writes to the first and reads from the second.
func (in *installation) asEditorAgent() (io.WriteCloser, io.Reader) {
	in.t.Helper()
	owner, err := ownerkey.Read(in.opts.Config.Data)
	if err != nil {
		in.t.Fatal(err)
	}
	toAgent, fromEditor := io.Pipe()
	toEditor, fromAgent := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- bridge.RunACP(in.t.Context(), console.NewWorker("http://"+in.Address, string(owner)), bridge.Options{Version: "1"}, toAgent, fromAgent, slog.New(slog.DiscardHandler))
		fromAgent.Close()
	}()
	in.t.Cleanup(func() {
		fromEditor.Close()
		if err := <-ended; err != nil {
			in.t.Errorf("errand acp: %v", err)
		}
	})
	return fromEditor, toEditor
}

func (in *installation) edit() *editor {
	in.t.Helper()
	e := &editor{}
	to, from := in.asEditorAgent()
	e.ClientSideConnection, e.leave = acp.NewClientSideConnection(e, to, from), to.Close
	e.SetLogger(slog.New(slog.DiscardHandler))
	if _, err := e.Initialize(in.t.Context(), acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber}); err != nil {
		in.t.Fatal(err)
	}
	return e
}

// TestACP proves that an editor talks with an installation: a turn with a task, an editor that
// goes away in the middle of a turn and reads its reply when it loads the conversation, and a
// late result in the editor that has it open. .ci/openai/acp.mjs stops a turn and talks with
// another agent.
func TestACP(t *testing.T) {
	t.Parallel()
	in, s := play(t, nil)
	first := in.edit()
	created, err := first.NewSession(t.Context(), acp.NewSessionRequest{Cwd: "/", McpServers: []acp.McpServer{}})
	if err != nil {
		t.Fatal(err)
	}
	id := created.SessionId
	prompt := func(e *editor, text string, want acp.StopReason) {
		t.Helper()
		got, err := e.Prompt(t.Context(), acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock(text)}})
		if err != nil {
			t.Fatal(err)
		}
		if got.StopReason != want {
			t.Fatalf("%q ends with %s, want %s", text, got.StopReason, want)
		}
	}
	prompt(first, do(ask("sasha", "find trains")), acp.StopReasonEndTurn)
	for _, want := range []string{"card Sasha: find trains", "card is completed", "find trains"} {
		if !strings.Contains(first.text(), want) {
			t.Errorf("the editor does not show %q but %q", want, first.text())
		}
	}

	go func() {
		s.asked(t, "wait alone")
		if err := first.leave(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := first.Prompt(t.Context(), acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock("wait alone")}}); err == nil {
		t.Fatal("a prompt whose editor has gone away has ended")
	}
	s.open("alone")
	second := in.edit()
	if _, err := second.LoadSession(t.Context(), acp.LoadSessionRequest{SessionId: id, Cwd: "/", McpServers: []acp.McpServer{}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"card Sasha: find trains", "you: wait alone", "done alone"} {
		eventually(t, want+" in the loaded conversation", func() bool { return strings.Contains(second.text(), want) })
	}

	prompt(second, do(send("finn", "wait late")), acp.StopReasonEndTurn)
	s.open("late")
	eventually(t, "the late result", func() bool {
		return strings.Contains(second.text(), "late result") && strings.Contains(second.text(), "done late")
	})
}

// TestACPFromNPM runs the client that the protocol's makers publish for JavaScript against an
// installation. ERRAND_TEST_NPM is the folder in which it is installed.
func TestACPFromNPM(t *testing.T) {
	npm := os.Getenv("ERRAND_TEST_NPM")
	if npm == "" {
		t.Skip("ERRAND_TEST_NPM names no folder with the client")
	}
	in, _ := play(t, nil)
	to, from := in.asEditorAgent()
	script := exec.CommandContext(t.Context(), "node", "acp.mjs")
	script.Dir = npm
	script.Env = append(os.Environ(), "DELEGATE="+do(ask("sasha", "find trains")), "NEVER="+do(ask("sasha", "wait never")))
	var said strings.Builder
	script.Stdout, script.Stderr = to, &said
	stdin, err := script.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	go io.Copy(stdin, from) // until one of them is gone
	if err := script.Run(); err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	t.Logf("%s", said.String())
}
