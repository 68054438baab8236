package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestDelegateDecision proves what a command asks for that is to have a decision, and
// that it prints each agent's part in it and ends by the answer.
func TestDelegateDecision(t *testing.T) {
	const verdicts = `,"policy":"majority","verdicts":[
		{"agent":"finn","verdict":"YES","confidence":0.9,"reasoning":"cheap","standing":"counted"},
		{"agent":"priest","verdict":"INVALID","reasoning":"well","standing":"invalid"},
		{"agent":"vera","verdict":"NO","confidence":1,"reasoning":"dear","standing":"late"},
		{"agent":"sasha","standing":"absent"}]`
	const table = "AGENT   VERDICT  CONFIDENCE  REASONING\nfinn    YES      0.9         cheap\npriest  invalid  -           well\n" +
		"vera    late     1           dear\nsasha   absent   -           -\n\n"
	for _, tt := range []struct {
		state, answer string
		code          int
	}{{"completed", "YES", 0}, {"completed", "NO", 1}, {"completed", "TIE", 4}, {"failed", "NO_QUORUM", 4}} {
		f := newFake(t)
		f.On("POST /api/tasks", 201, taskJSON("t-22222222", "submitted", ""))
		f.On("GET /api/tasks/t-22222222", 200, taskJSON("t-22222222", tt.state, verdicts+`,"decision":"`+tt.answer+`","followed_by":"t-33333333"`))
		got := f.Errand(t, "delegate", "finn,priest,vera,sasha", "buy it?", "--expect", "decision", "--policy", "Majority", "--deadline", "2h", "--wait")
		assert.Equal(t, tt.code, got.Code, got.Err)
		assert.Equal(t, table+tt.answer+", by the policy majority.\nt-33333333 follows: errand tasks show t-33333333\n", got.Out)
		assert.Empty(t, got.Err)
		assert.JSONEq(t, `{"agents":["finn","priest","vera","sasha"],"text":"buy it?","expect":"decision","policy":"Majority","deadline":7200}`,
			f.Asked("POST", "/api/tasks")[0].Body)
	}
}

// TestDelegateProcedure proves that a procedure is named in place of agents, and that all
// words are for it.
func TestDelegateProcedure(t *testing.T) {
	f := newFake(t)
	f.On("POST /api/tasks", 201, taskJSON("t-22222222", "submitted", ""))
	got := f.Errand(t, "delegate", "--procedure", "release", "version", "1.4")
	assert.Equal(t, 0, got.Code, got.Err)
	assert.JSONEq(t, `{"procedure":"release","text":"version 1.4"}`, f.Asked("POST", "/api/tasks")[0].Body)
	assert.NotEqual(t, 0, f.Errand(t, "delegate", "release").Code)
}
