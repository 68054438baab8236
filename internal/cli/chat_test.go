package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/cli/chat"
	"errand/internal/cli/console"
	"errand/internal/test/clitest"
)

func TestChatOncePrintsTheReply(t *testing.T) {
	f := newFake(t)
	f.Streams(clitest.Messages, []string{clitest.Step, `{"type":"delta","text":"Gu"}`, `{"type":"reset"}`, clitest.Delta, clitest.Reply})
	got := f.Errand(t, "chat", "hi", "there")
	assert.Equal(t, clitest.Result{Code: 0, Out: "Hello.\n"}, got, "a script reads the reply and nothing else")
	var sent chat.Outgoing
	require.NoError(t, json.Unmarshal([]byte(f.Asked("POST", "/api/sessions/main/messages")[0].Body), &sent))
	assert.Equal(t, "hi there", sent.Text)
	assert.NotEmpty(t, sent.MessageID)
}

func TestChatJSONIsOneObjectALine(t *testing.T) {
	f := newFake(t)
	f.Streams(clitest.Messages, []string{clitest.Step, clitest.Delta, clitest.Reply})
	got := f.Errand(t, "chat", "hi", "--json")
	assert.Equal(t, 0, got.Code)
	assert.Equal(t, []string{clitest.Step, clitest.Delta, clitest.Reply}, strings.Split(strings.TrimSpace(got.Out), "\n"))
}

func TestChatGoesOnBehindTheReplyOfAnotherTurn(t *testing.T) {
	f := newFake(t)
	f.Streams(clitest.Messages, []string{`{"id":3,"type":"reply","agent":"nikki","text":"to what you said before"}`, clitest.Reply})
	assert.Equal(t, "to what you said before\nHello.\n", f.Errand(t, "chat", "hi").Out)
}

// TestChatWaits proves that --wait ends when the results of what the message has
// begun are told, those of others and of tasks of tasks left out, and that
// --follow does not.
func TestChatWaits(t *testing.T) {
	task := func(id, agent string) string {
		return `{"id":5,"type":"task","agent":"` + agent + `","task_id":"` + id + `","state":"submitted","text":"trains"}`
	}
	for _, tt := range []struct {
		state string
		code  int
	}{{"completed", 0}, {"failed", 1}} {
		f := newFake(t)
		f.Streams(clitest.Messages, []string{task("t-22222222", "sasha"), `{"id":6,"type":"task","agent":"finn","task_id":"t-33333333","state":"submitted","text":"more"}`, clitest.Reply})
		f.Streams(clitest.Events, []string{`{"id":8,"type":"task","agent":"vera","task_id":"t-44444444","state":"submitted","text":"of others"}`, clitest.Late, "hang"})
		f.On("GET /api/tasks/t-33333333", 200, `{"id":"t-33333333","state":"working","parent":"t-22222222"}`)
		var n atomic.Int32
		f.Mux.HandleFunc("GET /api/tasks/t-22222222", func(w http.ResponseWriter, _ *http.Request) {
			if n.Add(1) < 3 { // once before and once after the event of others
				w.Write([]byte(`{"id":"t-22222222","state":"working"}`))
				return
			}
			w.Write([]byte(`{"id":"t-22222222","state":"` + tt.state + `","way":"fold","delivery":"sent"}`))
		})
		got := f.Errand(t, "chat", "hi", "--wait")
		assert.Equal(t, tt.code, got.Code, got.Err)
		assert.Contains(t, got.Out, "Hello.\n")
		assert.Contains(t, got.Out, "Two trains.")
	}
	got := newFake(t).Errand(t, "chat", "--wait")
	assert.Equal(t, 2, got.Code)
}

// TestChatSaysWhatHinders proves that somebody who waits for a reply that cannot
// come is told why, and that a script's output is left alone.
func TestChatSaysWhatHinders(t *testing.T) {
	f := newFake(t)
	f.Streams(clitest.Messages, []string{clitest.Reply})
	f.On("GET /api/about", 200, `{"paused":true,"models":[{"model":"default","name":"m1","says":"The model server can't be reached."},{"model":"small","ok":true}]}`)
	got := f.Errand(t, "chat", "hi")
	assert.Equal(t, "Hello.\n", got.Out)
	assert.Equal(t, "errand is paused. It keeps messages, and answers them after errand resume.\nm1: The model server can't be reached.\n", got.Err)
}

func TestChatFailsWithoutAReply(t *testing.T) {
	f := newFake(t)
	f.Streams(clitest.Messages, []string{clitest.Step, `{"id":7,"type":"error","text":"the budget of today is used up"}`})
	got := f.Errand(t, "chat", "hi")
	assert.Equal(t, 1, got.Code)
	assert.Empty(t, got.Out)
	assert.Equal(t, "errand: the budget of today is used up\n", got.Err)
}

