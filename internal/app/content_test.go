package app_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"errand"
	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/intake"
	"errand/internal/llm"
	"errand/notifiers"
	"errand/notifiers/notifiertest"
)

// ogg is how a voice note begins.
const ogg = "OggS\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x13OpusHead\x01 "

// Ears hear what is in a recording, as it is written there; "?" is trouble for a
// moment, "!" for ever, " " says nothing, and "..." is listened to until somebody
// cuts it off.
type ears struct {
	perMinute float64 // USD

	mu    sync.Mutex
	heard []llm.Recording
}

func (e *ears) Transcribe(ctx context.Context, r llm.Recording) (llm.Transcript, error) {
	text, err := e.hear(r)
	if text == "..." {
		<-ctx.Done()
		return llm.Transcript{}, ctx.Err()
	}
	return llm.Transcript{Text: text, Usage: errand.Usage{Model: "ears", Provider: "test", Cost: 0.01}}, err
}

func (e *ears) TranscriptionCost(length time.Duration) float64 {
	return 0.01 + e.perMinute*length.Minutes()
}

func (e *ears) hear(r llm.Recording) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heard = append(e.heard, r)
	said, _, _ := strings.Cut(strings.TrimPrefix(string(r.Data), ogg), "OggS")
	switch {
	case said == "!":
		return "", &llm.Error{Kind: llm.Refused}
	case said == "?" && len(e.heard) < 2, said == "??":
		return "", &llm.Error{Kind: llm.Unreachable}
	case said == "?":
		return "late", nil
	}
	return strings.TrimSpace(said), nil
}

// A sender is Ana on a platform with an intake before it.
type sender struct {
	*platformChat
	sent int
}

func sending(t *testing.T, hear *ears) *sender {
	t.Helper()
	return sendingWith(t, hear, func(*config.Config) {})
}

func sendingWith(t *testing.T, hear *ears, change func(*config.Config)) *sender {
	t.Helper()
	p := &platformChat{platform: notifiertest.NewPlatform(true)}
	server := httptest.NewServer(p.platform)
	t.Cleanup(server.Close)
	p.installation, p.stage = play(t, func(o *app.Options) {
		if hear != nil {
			o.Transcriber = hear
		}
		o.Notifiers = func(r *notifiers.Router) { r.Handle("test", &notifiertest.Notifier{URL: server.URL}) }
	}, func(c *config.Config) {
		c.Access = map[string]config.Access{"test": {Mode: config.AccessOpen, Role: errand.Member}}
		change(c)
	})
	return &sender{platformChat: p}
}

// send is a message with files; "voice:" in front of one says that it was spoken.
func (s *sender) send(text string, files ...string) {
	s.t.Helper()
	s.sent++
	in := intake.Inbound{Route: errand.Route{Channel: "test", Account: "main", Chat: "c"}, MessageID: fmt.Sprint("m", s.sent), Text: text,
		Sender: intake.Sender{IDs: []string{"ana"}, Name: "Ana", Language: "es"}}
	for i, data := range files {
		data, spoken := strings.CutPrefix(data, "voice:")
		in.Attachments = append(in.Attachments, intake.Attachment{Name: fmt.Sprintf("file%d.exe", i), Voice: spoken,
			Open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(data)), nil }})
	}
	if _, err := s.Intake.Receive(s.t.Context(), in); err != nil {
		s.t.Fatal(err)
	}
}

var artifactID = regexp.MustCompile(`a-[2-9a-z]{8}`)

// reads waits until Ana has read so many messages, and returns the last.
func (s *sender) reads(n int) string {
	s.t.Helper()
	eventually(s.t, fmt.Sprintf("%d messages for Ana", n), func() bool { return len(s.sees("c")) >= n })
	list := s.sees("c")
	return list[len(list)-1]
}

