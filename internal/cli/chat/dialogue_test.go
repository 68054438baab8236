package chat

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/cli/console"
	"errand/internal/core"
	"errand/internal/test/clitest"
)

// A seat is a person at a terminal.
type seat struct {
	t    *testing.T
	keys *io.PipeWriter
	page *clitest.Output
	at   int // how far the person has read
	done chan error
}

// A witness writes down what a dialogue shows, without the sequences that only a terminal understands:
// after each message the rows that are to be printed, and the live part.
type witness struct {
	*dialogue
	page *clitest.Output
}

func (w witness) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	said, waiting := len(w.dialogue.page.said), len(w.dialogue.page.waiting)
	_, cmd := w.dialogue.Update(msg)
	p := &w.dialogue.page
	rows := append(slices.Clone(p.said), p.waiting...)[said+waiting:]
	rows = append(rows, strings.Split(w.View().Content, "\n")...)
	for i, row := range rows {
		rows[i] = strings.TrimRight(row, " ")
	}
	last := len(rows) - 1
	rows[last] += strings.Repeat(" ", max(0, 2-len(rows[last]))) // the prompt ends with one
	io.WriteString(w.page, ansi.Strip(strings.Join(rows, "\r\n")))
	return w, cmd
}

func sit(t *testing.T, f *clitest.FakeWorker) *seat {
	keys, typed := io.Pipe()
	s := &seat{t: t, keys: typed, page: clitest.NewOutput(), done: make(chan error, 1)}
	c := &console.Console{In: keys, Out: s.page, Err: s.page, Getenv: clitest.Env(nil), Began: time.Now()}
	d := newDialogue(c, NewConversation(console.NewWorker(f.URL, ""), "main"))
	go func() {
		s.done <- d.run(t.Context(), witness{d, s.page}, tea.WithWindowSize(80, 24), tea.WithOutput(io.Discard))
	}()
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
	s.at = s.page.Await(s.t, s.at, text)
}

func TestTalk(t *testing.T) {
	f := clitest.NewFakeWorker(t, nil)
	out := clitest.EventLog(f, `{"id":1,"type":"message","text":"from before","message_id":"m","created":"2026-01-01T00:00:00Z"}`,
		`{"id":2,"type":"reply","agent":"nikki","text":"said before","created":"2026-01-01T00:00:01Z"}`)
	s := sit(t, f)
	s.reads("you: from before")
	s.reads("Nikki: said before")
	s.types("hello\r")
	s.reads("waiting for an answer (0s)")
	out <- clitest.Step
	s.reads("Nikki is working: thinking (")
	s.types("half a li")
	out <- clitest.Delta
	s.reads("Nikki: Hel")
	s.reads("> half a li")
	out <- clitest.Reply
	s.reads("Nikki: Hello.")
	out <- clitest.Late
	s.reads("Nikki, the late result of t-22222222:")
	s.reads("Two trains.")
	s.reads("> half a li")
	s.types("\x15\x1b[A") // the line goes, and arrow-up brings the last one back
	s.reads("hello")
	s.types("\x15\x04")
	assert.NoError(t, <-s.done)
	require.Len(t, f.Asked("POST", "/api/sessions/main/messages"), 1)
	assert.Equal(t, "wait=false", f.Asked("POST", "/api/sessions/main/messages")[0].Query)
}

func TestALateResultThatWasStreamedIsMarkedAtItsEnd(t *testing.T) {
	f := clitest.NewFakeWorker(t, nil)
	out := clitest.EventLog(f)
	s := sit(t, f)
	out <- `{"type":"delta","agent":"nikki","turn":2,"text":"Two trains.\n\nOne"}`
	s.reads("Nikki: Two trains.")
	s.reads("Nikki is working: answering")
	out <- `{"id":4,"type":"late","agent":"nikki","turn":2,"text":"Two trains.\n\nOne more."}`
	s.reads("One more.\r\n")
	s.reads("(that was a late result)\r\n> ")
	out <- `{"type":"delta","agent":"nikki","turn":3,"text":"Three"}`
	s.reads("Nikki: Three")
	out <- `{"id":5,"type":"late","agent":"nikki","turn":3,"text":"Three trains."}`
	s.reads("Nikki, a late result:\r\nThree trains.\r\n> ")
	s.types("\x04")
	assert.NoError(t, <-s.done)
}

// TestMarkdownIsShownAsItIsMeant proves that an answer is shown in its form on a terminal,
// each block when it is there, and the open one while it comes; code stays as it is.
func TestMarkdownIsShownAsItIsMeant(t *testing.T) {
	f := clitest.NewFakeWorker(t, nil)
	out := clitest.EventLog(f)
	s := sit(t, f)
	out <- `{"type":"delta","agent":"nikki","turn":2,"text":"Two **trains**:\n\n- the *first"}`
	s.reads("Nikki: Two trains:\r\n")
	s.reads("• the *first\r\n")
	out <- `{"type":"delta","agent":"nikki","turn":2,"text":"*\n- the second\n\n` + "```sh\\ngo now" + `"}`
	s.reads("• the first\r\n")
	s.reads("• the second\r\n")
	s.reads("    go now\r\n")
	s.types("\x04")
	assert.NoError(t, <-s.done)
}

