package scripted

import (
	"context"
	"errors"
	"regexp"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand"
	"errand/internal/llm"
)

func said(text string) errand.Message { return errand.Message{Speaker: errand.FromPerson, Text: text} }

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
	call := errand.ToolCall{ID: "c", Name: "look", Arguments: `{"agent":"sasha","for":"trains"}`}
	called := errand.Message{Speaker: errand.FromAgent, Calls: []errand.ToolCall{call}}
	result := errand.Message{Speaker: errand.FromTool, CallID: "c", Text: "found two\n"}
	look := []llm.Tool{{Name: "look"}}
	for name, test := range map[string]struct {
		request llm.Request
		text    string
		calls   []string
		fails   bool
	}{
		"a call first":            {request: llm.Request{Tools: look, Messages: []errand.Message{said("who"), said("find trains")}}, calls: []string{call.Arguments}},
		"a call once":             {request: llm.Request{Tools: look, Messages: []errand.Message{said("find trains"), called, result, said("nothing")}}, text: "Sasha has two by look, of trains"},
		"another message":         {request: llm.Request{Tools: look, Messages: []errand.Message{said("find trains"), called, result, said("find trains")}}, calls: []string{call.Arguments}},
		"no such tool":            {request: llm.Request{Messages: []errand.Message{said("find trains")}}, text: "I cannot look for find."},
		"no more calls":           {request: llm.Request{Tools: look, NoTools: true, Messages: []errand.Message{said("find trains")}}, text: `I may not call more tools in this turn, so "find trains" has to wait for your next message.`},
		"the instructions":        {request: llm.Request{System: "You are Nikki.", Messages: []errand.Message{said("who")}}, text: "Nikki"},
		"the status note":         {request: llm.Request{Note: "You are Nikki.", Messages: []errand.Message{said("who")}}, text: "Nikki"},
		"the summary":             {request: llm.Request{Messages: []errand.Message{said("<summary>You are Nikki"), said("who")}}, text: "Nikki"},
		"what is answered":        {request: llm.Request{System: "You are Nikki.", Messages: []errand.Message{said("find trains"), {Speaker: errand.FromAgent, Text: "no"}, said("who")}}, text: "Nikki"},
		"a result without a call": {request: llm.Request{Messages: []errand.Message{result}}, text: "found two"},
		"an error":                {request: llm.Request{Messages: []errand.Message{said("fail")}}, fails: true},
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

// overTheWire is a client of a model that answers over the wire.
func overTheWire(t *testing.T, answer Func) *llm.Client {
	t.Helper()
	c, err := llm.New(llm.Config{Models: map[string]llm.Model{"default": {Providers: []llm.Provider{{Name: "s", Model: "s", Handler: Server("s", answer)}}}}})
	require.NoError(t, err)
	return c
}

// TestServer proves that a client reads from the wire what a model says, and a model what
// the client asks.
func TestServer(t *testing.T) {
	asked := llm.Request{Model: "default", System: "You are Nikki.", Note: "[note of errand: it is noon]", Messages: []errand.Message{said("hello"),
		{Speaker: errand.FromAgent, Calls: []errand.ToolCall{{ID: "c", Name: "look", Arguments: `{"for":"trains"}`}}}, {Speaker: errand.FromTool, CallID: "c", Text: "two"}},
		Tools: []llm.Tool{{Name: "look", Description: "Looks."}}, NoTools: true}
	var read *Turn
	var deltas []string
	got, err := overTheWire(t, func(_ context.Context, turn *Turn) Answer {
		read = turn
		return Answer{Text: "ab", Deltas: []string{"a", "b"}, Usage: errand.Usage{InputTokens: 5, OutputTokens: 3}}
	}).Complete(t.Context(), asked, func(d llm.Delta) { deltas = append(deltas, d.Text) })
	require.NoError(t, err)
	assert.Equal(t, "ab", got.Text)
	assert.Equal(t, []string{"a", "b"}, deltas)
	assert.Equal(t, 5, got.Usage.InputTokens)
	assert.Equal(t, 3, got.Usage.OutputTokens)
	assert.Equal(t, asked.Messages, read.Since)
	assert.Contains(t, read.System, "You are Nikki.")
	assert.Contains(t, read.System, "it is noon")
	assert.True(t, read.Offers("look"))
	assert.True(t, read.Request.NoTools)
}

// TestServerFails proves that an error is a refusal before the answer has begun, and breaks
// the answer off then; and that a long silence is none for the client.
func TestServerFails(t *testing.T) {
	ask := llm.Request{Model: "default", Messages: []errand.Message{said("hello")}}
	_, err := overTheWire(t, func(context.Context, *Turn) Answer { return Answer{Err: errors.New("no such luck")} }).Complete(t.Context(), ask, nil)
	require.ErrorContains(t, err, "no such luck")
	_, err = overTheWire(t, func(context.Context, *Turn) Answer {
		return Answer{Deltas: []string{"so far"}, Err: errors.New("no such luck")}
	}).Complete(t.Context(), ask, nil)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "no such luck")
	synctest.Test(t, func(t *testing.T) {
		got, err := overTheWire(t, func(context.Context, *Turn) Answer { return Answer{Text: "at last", Takes: 2 * llm.DefaultFirstToken} }).Complete(t.Context(), ask, nil)
		require.NoError(t, err)
		assert.Equal(t, "at last", got.Text)
	})
}
