package workflows_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"errand/internal/agents"
	"errand/internal/store"
	"errand/internal/test/llmtest"
	"errand/internal/test/workflowtest"
	"errand/internal/tools"
)

// withTool runs a test on an installation whose agent has one more tool.
func withTool(t *testing.T, run func(context.Context) (string, error), test func(*workflowtest.Installation)) {
	roster, err := agents.New("nikki", []agents.Agent{{Name: "nikki", Instructions: "I am nikki.", Tools: []string{"*"}}}, agents.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	workflowtest.Run(t, workflowtest.Options{Roster: roster}, func(in *workflowtest.Installation) {
		tool := tools.Tool{Name: "test.try", Effect: tools.Once, Timeout: time.Hour,
			Run: func(ctx context.Context, _ store.Call, _ json.RawMessage) (string, error) { return run(ctx) }}
		if err := in.Tools.Replace("test", []tools.Tool{tool}); err != nil {
			t.Fatal(err)
		}
		test(in)
	})
}

// TestToolsOfAStepRunAtOnce proves that eight tools of one step run side by side: each
// waits for the others.
func TestToolsOfAStepRunAtOnce(t *testing.T) {
	var running atomic.Int32
	all := make(chan struct{})
	withTool(t, func(ctx context.Context) (string, error) {
		if running.Add(1) == 8 {
			close(all)
		}
		select {
		case <-all:
			return "together", nil
		case <-ctx.Done():
			return "alone", nil
		}
	}, func(in *workflowtest.Installation) {
		all = make(chan struct{}) // of this bubble
		var calls []llmtest.ToolCall
		for range 8 {
			calls = append(calls, llmtest.Use("test.try", nil))
		}
		in.Send(do(calls...))
		read := in.Read()
		if len(read) != 1 || strings.Count(read[0], "together") != 8 {
			t.Errorf("the person reads %q", read)
		}
	})
}

// TestStopReachesTheTool proves that a tool is told to end when the person stops the
// turn, and that nothing is told of it afterwards.
func TestStopReachesTheTool(t *testing.T) {
	var stopped atomic.Bool
	withTool(t, func(ctx context.Context) (string, error) {
		<-ctx.Done()
		stopped.Store(true)
		return "", ctx.Err()
	}, func(in *workflowtest.Installation) {
		in.Send(do(llmtest.Use("test.try", nil)))
		in.Pass(time.Minute)
		if stopped.Load() {
			t.Fatal("it was told to end before anybody stopped it")
		}
		in.Send("/stop")
		in.Pass(10 * time.Second)
		if !stopped.Load() {
			t.Error("the tool goes on after /stop")
		}
		for _, text := range in.Read() {
			if strings.Contains(text, "unknown") {
				t.Errorf("the person reads %q", text)
			}
		}
	})
}