// TestAnAnswerThatIsCutOffSaysSo proves that why an answer is not whole stands behind
// it, whether or not it was streamed.
func TestAnAnswerThatIsCutOffSaysSo(t *testing.T) {
	f := clitest.NewFakeWorker(t, nil)
	out := clitest.EventLog(f)
	s := sit(t, f)
	out <- `{"type":"delta","agent":"nikki","turn":2,"text":"Two trains.\nOne"}`
	s.reads("Nikki: Two trains.")
	out <- `{"id":4,"type":"reply","agent":"nikki","turn":2,"text":"Two trains.\nOne","cause":"length"}`
	s.reads("… cut off at the model's limit\r\n> ")
	out <- `{"id":5,"type":"reply","agent":"nikki","turn":3,"text":"Three","cause":"content_filter"}`
	s.reads("Nikki: Three\r\n… the model's provider blocked the rest\r\n> ")
	s.types("\x04")
	assert.NoError(t, <-s.done)
}

// TestAStoppedTurnEndsItsAnswer proves that what is said of the end of a turn comes
// behind what the turn has said so far, and that nothing of that stays below.
func TestAStoppedTurnEndsItsAnswer(t *testing.T) {
	for name, end := range map[string]string{
		"The turn was stopped.": `{"id":4,"type":"notice","turn":2,"text":"The turn was stopped."}`,
		"errand: no model":      `{"id":4,"type":"error","turn":2,"text":"no model"}`,
	} {
		t.Run(name, func(t *testing.T) {
			f := clitest.NewFakeWorker(t, nil)
			out := clitest.EventLog(f)
			s := sit(t, f)
			out <- `{"type":"delta","agent":"nikki","turn":2,"text":"Two trains.\nOne"}`
			s.reads("Nikki: Two trains.")
			s.reads("Nikki is working: answering")
			out <- end
			s.reads("One … broken off\r\n")
			s.reads(name + "\r\n> ")
			s.types("\x04")
			assert.NoError(t, <-s.done)
		})
	}
}

// TestAnInterruptedTurnEndsItsAnswer proves that the answer of a turn is not taken
// for the rest of the one before, of which nothing says that it was interrupted.
func TestAnInterruptedTurnEndsItsAnswer(t *testing.T) {
	f := clitest.NewFakeWorker(t, nil)
	out := clitest.EventLog(f)
	s := sit(t, f)
	out <- `{"type":"delta","agent":"nikki","turn":2,"text":"Two trains.\nOne"}`
	s.reads("Nikki: Two trains.")
	out <- `{"type":"delta","agent":"nikki","turn":3,"text":"And now this.\n"}`
	s.reads("One … broken off\r\n")
	s.reads("Nikki: And now this.")
	s.types("\x04")
	assert.NoError(t, <-s.done)
}

func TestTalkComesBackAfterARestart(t *testing.T) {
	f := clitest.NewFakeWorker(t, nil)
	out := clitest.EventLog(f)
	s := sit(t, f)
	out <- `{"id":4,"type":"notice","text":"first"}`
	s.reads("first")
	out <- clitest.Delta
	s.reads("Nikki: Hel")
	out <- "abort"
	out <- clitest.Reply
	s.reads("Nikki: Hello.")
	asked := f.Asked("GET", "/api/sessions/main/events")
	require.Len(t, asked, 2)
	assert.Equal(t, "4", asked[1].Header.Get("Last-Event-ID"))
	f.Listener.Close() // first, or it would be connected again before nobody listens
	f.CloseClientConnections()
	f.Close()
	s.reads(notReachable)
	s.types("said to nobody\r")
	s.types("\x04")
	assert.ErrorContains(t, <-s.done, "errand did not confirm 1 message(s)")
}

func TestCtrlCStopsAndThenLeaves(t *testing.T) {
	f := clitest.NewFakeWorker(t, nil)
	out := clitest.EventLog(f)
	s := sit(t, f)
	s.types("hello\r")
	out <- clitest.Step
	s.reads("thinking")
	s.types("\x03")
	s.reads("Stopping. Press Ctrl-C again to leave.")
	s.reads("Stopped.")
	asked := f.Asked("POST", "/api/sessions/main/messages")
	require.Len(t, asked, 2)
	assert.Contains(t, asked[1].Body, `"text":"/stop"`)
	s.types("\x03")
	assert.NoError(t, <-s.done)
}

func TestCtrlCWithNothingToStop(t *testing.T) {
	f := clitest.NewFakeWorker(t, nil)
	clitest.EventLog(f)
	s := sit(t, f)
	s.types("half a line\x03")
	s.reads("Press Ctrl-C again to leave; running tasks continue.")
	s.types("\x03")
	assert.NoError(t, <-s.done)
	assert.Empty(t, f.Asked("POST", "/api/sessions/main/messages"))
}

