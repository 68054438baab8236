package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"errand/internal/llm"
	"errand/internal/ownerkey"
)

const subAgentPrompt = "You are working on task"

// Scripted is a process of its own that answers for a model: what it takes is nobody's
// price. It prints its address, and ends when ctx does.
func Scripted(ctx context.Context) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/v1\n", l.Addr())
	server := &http.Server{Handler: http.HandlerFunc(scripted)}
	context.AfterFunc(ctx, func() { server.Close() })
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// startScripted starts such a process, or without a command for it a server in this one.
func startScripted(o Options) (address string, stop func(), err error) {
	if len(o.Model) == 0 {
		server := httptest.NewServer(http.HandlerFunc(scripted))
		return server.URL + "/v1", server.Close, nil
	}
	cmd := exec.Command(o.Model[0], o.Model[1:]...)
	cmd.Env = ownerkey.ChildEnv(os.Environ())
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, fmt.Errorf("start the scripted model: %w", err)
	}
	stop = process{cmd}.kill
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("start the scripted model: %w", err)
	}
	return strings.TrimSpace(line), stop, nil
}

func overHTTP(address string) (*llm.Client, error) {
	return llm.New(llm.Config{Models: map[string]llm.Model{"default": {
		Providers: []llm.Provider{{Name: "bench", Model: "bench", BaseURL: address}}}}})
}

type completion struct {
	Choices []choice `json:"choices"`
	Usage   any      `json:"usage,omitempty"`
}

type choice struct {
	Message scriptedMessage `json:"message,omitzero"`
	Delta   scriptedMessage `json:"delta,omitzero"`
	Finish  string          `json:"finish_reason,omitempty"`
}

type scriptedMessage struct {
	Role      string         `json:"role,omitempty"`
	Content   string         `json:"content,omitempty"`
	ToolCalls []scriptedCall `json:"tool_calls,omitempty"`
}

type scriptedCall struct {
	Index    int    `json:"index"`
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// A scriptedRequest is what a scripted model reads of a request.
type scriptedRequest struct {
	Stream   bool
	Messages []struct {
		Role    string
		Content any
	}
}

// readRequest reads a request, and the first message, which is the system's. Where ok is false
// it is answered: it is none.
func readRequest(w http.ResponseWriter, r *http.Request) (req scriptedRequest, system string, ok bool) {
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil || len(req.Messages) == 0 {
		http.Error(w, "bad request", http.StatusBadRequest)
		return req, "", false
	}
	system, _ = req.Messages[0].Content.(string)
	return req, system, true
}

// scripted answers as [instant] does, over the wire, streaming if it is asked to.
func scripted(w http.ResponseWriter, r *http.Request) {
	req, system, ok := readRequest(w, r)
	if !ok {
		return
	}
	last := req.Messages[len(req.Messages)-1]
	if n := len(req.Messages); n > 1 && last.Role == "user" && (req.Messages[n-2].Role == "user" || req.Messages[n-2].Role == "tool") {
		last = req.Messages[n-2] // the very last is errand's note of the time
	}
	text, _ := last.Content.(string)
	if last.Role == "tool" && strings.HasPrefix(text, "error") {
		http.Error(w, "a tool was not run: "+text, http.StatusBadRequest) // what follows would be no measurement
		return
	}
	message, finish := scriptedMessage{Role: "assistant", Content: "ok"}, "stop"
	if strings.Contains(system, subAgentPrompt) {
		message.Content = "done"
	} else if last.Role == "user" {
		for line := range strings.Lines(text) {
			if task, ok := strings.CutPrefix(line, "ask "); ok {
				call := scriptedCall{ID: "c1", Type: "function"}
				call.Function.Name, call.Function.Arguments = "call_agent", fmt.Sprintf(`{"agent":"sasha","task":%q}`, strings.TrimSpace(task))
				message.Content, message.ToolCalls, finish = "", []scriptedCall{call}, "tool_calls"
			}
			if calls := toolCalls(line); calls != nil {
				message.Content, message.ToolCalls, finish = "", calls, "tool_calls"
			}
		}
	}
	usage := map[string]int{"prompt_tokens": 100, "completion_tokens": 10}
	var err error
	if !req.Stream {
		w.Header().Set("Content-Type", "application/json")
		err = json.NewEncoder(w).Encode(completion{Choices: []choice{{Message: message, Finish: finish}}, Usage: usage})
	} else {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, event := range []completion{{Choices: []choice{{Delta: message}}}, {Choices: []choice{{Finish: finish}}, Usage: usage}} {
			line, merr := json.Marshal(event)
			_, werr := fmt.Fprintf(w, "data: %s\n\n", line)
			err = errors.Join(err, merr, werr)
		}
		_, werr := fmt.Fprint(w, "data: [DONE]\n\n")
		err = errors.Join(err, werr)
	}
	if err != nil {
		panic(http.ErrAbortHandler) // whoever asked sees a broken answer
	}
}
