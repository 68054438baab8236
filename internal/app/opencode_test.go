package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"errand"
	"errand/internal/agents"
	"errand/internal/config"
	"errand/internal/service"
)

// TestOpenCode proves that the real OpenCode is sent into a folder by a whole installation:
// it asks in the chat before it runs a program, errand ends and begins again while it waits,
// and after a yes it goes on in its session and writes the file. ERRAND_TEST_OPENCODE is the path of its
// program.
func TestOpenCode(t *testing.T) {
	program := os.Getenv("ERRAND_TEST_OPENCODE")
	if program == "" {
		t.Skip("ERRAND_TEST_OPENCODE names no opencode 1.18.33")
	}
	const writes = "echo hello > note.txt"
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			Messages []struct{ Role string }
			Tools    []json.RawMessage
		}
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil || len(req.Messages) == 0 {
			http.Error(w, "no request", http.StatusBadRequest)
			return
		}
		delta, reason := map[string]any{"role": "assistant", "content": "It is written."}, "stop"
		if len(req.Tools) > 0 && req.Messages[len(req.Messages)-1].Role == "user" {
			args, _ := json.Marshal(map[string]string{"command": writes, "description": "Writes the note"})
			reason, delta = "tool_calls", map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{"index": 0, "id": "call-1", "type": "function",
				"function": map[string]string{"name": "bash", "arguments": string(args)}}}}
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, choice := range []map[string]any{{"index": 0, "delta": delta}, {"index": 0, "delta": map[string]any{}, "finish_reason": reason}} {
			chunk, _ := json.Marshal(map[string]any{"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": []any{choice}})
			fmt.Fprintf(w, "data: %s\n\n", chunk)
		}
		fmt.Fprint(w, "data: [DONE]\n\n")
	}))
	t.Cleanup(model.Close)
	folder, home := t.TempDir(), t.TempDir()
	settings := fmt.Sprintf(`{"autoupdate": false, "share": "disabled", "permission": {"bash": "ask"}, "model": "house/m", "small_model": "house/m",
		"provider": {"house": {"npm": "@ai-sdk/openai-compatible", "name": "House", "options": {"baseURL": "%s/v1", "apiKey": "k"}, "models": {"m": {"name": "m"}}}}}`, model.URL)
	if err := os.WriteFile(filepath.Join(folder, "opencode.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	in, _ := play(t, nil, func(cfg *config.Config) {
		var err error
		cfg.Roster, err = agents.New("nikki", []agents.Agent{
			{Name: "nikki", Instructions: "I am nikki.", Delegates: []errand.AgentName{"coder"}, MaxSteps: agents.MaxMaxSteps},
			{Name: "coder", Kind: errand.CodingAgent, Description: "Codes.", NotSticky: true},
		}, agents.Rules{})
		if err != nil {
			t.Fatal(err)
		}
		cfg.CodingAgents = []config.CodingAgent{{Name: "coder", Command: []string{program, "acp"}, Folder: folder, Env: map[string]config.Secret{"HOME": config.Secret(home)}}}
	})
	chat := in.send("main", do(send("coder", "write the note")))
	var open []errand.Question
	asked := func() bool {
		var err error
		open, err = in.Service.QuestionsIn(t.Context(), owner, webKey("main"), false, 10)
		return err == nil && len(open) == 1
	}
	eventually(t, "the question of OpenCode", asked)
	if a := open[0].Approval; a == nil || a.Tool != "coder.execute" || !strings.Contains(a.Arguments, `echo hello`) {
		t.Fatalf("asked is %+v", open[0])
	}
	in.stop()
	in.start()
	eventually(t, "the same question", asked)
	if _, err := os.Stat(filepath.Join(folder, "note.txt")); err == nil {
		t.Error("it is done before anybody has said yes")
	}
	if _, err := in.Service.AnswerQuestion(t.Context(), owner, string(open[0].ID), service.Answer{Text: errand.ApprovedOnce, Route: errand.WebRoute("main")}); err != nil {
		t.Fatal(err)
	}
	events := in.until(chat, late(1))
	note, err := os.ReadFile(filepath.Join(folder, "note.txt"))
	if err != nil || string(note) != "hello\n" || !strings.Contains(events[len(events)-1].Text, "It is written.") {
		t.Errorf("the file has %q, %v; it is told as %q", note, err, events[len(events)-1].Text)
	}
}