func TestChatSendsAgainUnderTheSameID(t *testing.T) {
	f := newFake(t)
	// Before the accept, and in the middle of the answer.
	var n atomic.Int32
	f.Mux.HandleFunc(clitest.Messages, func(w http.ResponseWriter, r *http.Request) {
		switch n.Add(1) {
		case 1:
			panic(http.ErrAbortHandler)
		case 2:
			w.WriteHeader(http.StatusServiceUnavailable)
			w.Write([]byte(`{"error":{"code":"starting","message":"not yet"}}`))
			return
		case 3:
			w.Header().Set("Content-Type", "text/event-stream")
			clitest.SendEvent(w, `{"id":5,"type":"task","agent":"sasha","task_id":"t-22222222","state":"submitted","text":"trains"}`)
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		clitest.SendEvent(w, `{"id":5,"type":"task","agent":"sasha","task_id":"t-22222222","state":"submitted","text":"trains"}`)
		clitest.SendEvent(w, clitest.Reply)
	})
	got := f.Errand(t, "chat", "hi", "--json")
	assert.Equal(t, 0, got.Code)
	assert.Equal(t, 2, strings.Count(got.Out, "\n"), "what was told is not told again: %s", got.Out)
	assert.Equal(t, "Can't reach errand. Trying again…\n", got.Err, "said once")
	asked := f.Asked("POST", "/api/sessions/main/messages")
	require.Len(t, asked, 4)
	for _, r := range asked {
		assert.Equal(t, asked[0].Body, r.Body, "the same message id")
	}
}

func TestChatDoesNotWaitForAWorkerThatWasNeverThere(t *testing.T) {
	f := newFake(t)
	f.Close()
	got := f.Errand(t, "chat", "hi")
	assert.Equal(t, 3, got.Code)
	assert.Equal(t, "errand does not answer at "+f.URL+": start it with `errand serve`, or give its address with --server\n", got.Err)
}

func TestChatCommandIsAnsweredAtOnce(t *testing.T) {
	f := newFake(t)
	f.Streams(clitest.Messages, []string{`{"type":"notice","text":"No tasks yet."}`})
	assert.Equal(t, clitest.Result{Code: 0, Out: "No tasks yet.\n"}, f.Errand(t, "chat", "/tasks"))
}

func TestChatLinesAreAnsweredInTurn(t *testing.T) {
	f := newFake(t)
	f.Streams(clitest.Messages, []string{`{"id":1,"type":"reply","agent":"nikki","text":"one"}`},
		[]string{`{"id":2,"type":"error","text":"no model"}`},
		[]string{`{"id":3,"type":"reply","agent":"nikki","text":"three"}`})
	got := f.ErrandIn(t, "a\n\nb\nc", "chat")
	assert.Equal(t, 1, got.Code, "one of them failed")
	assert.Equal(t, "one\nthree\n", got.Out)
	assert.Contains(t, got.Err, "no model")
}

func TestALateResultIsNotTheReplyOfAScript(t *testing.T) {
	f := newFake(t)
	f.Streams(clitest.Messages, []string{`{"id":4,"type":"late","agent":"nikki","turn":1,"text":"Two trains."}`, clitest.Reply})
	assert.Equal(t, clitest.Result{Code: 0, Out: "Hello.\n", Err: "Nikki, a late result:\nTwo trains.\n"}, f.Errand(t, "chat", "hi"))
}

func TestInterruptedWaitNamesTheChat(t *testing.T) {
	f := newFake(t)
	f.Streams(clitest.Messages, []string{clitest.Step, "hang"})
	ctx, cancel := context.WithCancel(t.Context())
	out, errOut, done := clitest.NewOutput(), clitest.NewOutput(), make(chan int)
	go func() {
		done <- Run(ctx, []string{"chat", "hi", "--json"}, console.Console{
			In: strings.NewReader(""), Out: out, Err: errOut, Getenv: clitest.Env(map[string]string{"ERRAND_SERVER": f.URL})})
	}()
	out.Await(t, 0, "thinking")
	cancel()
	assert.Equal(t, 1, <-done)
	assert.Contains(t, errOut.String(), `the answer will come to the chat: errand chat --chat "main"`)
}

func TestFollowGoesOnAfterTheLastEventItSaw(t *testing.T) {
	f := newFake(t)
	f.Streams(clitest.Messages, []string{clitest.Reply})
	f.Streams(clitest.Events, []string{`{"id":8,"type":"notice","text":"first"}`, "abort"}, []string{clitest.Late, "hang"})
	ctx, cancel := context.WithCancel(t.Context())
	out, done := clitest.NewOutput(), make(chan int)
	go func() {
		done <- Run(ctx, []string{"chat", "hi", "--follow"}, console.Console{
			In: strings.NewReader(""), Out: out, Err: &bytes.Buffer{}, Getenv: clitest.Env(map[string]string{"ERRAND_SERVER": f.URL})})
	}()
	out.Await(t, 0, "Hello.\nfirst\nNikki, the late result of t-22222222:\nTwo trains.\n")
	cancel()
	assert.Equal(t, 0, <-done, "that is how following ends")
	asked := f.Asked("GET", "/api/sessions/main/events")
	require.Len(t, asked, 2)
	assert.Equal(t, "7", asked[0].Header.Get("Last-Event-ID"), "from the reply on")
	assert.Equal(t, "8", asked[1].Header.Get("Last-Event-ID"))
}