func TestAPasteOfManyLinesIsOneMessage(t *testing.T) {
	f := clitest.NewFakeWorker(t, nil)
	clitest.EventLog(f)
	s := sit(t, f)
	s.types("\x1b[200~one\rtwo\r\nthree\x1b[201~\r")
	s.reads("waiting for an answer")
	s.types("\x04")
	<-s.done
	asked := f.Asked("POST", "/api/sessions/main/messages")
	require.Len(t, asked, 1)
	assert.Contains(t, asked[0].Body, `"text":"one\ntwo\nthree"`)
}

func TestTalkOffersOptions(t *testing.T) {
	f := clitest.NewFakeWorker(t, nil)
	out := clitest.EventLog(f, `{"id":1,"type":"question","agent":"nikki","text":"Tea?","options":["tea","coffee"],"created":"2026-01-01T00:00:00Z"}`)
	s := sit(t, f)
	s.reads("Nikki: Tea?")
	s.reads("  1  tea\r\n  2  coffee")
	s.types("2\r")
	s.reads("· coffee")
	s.types("1\r")
	s.reads("> 1\r\n") // it is taken, before there is another question
	out <- `{"type":"delta","agent":"nikki","turn":1,"text":"Shall Finn"}`
	s.reads("Nikki: Shall Finn")
	out <- clitest.Ask
	s.reads("go on?")
	s.reads("  1  yes\r\n  2  no, stay\r\n")
	s.types("1\r")
	s.reads("· yes")
	out <- `{"id":9,"type":"message","text":"yes"}`
	out <- `{"id":10,"type":"notice","text":"You talk with Finn now."}`
	s.reads("You talk with Finn now.")
	s.types("1\r\x04")
	assert.NoError(t, <-s.done)
	var sent []string
	for _, r := range f.Asked("POST", "/api/sessions/main/messages") {
		var m Outgoing
		require.NoError(t, json.Unmarshal([]byte(r.Body), &m))
		sent = append(sent, m.Text)
	}
	assert.Equal(t, []string{"coffee", "1", "yes", "1"}, sent, "a number answers one question")
}

// TestTalkAnswersASubAgent proves that what a sub-agent asks is shown at the terminal as
// its question while the person is at something else, and that a plain word and /answer go to
// errand as they were typed: also a number, where nothing is offered.
func TestTalkAnswersASubAgent(t *testing.T) {
	f := clitest.NewFakeWorker(t, nil)
	out := clitest.EventLog(f, `{"id":1,"type":"reply","agent":"nikki","text":"Sasha is on it.","created":"2026-01-01T00:00:01Z"}`)
	s := sit(t, f)
	s.types("half a li")
	out <- `{"id":2,"type":"question","agent":"sasha","task_id":"t-22222222","question":"q-22222222","text":"Which day? /answer q-22222222 …"}`
	s.reads("Sasha: Which day? /answer q-22222222 …")
	s.reads("> half a li")
	s.types("\x15yes\r")
	out <- `{"id":3,"type":"notice","text":"Sasha has your answer: yes"}`
	s.reads("Sasha has your answer: yes")
	s.types("/answer q-22222222 on Monday\r")
	out <- `{"id":4,"type":"notice","text":"You have answered that"}`
	s.reads("You have answered that")
	s.types("2\r\x04")
	assert.NoError(t, <-s.done)
	var sent []string
	for _, r := range f.Asked("POST", "/api/sessions/main/messages") {
		var m Outgoing
		require.NoError(t, json.Unmarshal([]byte(r.Body), &m))
		sent = append(sent, m.Text)
	}
	assert.Equal(t, []string{"yes", "/answer q-22222222 on Monday", "2"}, sent)
}

// TestTheLiveRowsFitTheTerminal proves that what is being generated is wrapped to the terminal as it is now, and that
// the live part leaves room for a row above it.
func TestTheLiveRowsFitTheTerminal(t *testing.T) {
	c := &console.Console{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Getenv: clitest.Env(nil)}
	d := newDialogue(c, NewConversation(console.NewWorker("", ""), "main"))
	text := strings.TrimSpace(strings.Repeat("words ", 12))
	d.stream(console.Event{Event: core.Event{Text: text}})
	assert.Len(t, d.live(), 1)
	d.Update(tea.WindowSizeMsg{Width: 40, Height: 24})
	rows := d.live()
	assert.Len(t, rows, 3)
	for _, row := range rows {
		assert.Less(t, console.Columns(row), 40)
	}
	assert.Equal(t, "errand: "+text, strings.Join(rows, " "))
	for height := 1; height <= 12; height++ {
		d.Update(tea.WindowSizeMsg{Width: 40, Height: height})
		d.line.paste("one\ntwo\nthree\nfour")
		v := d.View()
		assert.LessOrEqual(t, strings.Count(v.Content, "\n")+1, max(1, height-1))
		assert.True(t, v.Cursor.Y >= 0 && v.Cursor.Y < max(1, height-1), "row %d of %d", v.Cursor.Y, height)
	}
}
