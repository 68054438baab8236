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

	"errand"
)

const (
	messages = "POST /api/sessions/main/messages"
	events   = "GET /api/sessions/main/events"

	step  = `{"type":"step","agent":"nikki","turn":1,"text":"step 1, thinking"}`
	delta = `{"type":"delta","agent":"nikki","turn":1,"text":"Hel"}`
	reply = `{"id":7,"type":"reply","agent":"nikki","turn":1,"text":"Hello."}`
	late  = `{"id":9,"type":"late","agent":"nikki","task_id":"t-22222222","text":"Two trains."}`
)

func TestChatOncePrintsTheReply(t *testing.T) {
	f := newFake(t)
	f.streams(messages, []string{step, `{"type":"delta","text":"Gu"}`, `{"type":"reset"}`, delta, reply})
	got := f.errand(t, "chat", "hi", "there")
	assert.Equal(t, result{0, "Hello.\n", ""}, got, "a script reads the reply and nothing else")
	var sent outgoing
	require.NoError(t, json.Unmarshal([]byte(f.asked("POST", "/api/sessions/main/messages")[0].body), &sent))
	assert.Equal(t, "hi there", sent.Text)
	assert.NotEmpty(t, sent.MessageID)
}

func TestChatJSONIsOneObjectALine(t *testing.T) {
	f := newFake(t)
	f.streams(messages, []string{step, delta, reply})
	got := f.errand(t, "chat", "hi", "--json")
	assert.Equal(t, 0, got.code)
	assert.Equal(t, []string{step, delta, reply}, strings.Split(strings.TrimSpace(got.out), "\n"))
}

func TestChatGoesOnBehindTheReplyOfAnotherTurn(t *testing.T) {
	f := newFake(t)
	f.streams(messages, []string{`{"id":3,"type":"reply","agent":"nikki","text":"to what you said before"}`, reply})
	assert.Equal(t, "to what you said before\nHello.\n", f.errand(t, "chat", "hi").out)
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
		f.streams(messages, []string{task("t-22222222", "sasha"), `{"id":6,"type":"task","agent":"finn","task_id":"t-33333333","state":"submitted","text":"more"}`, reply})
		f.streams(events, []string{`{"id":8,"type":"task","agent":"vera","task_id":"t-44444444","state":"submitted","text":"of others"}`, late, "hang"})
		f.on("GET /api/tasks/t-33333333", 200, `{"id":"t-33333333","state":"working","parent":"t-22222222"}`)
		var n atomic.Int32
		f.mux.HandleFunc("GET /api/tasks/t-22222222", func(w http.ResponseWriter, _ *http.Request) {
			if n.Add(1) < 3 { // once before and once after the event of others
				w.Write([]byte(`{"id":"t-22222222","state":"working"}`))
				return
			}
			w.Write([]byte(`{"id":"t-22222222","state":"` + tt.state + `","way":"fold","delivery":"sent"}`))
		})
		got := f.errand(t, "chat", "hi", "--wait")
		assert.Equal(t, tt.code, got.code, got.err)
		assert.Contains(t, got.out, "Hello.\n")
		assert.Contains(t, got.out, "Two trains.")
	}
	got := newFake(t).errand(t, "chat", "--wait")
	assert.Equal(t, 2, got.code)
}

// TestChatSaysWhatHinders proves that somebody who waits for a reply that cannot
// come is told why, and that a script's output is left alone.
func TestChatSaysWhatHinders(t *testing.T) {
	f := newFake(t)
	f.streams(messages, []string{reply})
	f.on("GET /api/about", 200, `{"paused":true,"models":[{"model":"default","name":"m1","says":"The model server can't be reached."},{"model":"small","ok":true}]}`)
	got := f.errand(t, "chat", "hi")
	assert.Equal(t, "Hello.\n", got.out)
	assert.Equal(t, "errand is paused: messages are kept, and answered after errand resume.\nm1: The model server can't be reached.\n", got.err)
}