// TestVoice proves what becomes of what people say instead of writing.
func TestVoice(t *testing.T) {
	t.Parallel()
	hear := &ears{}
	s := sending(t, hear)
	steps := []struct {
		name, text, voice string
		want              string
	}{
		{"said", "", "to Oslo, please", "you said [spoken, and written down by a machine] to Oslo, please\n[attached: file0.exe, audio/ogg, "},
		{"trouble for a moment", "", "?", "you said [spoken, and written down by a machine] late\n"},
		{"said and written", "tomorrow", "to Rome", "you said [spoken, and written down by a machine] to Rome\ntomorrow\n"},
		{"nothing was said", "", " ", "No he podido entender tu mensaje de voz."},
		{"it is refused", "", "!", "No he podido entender tu mensaje de voz."},
		{"trouble that does not end", "", "??", "No he podido entender tu mensaje de voz."},
		{"refused, but written", "read this", "!", "you said read this\n[attached: file0.exe, audio/ogg, "},
	}
	for i, step := range steps {
		s.send(step.text, "voice:"+ogg+step.voice)
		if got := s.reads(i + 1); !strings.HasPrefix(got, step.want) {
			t.Errorf("%s: Ana reads %q, want %q", step.name, got, step.want)
		}
	}
	hear.mu.Lock()
	defer hear.mu.Unlock()
	for _, r := range hear.heard {
		if strings.Contains(r.Name, "exe") {
			t.Errorf("the provider is told of %q", r.Name)
		}
	}
	sessions, err := s.Store.Artifacts(t.Context(), s.session())
	if err != nil || len(sessions) != len(steps) {
		t.Errorf("%d recordings are kept, %v", len(sessions), err)
	}
}

// TestStopHearing proves that /stop cuts off the writing down of a voice note, too:
// the turn has not begun, and what is said next is answered.
func TestStopHearing(t *testing.T) {
	t.Parallel()
	hear := &ears{}
	s := sending(t, hear)
	s.send("", "voice:"+ogg+"...")
	eventually(t, "somebody listens", func() bool {
		hear.mu.Lock()
		defer hear.mu.Unlock()
		return len(hear.heard) == 1
	})
	s.send("/stop")
	if got := s.reads(1); got != "Detenido." {
		t.Errorf("/stop is answered %q", got)
	}
	s.send("hello")
	if got := s.reads(2); got != "you said hello" {
		t.Errorf("Ana reads %q", got)
	}
}

// TestVoiceBudget proves that voice notes are refused when a budget is used up, in
// the words in which any call is and the language of whoever spoke, and that the model is not asked for them.
func TestVoiceBudget(t *testing.T) {
	t.Parallel()
	hear := &ears{}
	s := sendingWith(t, hear, func(c *config.Config) { c.Budgets.PersonDay = config.Budget{Calls: 3} })
	for i, want := range []string{
		"you said [spoken, and written down by a machine] one", // two calls
		"Has agotado lo de hoy (3 llamadas al modelo); empieza de nuevo a las 00:00 UTC.",
		"Has agotado lo de hoy (3 llamadas al modelo); empieza de nuevo a las 00:00 UTC.",
	} {
		s.send("", "voice:"+ogg+[]string{"one", "two", "three"}[i])
		if got := s.reads(i + 1); !strings.HasPrefix(got, want) {
			t.Errorf("Ana reads %q, want %q", got, want)
		}
	}
	hear.mu.Lock()
	defer hear.mu.Unlock()
	if len(hear.heard) != 2 {
		t.Errorf("%d were written down", len(hear.heard))
	}
}

// lasting is a page that says that a voice note ends after so many minutes.
func lasting(minutes int64) string {
	page := make([]byte, 27)
	copy(page, "OggS")
	binary.LittleEndian.PutUint64(page[6:], uint64(minutes*60*48_000))
	return string(page)
}

// TestVoiceIsPaidByTheMinute proves that what a voice note may cost is reserved by
// how long it lasts, however small it is, and settled with what it did cost.
func TestVoiceIsPaidByTheMinute(t *testing.T) {
	t.Parallel()
	hear := &ears{perMinute: 1}
	s := sendingWith(t, hear, func(c *config.Config) { c.Budgets.PersonDay = config.Budget{Cost: 2} })
	for i, want := range []string{
		"Has agotado lo de hoy (2 USD); empieza de nuevo a las 00:00 UTC.",
		"you said [spoken, and written down by a machine]",
		"you said [spoken, and written down by a machine]",
	} {
		s.send("", "voice:"+ogg+"Berlin   "+lasting([]int64{3, 1, 1}[i]))
		if got := s.reads(i + 1); !strings.HasPrefix(got, want) {
			t.Errorf("Ana reads %q, want %q", got, want)
		}
	}
	hear.mu.Lock()
	defer hear.mu.Unlock()
	if len(hear.heard) != 2 || hear.heard[0].Length != time.Minute {
		t.Errorf("%d were written down", len(hear.heard))
	}
}

