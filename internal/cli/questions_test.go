package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

const openQuestion = `{"id":"q-22222222","state":"open","agent":"sasha","task_id":"t-22222222","text":"Which day?","options":["Monday","Tuesday"]}`

// TestQuestionsList proves what a command prints of what waits for an answer.
func TestQuestionsList(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/questions", 200, "["+openQuestion+"]")
	got := f.Errand(t, "questions", "list", "--all", "--person", "*")
	assert.Equal(t, 0, got.Code, got.Err)
	for _, part := range []string{"ID", "q-22222222", "open", "sasha", "t-22222222", "Which day? [1. Monday] [2. Tuesday]"} {
		assert.Contains(t, got.Out, part)
	}
	assert.Len(t, f.Asked("GET", "/api/questions"), 1)
	none := newFake(t)
	none.On("GET /api/questions", 200, "[]")
	assert.Equal(t, "Nothing is waiting for an answer.\n", none.Errand(t, "questions", "list").Out)
}

// TestQuestionsShow proves that of an approval all of the arguments are printed, with who may
// answer it and what state it is in.
func TestQuestionsShow(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/questions/q-2", 200, `{"id":"q-22222222","kind":"approval","state":"open","agent":"finn","text":"Finn wants to run bank.pay.","options":["Yes","No"],
		"approval":{"tool":"bank.pay","arguments":"{\n  \"euros\": 5,\n  \"note\": \"`+strings.Repeat("x", 5000)+`end\"\n}","hash":"abc"},"deciders":["Ada","Bob"],"channel":"discord","chat":"42","expires":"2026-11-30T12:00:00Z"}`)
	got := f.Errand(t, "questions", "show", "q-2")
	assert.Equal(t, 0, got.Code, got.Err)
	for _, part := range []string{"q-22222222  open", "bank.pay will receive:", `    "euros": 5,`, `xend"`, "option 1", "Finn", "discord 42", "may answer  Ada, Bob"} {
		assert.Contains(t, got.Out, part)
	}
	f = newFake(t)
	f.On("GET /api/questions/q-3", 200, `{"id":"q-33333333","state":"answered","agent":"sasha","text":"Which day?","answer":"Monday","answered_by":"ada"}`)
	assert.Contains(t, f.Errand(t, "questions", "show", "q-3").Out, "answered by ada")
}

// TestQuestionsAnswer proves what a command sends as an answer, and what it says of it.
func TestQuestionsAnswer(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		sent string // empty: nothing is
		says string // the API
		out  string
	}{
		{"words", []string{"the", "day", "after"}, `{"text":"the day after"}`, `{"id":"q-22222222","state":"answered","agent":"sasha","answer":"the day after"}`, "Sasha has your answer: the day after\n"},
		{"an option", []string{"2"}, `{"text":"2"}`, `{"id":"q-22222222","state":"answered","agent":"sasha","answer":"Tuesday"}`, "Sasha has your answer: Tuesday\n"},
		{"declined", []string{"--decline"}, `{"decline":true}`, `{"id":"q-22222222","state":"declined","agent":"sasha"}`, "Sasha continues without an answer.\n"},
		{"nothing", nil, "", "", ""},
		{"both", []string{"2", "--decline"}, "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			f.On("POST /api/questions/q-22222222/answer", 200, tt.says)
			got := f.Errand(t, append([]string{"questions", "answer", "q-22222222"}, tt.args...)...)
			assert.Equal(t, tt.out, got.Out)
			asked := f.Asked("POST", "/api/questions/q-22222222/answer")
			if tt.sent == "" {
				assert.NotZero(t, got.Code)
				assert.Contains(t, got.Err, "give an answer, or --decline")
				assert.Empty(t, asked)
				return
			}
			assert.Equal(t, 0, got.Code, got.Err)
			assert.JSONEq(t, tt.sent, asked[0].Body)
		})
	}
}

// TestTasksSteerAndContinue proves what the commands send that say something to a task, and
// what they say of it.
func TestTasksSteerAndContinue(t *testing.T) {
	f := newFake(t)
	f.On("POST /api/tasks/t-22222222/steer", 200, taskJSON("t-22222222", "working", ""))
	f.On("POST /api/tasks/t-22222222/continue", 201, taskJSON("t-33333333", "submitted", `,"continues":"t-22222222"`))
	got := f.Errand(t, "tasks", "steer", "t-22222222", "by", "night")
	assert.Equal(t, 0, got.Code, got.Err)
	assert.Regexp(t, `^Added to t-22222222\. .* will read it before the next step\.\n$`, got.Out)
	assert.JSONEq(t, `{"text":"by night"}`, f.Asked("POST", "/api/tasks/t-22222222/steer")[0].Body)
	got = f.Errand(t, "tasks", "continue", "t-22222222", "and back?", "--chat", "holidays")
	assert.Equal(t, 0, got.Code, got.Err)
	assert.Regexp(t, `^t-33333333 is with .*, and continues t-22222222\.\n$`, got.Out)
	assert.JSONEq(t, `{"text":"and back?","chat":"holidays"}`, f.Asked("POST", "/api/tasks/t-22222222/continue")[0].Body)
}
