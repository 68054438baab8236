package cli

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A seat is a person at a terminal.
type seat struct {
	t    *testing.T
	keys *io.PipeWriter
	page *paper
	at   int // how far the person has read
	done chan error
}

// sit starts a dialogue with f.
func sit(t *testing.T, f *fakeWorker) *seat {
	keys, typed := io.Pipe()
	s := &seat{t: t, keys: typed, page: newPaper(), done: make(chan error, 1)}
	c := &cli{console: console{in: keys, out: s.page, err: s.page, getenv: env(nil)}, worker: newWorker(f.URL, ""), began: time.Now()}
	d := newDialogue(c, newConversation(c.worker, "main"), func() (int, int) { return 80, 24 })
	go func() { s.done <- d.run(t.Context()) }()
	s.reads("Ctrl-D leaves.")
	s.reads("> ")
	return s
}

func (s *seat) types(text string) {
	s.t.Helper()
	_, err := io.WriteString(s.keys, text)
	require.NoError(s.t, err)
}

// reads waits for text to come to the screen, after what was read before.
func (s *seat) reads(text string) {
	s.t.Helper()
	s.at = s.page.await(s.t, s.at, text)
}

// log plays the event log of chat main: what comes in goes out to the reader.
func log(f *fakeWorker, past ...string) chan string {
	out := make(chan string, 10)
	f.mux.HandleFunc(events, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		if r.Header.Get("Last-Event-ID") == "" {
			for _, e := range past {
				sendEvent(w, e)
			}
		}
		for {
			select {
			case <-r.Context().Done():
				return
			case e := <-out:
				if e == "abort" {
					panic(http.ErrAbortHandler)
				}
				sendEvent(w, e)
			}
		}
	})
	f.mux.HandleFunc(messages, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil && strings.Contains(string(body), `"text":"/`) {
			io.WriteString(w, `{"reply":{"agent":"","text":"Stopped."},"command":true}`)
			return
		}
		w.WriteHeader(http.StatusAccepted)
		io.WriteString(w, `{"accepted":true}`)
	})
	return out
}

func TestTalk(t *testing.T) {
	f := newFake(t)
	out := log(f, `{"id":1,"type":"message","text":"from before","message_id":"m","created":"2026-01-01T00:00:00Z"}`,
		`{"id":2,"type":"reply","agent":"nikki","text":"said before","created":"2026-01-01T00:00:01Z"}`)
	s := sit(t, f)
	s.reads("you: from before")
	s.reads("Nikki: said before")
	s.types("hello\r")
	s.reads("waiting for an answer (0s)")
	out <- step
	s.reads("Nikki is working: step 1, thinking (")
	s.types("half a li")
	out <- delta
	s.reads("Nikki: Hel")
	s.reads("> half a li")
	out <- reply
	s.reads("Nikki: Hello.")
	out <- late
	s.reads("Nikki, the late result of t-22222222:")
	s.reads("Two trains.")
	s.reads("> half a li")
	s.types("\x15\x1b[A") // the line goes, and arrow-up brings the last one back
	s.reads("hello")
	s.types("\x15\x04")
	assert.NoError(t, <-s.done)
	require.Len(t, f.asked("POST", "/api/sessions/main/messages"), 1)
	assert.Equal(t, "wait=false", f.asked("POST", "/api/sessions/main/messages")[0].query)
}

func TestALateResultThatWasStreamedIsMarkedAtItsEnd(t *testing.T) {
	f := newFake(t)
	out := log(f)
	s := sit(t, f)
	out <- `{"type":"delta","agent":"nikki","turn":2,"text":"Two trains.\nOne"}`
	s.reads("Nikki: Two trains.")
	s.reads("Nikki is working: answering")
	out <- `{"id":4,"type":"late","agent":"nikki","turn":2,"text":"Two trains.\nOne more."}`
	s.reads("One more.\r\n")
	s.reads("(that was a late result)\r\n> ")
	out <- `{"type":"delta","agent":"nikki","turn":3,"text":"Three"}`
	s.reads("Nikki: Three")
	out <- `{"id":5,"type":"late","agent":"nikki","turn":3,"text":"Three trains."}`
	s.reads("Nikki, a late result:\r\nThree trains.\r\n> ")
	s.types("\x04")
	assert.NoError(t, <-s.done)
}

