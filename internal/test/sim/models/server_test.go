package models_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/llm/scripted"
	"errand/internal/test/llmtest"
	"errand/internal/test/sim/models"
)

func said(text string) core.Message { return core.Message{Speaker: core.FromPerson, Text: text} }

// overTheWire is a client of a model that answers over the wire.
func overTheWire(t *testing.T, answer scripted.Func) *llm.Client {
	t.Helper()
	c, err := llm.New(llm.Config{Models: map[string]llm.Model{"default": {Providers: []llm.Provider{{Name: "s", BaseURL: llmtest.Address, Model: "s", HTTPClient: llmtest.InProcess(models.Serve(answer))}}}}})
	require.NoError(t, err)
	return c
}

// TestServer proves that a client reads from the wire what a model says, and a model what
// the client asks.
func TestServer(t *testing.T) {
	asked := llm.Request{Model: "default", System: "You are Nikki.", Note: "[note from errand: it is noon]", Messages: []core.Message{said("hello"),
		{Speaker: core.FromAgent, Calls: []core.ToolCall{{ID: "c", Name: "look", Arguments: `{"for":"trains"}`}}}, {Speaker: core.FromTool, CallID: "c", Text: "two"}},
		Tools: []llm.Tool{{Name: "look", Description: "Looks."}}, NoTools: true}
	var read *scripted.Turn
	var deltas []string
	got, err := overTheWire(t, func(_ context.Context, turn *scripted.Turn) scripted.Answer {
		read = turn
		return scripted.Answer{Text: "ab", Deltas: []string{"a", "b"}, Usage: core.Usage{InputTokens: 5, OutputTokens: 3}}
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
// the answer off then.
func TestServerFails(t *testing.T) {
	ask := llm.Request{Model: "default", Messages: []core.Message{said("hello")}}
	_, err := overTheWire(t, func(context.Context, *scripted.Turn) scripted.Answer {
		return scripted.Answer{Err: errors.New("no such luck")}
	}).Complete(t.Context(), ask, nil)
	require.ErrorContains(t, err, "no such luck")
	_, err = overTheWire(t, func(context.Context, *scripted.Turn) scripted.Answer {
		return scripted.Answer{Deltas: []string{"so far"}, Err: errors.New("no such luck")}
	}).Complete(t.Context(), ask, nil)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "no such luck")
}
