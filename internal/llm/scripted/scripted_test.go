package scripted

import (
	"context"
	"errors"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/llm"
)

func said(text string) core.Message { return core.Message{Speaker: core.FromPerson, Text: text} }

var trains = Script{
	{Said: regexp.MustCompile(`^find (\w+)`), Tool: "look", Args: map[string]string{"for": "$1", "agent": "sasha"}},
	{Said: regexp.MustCompile(`^find`), Text: "I cannot look for $0."},
	{Said: regexp.MustCompile(`^who`), System: regexp.MustCompile(`You are Nikki`), Text: "Nikki"},
	{Said: regexp.MustCompile(`fail`), Do: func(*Turn, Match) (Answer, bool) { return Answer{Err: errors.New("no")}, true }},
	{Result: regexp.MustCompile(`^look$`), Said: regexp.MustCompile(`^found (.*)`), Text: "${agent} has $1 by ${tool}, of ${for}"},
	{Result: regexp.MustCompile(`.`), Text: "$0"},
}

// TestScript proves that a script answers message by message, that it calls first and once,
// and which conditions a step has.
func TestScript(t *testing.T) {
	call := core.ToolCall{ID: "c", Name: "look", Arguments: `{"agent":"sasha","for":"trains"}`}
	called := core.Message{Speaker: core.FromAgent, Calls: []core.ToolCall{call}}
	result := core.Message{Speaker: core.FromTool, CallID: "c", Text: "found two\n"}
	look := []llm.Tool{{Name: "look"}}
	for name, test := range map[string]struct {
		request llm.Request
		text    string
		calls   []string
		fails   bool
	}{
		"a call first":            {request: llm.Request{Tools: look, Messages: []core.Message{said("who"), said("find trains")}}, calls: []string{call.Arguments}},
		"a call once":             {request: llm.Request{Tools: look, Messages: []core.Message{said("find trains"), called, result, said("nothing")}}, text: "Sasha has two by look, of trains"},
		"another message":         {request: llm.Request{Tools: look, Messages: []core.Message{said("find trains"), called, result, said("find trains")}}, calls: []string{call.Arguments}},
		"no such tool":            {request: llm.Request{Messages: []core.Message{said("find trains")}}, text: "I cannot look for find."},
		"no more calls":           {request: llm.Request{Tools: look, NoTools: true, Messages: []core.Message{said("find trains")}}, text: `I may not call more tools in this turn, so "find trains" has to wait for your next message.`},
		"the instructions":        {request: llm.Request{System: "You are Nikki.", Messages: []core.Message{said("who")}}, text: "Nikki"},
		"the status note":         {request: llm.Request{Note: "You are Nikki.", Messages: []core.Message{said("who")}}, text: "Nikki"},
		"the summary":             {request: llm.Request{Messages: []core.Message{said("<summary>You are Nikki"), said("who")}}, text: "Nikki"},
		"what is answered":        {request: llm.Request{System: "You are Nikki.", Messages: []core.Message{said("find trains"), {Speaker: core.FromAgent, Text: "no"}, said("who")}}, text: "Nikki"},
		"a result without a call": {request: llm.Request{Messages: []core.Message{result}}, text: "found two"},
		"an error":                {request: llm.Request{Messages: []core.Message{said("fail")}}, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Func(func(_ context.Context, turn *Turn) Answer { return trains.Answer(turn) }).Complete(t.Context(), test.request, nil)
			require.Equal(t, test.fails, err != nil)
			var calls []string
			for _, c := range got.Calls {
				assert.Equal(t, "call_1", c.ID)
				calls = append(calls, c.Arguments)
			}
			assert.Equal(t, test.calls, calls)
			assert.Equal(t, test.text, got.Text)
		})
	}
}