func TestChatFailsWithoutAReply(t *testing.T) {
	f := newFake(t)
	f.streams(messages, []string{step, `{"id":7,"type":"error","text":"the budget of today is used up"}`})
	got := f.errand(t, "chat", "hi")
	assert.Equal(t, 1, got.code)
	assert.Empty(t, got.out)
	assert.Equal(t, "errand: the budget of today is used up\n", got.err)
}

func TestChatSendsAgainUnderTheSameID(t *testing.T) {
	f := newFake(t)
	// Before the accept, and in the middle of the answer.
	var n atomic.Int32
	f.mux.HandleFunc(messages, func(w http.ResponseWriter, r *http.Request) {
		switch n.Add(1) {
		case 1:
			panic(http.ErrAbortHandler)
		case 2:
			w.WriteHeader(http.StatusServiceUnavailable)
			w.Write([]byte(`{"error":{"code":"starting","message":"not yet"}}`))
			return
		case 3:
			w.Header().Set("Content-Type", "text/event-stream")
			sendEvent(w, `{"id":5,"type":"task","agent":"sasha","task_id":"t-22222222","state":"submitted","text":"trains"}`)
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		sendEvent(w, `{"id":5,"type":"task","agent":"sasha","task_id":"t-22222222","state":"submitted","text":"trains"}`)
		sendEvent(w, reply)
	})
	got := f.errand(t, "chat", "hi", "--json")
	assert.Equal(t, 0, got.code)
	assert.Equal(t, 2, strings.Count(got.out, "\n"), "what was told is not told again: %s", got.out)
	assert.Equal(t, notReachable+"\n", got.err, "said once")
	asked := f.asked("POST", "/api/sessions/main/messages")
	require.Len(t, asked, 4)
	for _, r := range asked {
		assert.Equal(t, asked[0].body, r.body, "the same message id")
	}
}

func TestChatDoesNotWaitForAWorkerThatWasNeverThere(t *testing.T) {
	f := newFake(t)
	f.Close()
	got := f.errand(t, "chat", "hi")
	assert.Equal(t, 3, got.code)
	assert.Equal(t, "errand does not answer at "+f.URL+": start it with `go run ./worker`, or say where it is with --server\n", got.err)
}

func TestChatCommandIsAnsweredAtOnce(t *testing.T) {
	f := newFake(t)
	f.streams(messages, []string{`{"type":"notice","text":"No tasks yet."}`})
	assert.Equal(t, result{0, "No tasks yet.\n", ""}, f.errand(t, "chat", "/tasks"))
}

func TestChatEndsWhenThereIsNeverAReply(t *testing.T) {
	f := newFake(t)
	f.streams(messages, nil)
	c := newConversation(newWorker(f.URL, ""), "main")
	c.wait = func(context.Context, int) error { return nil }
	err := c.send(t.Context(), newMessage("hi"), func() {}, func(event) bool { return true })
	assert.ErrorIs(t, err, errNoReply)
	assert.Len(t, f.asked("POST", "/api/sessions/main/messages"), maxSilent)
}

func TestChatLinesAreAnsweredInTurn(t *testing.T) {
	f := newFake(t)
	f.streams(messages, []string{`{"id":1,"type":"reply","agent":"nikki","text":"one"}`},
		[]string{`{"id":2,"type":"error","text":"no model"}`},
		[]string{`{"id":3,"type":"reply","agent":"nikki","text":"three"}`})
	got := f.errandIn(t, "a\n\nb\nc", "chat")
	assert.Equal(t, 1, got.code, "one of them failed")
	assert.Equal(t, "one\nthree\n", got.out)
	assert.Contains(t, got.err, "no model")
}

func TestALateResultIsNotTheReplyOfAScript(t *testing.T) {
	f := newFake(t)
	f.streams(messages, []string{`{"id":4,"type":"late","agent":"nikki","turn":1,"text":"Two trains."}`, reply})
	assert.Equal(t, result{0, "Hello.\n", "Nikki, a late result:\nTwo trains.\n"}, f.errand(t, "chat", "hi"))
}

func TestWhoEndsTheWaitIsToldWhereTheAnswerWillBe(t *testing.T) {
	f := newFake(t)
	f.streams(messages, []string{step, "hang"})
	ctx, cancel := context.WithCancel(t.Context())
	out, errOut, done := newPaper(), newPaper(), make(chan int)
	go func() {
		done <- run(ctx, []string{"chat", "hi", "--json"}, console{
			in: strings.NewReader(""), out: out, err: errOut, getenv: env(map[string]string{"ERRAND_SERVER": f.URL})})
	}()
	out.await(t, 0, "step 1")
	cancel()
	assert.Equal(t, 1, <-done)
	assert.Contains(t, errOut.String(), `the answer will be in the chat: errand chat --chat "main"`)
}

func TestFollowGoesOnAfterTheLastEventItSaw(t *testing.T) {
	f := newFake(t)
	f.streams(messages, []string{reply})
	f.streams(events, []string{`{"id":8,"type":"notice","text":"first"}`, "abort"}, []string{late, "hang"})
	ctx, cancel := context.WithCancel(t.Context())
	out, done := newPaper(), make(chan int)
	go func() {
		done <- run(ctx, []string{"chat", "hi", "--follow"}, console{
			in: strings.NewReader(""), out: out, err: &bytes.Buffer{}, getenv: env(map[string]string{"ERRAND_SERVER": f.URL})})
	}()
	out.await(t, 0, "Hello.\nfirst\nNikki, the late result of t-22222222:\nTwo trains.\n")
	cancel()
	assert.Equal(t, 0, <-done, "that is how following ends")
	asked := f.asked("GET", "/api/sessions/main/events")
	require.Len(t, asked, 2)
	assert.Equal(t, "7", asked[0].header.Get("Last-Event-ID"), "from the reply on")
	assert.Equal(t, "8", asked[1].header.Get("Last-Event-ID"))
}

func TestTerminalStreamsAndTakesBack(t *testing.T) {
	for _, tt := range []struct {
		name   string
		events []string
		want   string
	}{
		{"to the end", []string{delta, `{"type":"delta","text":"lo."}`, reply}, "Hello.\n"},
		{"the rest at once", []string{delta, reply}, "Hello.\n"},
		{"begun again", []string{`{"type":"delta","text":"Gu"}`, `{"type":"reset"}`, delta, reply}, "Gu … again:\nHello.\n"},
		{"a late result", []string{`{"type":"delta","text":"Two"}`, late, reply}, "Two trains.\n(that was the late result of t-22222222)\nHello.\n"},
		{"said otherwise", []string{`{"type":"delta","text":"Gu"}`, reply}, "Gu\n… the reply as it is now:\nHello.\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			c := &cli{console: console{out: &out, err: &out, outTTY: true, getenv: env(nil)}}
			p := c.printer()
			for _, raw := range tt.events {
				e, err := parseEvent("", []byte(raw))
				require.NoError(t, err)
				p.print(e)
			}
			p.end()
			assert.Equal(t, tt.want, out.String())
		})
	}
}

func TestEventsOfManyLinesAndStrangers(t *testing.T) {
	var got []event
	err := readEvents(strings.NewReader("retry: 5\n\nid: 4\nevent: x\ndata: {\"type\":\ndata: \"reply\"}\n\ndata: {\"type\":\"future\"}\n\n"),
		func() {}, func(e event) bool { got = append(got, e); return true })
	require.NoError(t, err)
	require.Len(t, got, 2)
	assert.Equal(t, "4", got[0].sse)
	assert.Equal(t, errand.EventReply, got[0].Type)
	assert.Empty(t, got[1].sse)
	assert.Error(t, readEvents(strings.NewReader("data: nonsense\n\n"), func() {}, func(event) bool { return true }))
}