// TestLongVoice proves that what bounds a voice note in errand.yaml does.
func TestLongVoice(t *testing.T) {
	t.Parallel()
	s := sendingWith(t, &ears{}, func(c *config.Config) { c.Voice = &config.Voice{MaxLength: 2 * time.Minute} })
	s.send("", "voice:"+ogg+"Berlin   "+lasting(3))
	if got := s.reads(1); !strings.Contains(got, "2 min como máximo") {
		t.Errorf("Ana reads %q", got)
	}
	s.send("", "voice:"+ogg+"Berlin   "+lasting(2))
	if got := s.reads(2); !strings.HasPrefix(got, "you said") {
		t.Errorf("Ana reads %q", got)
	}
}

// session is Ana's.
func (s *sender) session() errand.SessionID {
	s.t.Helper()
	p, err := s.Store.Identify(s.t.Context(), "test", "main", "ana")
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := s.Store.Rehydrate(s.t.Context(), errand.NewSessionKey(errand.Route{Channel: "test", Account: "main", Chat: "c"}, p.ID), "nikki")
	if err != nil {
		s.t.Fatal(err)
	}
	return r.Session
}

// TestNobodyListens proves that whoever speaks where nothing writes it down is told
// so, in their language, and that their words are taken.
func TestNobodyListens(t *testing.T) {
	t.Parallel()
	s := sending(t, nil)
	s.send("", "voice:"+ogg+"hello")
	if got := s.reads(1); !strings.HasPrefix(got, "Aquí no puedo escuchar mensajes de voz") {
		t.Errorf("Ana reads %q", got)
	}
}

// TestReadArtifact proves that agents read the files of their own conversation,
// piece by piece, also those that they are sent with, and nobody else's.
func TestReadArtifact(t *testing.T) {
	t.Parallel()
	s := sending(t, nil)
	long := strings.Repeat("night train ", 2000)
	s.send("look", long, "%PDF-1.7")
	ids := artifactID.FindAllString(s.reads(1), -1)
	if len(ids) != 2 {
		t.Fatalf("Ana reads %q", s.sees("c"))
	}
	read := func(id, offset string) call {
		return call{Tool: "read_artifact", Args: `{"id": "` + id + `", "offset": ` + offset + `}`}
	}
	for i, step := range []struct {
		say  string
		want string
	}{
		{do(read(ids[0], "0")), "(bytes 0 to 16000 of 24000; go on with offset 16000)"},
		{do(read(ids[0], "16000")), "told: t train night train"},
		{do(read(ids[0], "24000")), "error: the file has 24000 bytes"},
		{do(read(ids[1], "0")), "is application/pdf, 8 bytes: only text can be read"},
		{do(read("a-22222222", "0")), `error: there is no file "a-22222222" in this conversation`},
		{do(ask("sasha", do(read(ids[0], "16000")))), "t train night train"},
	} {
		s.send(step.say)
		if got := s.reads(i + 2); !strings.Contains(got, step.want) {
			t.Errorf("%s\nAna reads %q, want %q", step.say, errand.Cut(got, 300), step.want)
		}
	}
	key := s.say("elsewhere", do(read(ids[0], "0")))
	if events := s.until(key, replies(1)); !strings.Contains(said(events)[0], "there is no file") {
		t.Errorf("in another chat it reads %q", said(events))
	}
	for id, status := range map[string]int{ids[1]: 200, "a-22222222": 404} {
		resp := s.get("/api/artifacts/" + id)
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != status || status == 200 && string(body) != "%PDF-1.7" {
			t.Errorf("%s: %d %q", id, resp.StatusCode, body)
		}
	}
}

// TestReplyToLateResult proves that a reply to a late result says which task it is
// about.
func TestReplyToLateResult(t *testing.T) {
	t.Parallel()
	s := sending(t, nil)
	s.send(do(send("sasha", "after go trains")))
	s.reads(1)
	s.stage.open("go")
	late := s.reads(2)
	if !strings.Contains(late, "you said after go trains") {
		t.Fatalf("Ana reads %q", late)
	}
	s.reaches("c", errand.Sent, errand.Sent)
	messages := s.platform.Messages()
	s.sent++
	_, err := s.Intake.Receive(t.Context(), intake.Inbound{Route: errand.Route{Channel: "test", Account: "main", Chat: "c"}, MessageID: "reply",
		Text: "which of them?", ReplyTo: messages[1].ID, Sender: intake.Sender{IDs: []string{"ana"}}})
	if err != nil {
		t.Fatal(err)
	}
	task := tasks(s.installation)[0]
	want := fmt.Sprintf("you said [in reply to: late result of %s, Sasha: %s]\nwhich of them?", task.ID, task.Title)
	if got := s.reads(3); got != want {
		t.Errorf("Ana reads %q, want %q", got, want)
	}
}
