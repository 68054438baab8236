package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"regexp"
	"time"

	"errand/internal/core"
	"errand/internal/llm/scripted"
	"errand/internal/test/sim/models"
)

const modelTakes = time.Second

// wish is what people write: "say x7" is answered with "done x7"; for "delegate x7" Sasha is
// asked first, and waited for.
var wish = regexp.MustCompile(`\b(say|delegate|work on) (x\d+)\b`)

// serveModel answers for a model, on the OpenAI-compatible wire, until it is closed.
func serveModel(at string) (*http.Server, error) {
	l, err := net.Listen("tcp", at)
	if err != nil {
		return nil, err
	}
	s := &http.Server{Handler: models.Serve(scripted.Func(answer))}
	go func() {
		if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			logf("the model has ended: %v", err)
		}
	}()
	return s, nil
}

func modelEnv(at string) map[string]string {
	return map[string]string{"OPENAI_BASE_URL": "http://" + at + "/v1", "OPENAI_API_KEY": "none", "ERRAND_MODEL": "scripted"}
}

// answer does the last wish since the last answer.
func answer(_ context.Context, t *scripted.Turn) scripted.Answer {
	a := scripted.Answer{Text: "ok", Takes: modelTakes}
	for i, m := range t.Since {
		if m.Speaker != core.FromPerson {
			continue
		}
		for _, found := range wish.FindAllStringSubmatch(m.Text, -1) {
			a.Text, a.Calls = "done "+found[2], nil
			call := scripted.Call("call_agent", map[string]string{"agent": "sasha", "task": "work on " + found[2]})
			if found[1] == "delegate" && !t.Made(i, call) {
				a.Calls = []core.ToolCall{call}
			}
		}
	}
	return a
}

// pause waits, and reports whether it could wait to the end.
func pause(ctx context.Context, d time.Duration) bool { return scripted.Pause(ctx, d) == nil }