func TestTalkComesBackAfterARestart(t *testing.T) {
	f := newFake(t)
	out := log(f)
	s := sit(t, f)
	out <- `{"id":4,"type":"notice","text":"first"}`
	s.reads("first")
	out <- delta
	s.reads("Nikki: Hel")
	out <- "abort"
	out <- reply
	s.reads("Nikki: Hello.")
	asked := f.asked("GET", "/api/sessions/main/events")
	require.Len(t, asked, 2)
	assert.Equal(t, "4", asked[1].header.Get("Last-Event-ID"))
	f.Listener.Close() // first, or it would be connected again before nobody listens
	f.CloseClientConnections()
	f.Close()
	s.reads(notReachable)
	s.types("said to nobody\r")
	s.types("\x04")
	assert.ErrorContains(t, <-s.done, "1 message(s) were not confirmed")
}

func TestCtrlCStopsAndThenLeaves(t *testing.T) {
	f := newFake(t)
	out := log(f)
	s := sit(t, f)
	s.types("hello\r")
	out <- step
	s.reads("step 1, thinking")
	s.types("\x03")
	s.reads("Stopping. Ctrl-C again leaves.")
	s.reads("Stopped.")
	asked := f.asked("POST", "/api/sessions/main/messages")
	require.Len(t, asked, 2)
	assert.Contains(t, asked[1].body, `"text":"/stop"`)
	s.types("\x03")
	assert.NoError(t, <-s.done)
}

func TestCtrlCWithNothingToStop(t *testing.T) {
	f := newFake(t)
	log(f)
	s := sit(t, f)
	s.types("half a line\x03")
	s.reads("Ctrl-C again leaves; tasks at work go on.")
	s.types("\x03")
	assert.NoError(t, <-s.done)
	assert.Empty(t, f.asked("POST", "/api/sessions/main/messages"))
}

func TestAPasteOfManyLinesIsOneMessage(t *testing.T) {
	f := newFake(t)
	log(f)
	s := sit(t, f)
	s.types("\x1b[200~one\rtwo\r\nthree\x1b[201~\r")
	s.reads("waiting for an answer")
	s.types("\x04")
	<-s.done
	asked := f.asked("POST", "/api/sessions/main/messages")
	require.Len(t, asked, 1)
	assert.Contains(t, asked[0].body, `"text":"one\ntwo\nthree"`)
}

func TestKeysMakeRoomBeforeALineIsTaken(t *testing.T) {
	var did []string
	k := &keys{in: strings.NewReader("one\r\ntwo\n\x03three"),
		beforeEnter: func() { did = append(did, "room") },
		interrupt:   func() bool { did = append(did, "interrupt"); return false }}
	for buf := make([]byte, 100); ; {
		n, err := k.Read(buf)
		if err != nil {
			break
		}
		did = append(did, string(buf[:n]))
	}
	assert.Equal(t, []string{"one", "room", "\r\n", "two", "room", "\n", "interrupt", "\x05\x15", "three"}, did)
}

func TestStatusTellsWhoWorks(t *testing.T) {
	now := time.Now()
	var s status
	note := func(raw string) {
		e, err := parseEvent("", []byte(raw))
		require.NoError(t, err)
		s.note(e, now)
	}
	assert.Empty(t, s.text(now))
	s.sent(now)
	assert.Equal(t, "waiting for an answer (3s)", s.text(now.Add(3*time.Second)))
	note(step)
	assert.Equal(t, "Nikki is working: step 1, thinking (3s)", s.text(now.Add(3*time.Second)))
	note(`{"type":"step","agent":"sasha","task_id":"t-2","text":"step 3, searching"}`)
	note(`{"type":"task","agent":"finn","task_id":"t-3","state":"submitted"}`)
	note(`{"type":"step","agent":"sasha","task_id":"t-2","text":"step 4, reading"}`)
	note(`{"type":"question","agent":"sasha","task_id":"t-2","text":"which?"}`)
	assert.True(t, s.busy(), "a task asks, the turn goes on")
	assert.Equal(t, "Sasha is working: step 4, reading (12s), and 1 task more", s.text(now.Add(12*time.Second)))
	assert.True(t, s.busy())
	note(ask)
	assert.False(t, s.busy(), "a question ends its turn")
	s.sent(now)
	note(reply)
	assert.False(t, s.busy())
	note(`{"type":"task","agent":"sasha","task_id":"t-2","state":"completed"}`)
	note(`{"type":"task","agent":"finn","task_id":"t-3","state":"failed"}`)
	assert.Empty(t, s.text(now))
}
