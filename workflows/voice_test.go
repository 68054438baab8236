package workflows_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"errand/activities"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/llm"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/test/intaketest"
	"errand/internal/test/llmtest"
	"errand/internal/test/servicetest"
	"errand/internal/test/workflowtest"
)

const ogg = "OggS\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x13OpusHead\x01 "

// Ears hear what is in a recording, as it is written there; "?" is trouble for a
// moment, "!" for ever, " " says nothing, and "..." is listened to until somebody
// cuts it off. They belong to one test.
type scriptedTranscriber struct {
	perMinute  float64 // USD
	recordings []llm.Recording
}

func (e *scriptedTranscriber) Transcribe(ctx context.Context, r llm.Recording) (llm.Transcript, error) {
	text, err := e.answer(r)
	if text == "..." {
		<-ctx.Done()
		return llm.Transcript{}, ctx.Err()
	}
	return llm.Transcript{Text: text, Usage: core.Usage{Model: "ears", Provider: "test", Cost: 0.01}}, err
}

func (e *scriptedTranscriber) TranscriptionCost(length time.Duration) float64 {
	return 0.01 + e.perMinute*length.Minutes()
}

func (e *scriptedTranscriber) answer(r llm.Recording) (string, error) {
	e.recordings = append(e.recordings, r)
	text, _, _ := strings.Cut(strings.TrimPrefix(string(r.Data), ogg), "OggS")
	switch {
	case text == "!":
		return "", &llm.Error{Kind: llm.Refused}
	case text == "?" && len(e.recordings) < 2, text == "??":
		return "", &llm.Error{Kind: llm.Unreachable}
	case text == "?":
		return "late", nil
	}
	return strings.TrimSpace(text), nil
}

// openTo is an installation that lets in whoever writes on the platform, and takes
// files. Where hear is not nil, what is said is written down.
func openTo(hear *scriptedTranscriber) workflowtest.Options {
	return workflowtest.Options{
		Dedupe: true,
		House: func(d *intaketest.Deps) {
			d.Access = map[string]service.Access{"test": {Mode: service.AccessOpen, Role: core.Member}}
			d.AttachmentBytes, d.Transcribes = 1_000_000, hear != nil
		},
		Activities: func(d *activities.Deps) {
			if hear != nil {
				d.Transcriber = hear
			}
		},
	}
}

// A sender is Ana, who speaks Spanish, in a chat of the platform.
type sender struct {
	*workflowtest.Installation
	sent int
}

// send is a message with files; "voice:" in front of one says that it was spoken.
func (s *sender) send(text string, files ...string) {
	s.T.Helper()
	s.reply("", text, files...)
}

func (s *sender) reply(to, text string, files ...string) {
	s.T.Helper()
	s.sent++
	m := intake.Inbound{Route: c1, MessageID: fmt.Sprint("m", s.sent), Text: text, ReplyTo: to,
		Sender: intake.Sender{IDs: []string{"ana"}, Name: "Ana", Language: "es"}}
	for i, data := range files {
		data, isVoice := strings.CutPrefix(data, "voice:")
		m.Attachments = append(m.Attachments, intake.Attachment{Name: fmt.Sprintf("file%d.exe", i), Voice: isVoice,
			Open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(data)), nil }})
	}
	s.Receive(m)
	s.Pass(10 * time.Minute) // in which trouble goes by, or is given up
}

func (s *sender) speaks(voice string) {
	s.T.Helper()
	s.send("", "voice:"+ogg+voice)
}

func (s *sender) reads(n int) string {
	s.T.Helper()
	list := s.Platform.Seen("c1")
	if len(list) != n {
		s.T.Fatalf("Ana reads %q, want %d messages", list, n)
	}
	return list[n-1]
}

// TestVoice proves what becomes of what people say instead of writing.
func TestVoice(t *testing.T) {
	hear := &scriptedTranscriber{}
	steps := []struct {
		name, text, voice string
		want              string
	}{
		{"said", "", "to Oslo, please", "you said [spoken, transcribed by a machine] to Oslo, please\n[attached: file0.exe, audio/ogg, "},
		{"trouble for a moment", "", "?", "you said [spoken, transcribed by a machine] late\n"},
		{"said and written", "tomorrow", "to Rome", "you said [spoken, transcribed by a machine] to Rome\ntomorrow\n"},
		{"nothing was said", "", " ", "No he podido entender tu mensaje de voz."},
		{"it is refused", "", "!", "No he podido entender tu mensaje de voz."},
		{"trouble that does not end", "", "??", "No he podido entender tu mensaje de voz."},
		{"refused, but written", "read this", "!", "you said read this\n[attached: file0.exe, audio/ogg, "},
	}
	workflowtest.Run(t, openTo(hear), func(in *workflowtest.Installation) {
		s := &sender{Installation: in}
		for i, step := range steps {
			s.send(step.text, "voice:"+ogg+step.voice)
			if got := s.reads(i + 1); !strings.HasPrefix(got, step.want) {
				t.Errorf("%s: Ana reads %q, want %q", step.name, got, step.want)
			}
		}
		for _, r := range hear.recordings {
			if strings.Contains(r.Name, "exe") {
				t.Errorf("the provider is told of %q", r.Name)
			}
		}
		ana, err := in.Store.Identify(in.T.Context(), "test", "main", "ana")
		if err != nil {
			t.Fatal(err)
		}
		kept, err := in.Store.Artifacts(in.T.Context(), in.Current(core.NewSessionKey(c1, ana.ID)))
		if err != nil || len(kept) != len(steps) {
			t.Errorf("%d recordings are kept, %v", len(kept), err)
		}
	})
}

// TestStopHearing proves that /stop cuts off the writing down of a voice note, too:
// the turn has not begun, and what is said next is answered.
func TestStopHearing(t *testing.T) {
	hear := &scriptedTranscriber{}
	workflowtest.Run(t, openTo(hear), func(in *workflowtest.Installation) {
		s := &sender{Installation: in}
		from := intake.Sender{IDs: []string{"ana"}, Name: "Ana", Language: "es"}
		open := func(context.Context) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(ogg + "...")), nil }
		in.Receive(intake.Inbound{Route: c1, MessageID: "voice", Sender: from, Attachments: []intake.Attachment{{Name: "voice", Voice: true, Open: open}}})
		if len(hear.recordings) != 1 {
			t.Fatal("nobody listens")
		}
		in.Receive(intake.Inbound{Route: c1, MessageID: "stop", Sender: from, Text: "/stop"})
		if got := s.reads(1); got != "Detenido." {
			t.Errorf("/stop is answered %q", got)
		}
		s.send("hello")
		if got := s.reads(2); got != "you said hello" {
			t.Errorf("Ana reads %q", got)
		}
		if len(hear.recordings) != 1 {
			t.Errorf("it was listened to %d times", len(hear.recordings))
		}
	})
}

// TestVoiceBudget proves that voice notes are refused when a budget is used up, in
// the words in which any call is and the language of whoever spoke, and that the
// model is not asked for them.
func TestVoiceBudget(t *testing.T) {
	hear := &scriptedTranscriber{}
	o := openTo(hear)
	o.Limits.PersonDay = store.Amount{Calls: 3}
	workflowtest.Run(t, o, func(in *workflowtest.Installation) {
		s := &sender{Installation: in}
		for i, want := range []string{
			"you said [spoken, transcribed by a machine] one", // two calls
			"Has llegado al límite de hoy: 3 llamadas al modelo. Se renueva a las 00:00 UTC.",
			"Has llegado al límite de hoy: 3 llamadas al modelo. Se renueva a las 00:00 UTC.",
		} {
			s.speaks([]string{"one", "two", "three"}[i])
			if got := s.reads(i + 1); !strings.HasPrefix(got, want) {
				t.Errorf("Ana reads %q, want %q", got, want)
			}
		}
		if len(hear.recordings) != 2 {
			t.Errorf("%d were written down", len(hear.recordings))
		}
	})
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
	hear := &scriptedTranscriber{perMinute: 1}
	o := openTo(hear)
	o.Limits.PersonDay = store.Amount{Cost: 2}
	workflowtest.Run(t, o, func(in *workflowtest.Installation) {
		s := &sender{Installation: in}
		for i, want := range []string{
			"Has llegado al límite de hoy: 2 USD. Se renueva a las 00:00 UTC.",
			"you said [spoken, transcribed by a machine]",
			"you said [spoken, transcribed by a machine]",
		} {
			s.speaks("Berlin   " + lasting([]int64{3, 1, 1}[i]))
			if got := s.reads(i + 1); !strings.HasPrefix(got, want) {
				t.Errorf("Ana reads %q, want %q", got, want)
			}
		}
		if len(hear.recordings) != 2 || hear.recordings[0].Length != time.Minute {
			t.Errorf("%d were written down", len(hear.recordings))
		}
	})
}

// TestNobodyListens proves that whoever speaks where nothing writes it down is told
// so, in their language, that it is kept, and that the agent knows of it.
func TestNobodyListens(t *testing.T) {
	workflowtest.Run(t, openTo(nil), func(in *workflowtest.Installation) {
		s := &sender{Installation: in}
		s.speaks("hello")
		got := s.reads(2)
		if notice := in.Platform.Seen("c1")[0]; !strings.HasPrefix(notice, "Aquí no puedo escuchar mensajes de voz") {
			t.Errorf("Ana reads %q", notice)
		}
		if !strings.HasPrefix(got, "you said [attached: file0.exe, audio/ogg, ") || !strings.Contains(got, "[a voice message that was not transcribed: transcription is not set up") {
			t.Errorf("the agent has read %q", got)
		}
		data, err := in.Store.ArtifactData(context.Background(), core.ArtifactID(artifactID.FindString(got)))
		if err != nil || string(data) != ogg+"hello" {
			t.Errorf("kept is %q, %v", data, err)
		}
	})
}

var artifactID = regexp.MustCompile(`a-[2-9a-z]{8}`)

// TestReadArtifact proves that agents read the files of their own conversation,
// piece by piece, also those that they are sent with, and nobody else's; and that
// who runs the installation can fetch them.
func TestReadArtifact(t *testing.T) {
	workflowtest.Run(t, openTo(nil), func(in *workflowtest.Installation) {
		s := &sender{Installation: in}
		s.send("look", strings.Repeat("night train ", 2000), "%PDF-1.7")
		ids := artifactID.FindAllString(s.reads(1), -1)
		if len(ids) != 2 {
			t.Fatalf("Ana reads %q", in.Platform.Seen("c1"))
		}
		read := func(id, offset string) llmtest.ToolCall {
			return llmtest.ToolCall{Tool: "read_artifact", Args: `{"id": "` + id + `", "offset": ` + offset + `}`}
		}
		for i, step := range []struct {
			say  string
			want string
		}{
			{do(read(ids[0], "0")), "(bytes 0 to 16000 of 24000; continue with offset 16000)"},
			{do(read(ids[0], "16000")), "told: t train night train"},
			{do(read(ids[0], "24000")), "error: the file has 24000 bytes"},
			{do(read(ids[1], "0")), "is application/pdf, 8 bytes: only text can be read"},
			{do(read("a-22222222", "0")), `error: there is no file "a-22222222" in this conversation`},
			{do(ask("sasha", do(read(ids[0], "16000")))), "t train night train"},
		} {
			s.send(step.say)
			if got := s.reads(i + 2); !strings.Contains(got, step.want) {
				t.Errorf("%s\nAna reads %q, want %q", step.say, core.Cut(got, 300), step.want)
			}
		}
		in.SendTo("elsewhere", do(read(ids[0], "0")))
		in.ReadsIn(workflowtest.Key("elsewhere"), "there is no file")
		if _, data, err := servicetest.ReadArtifact(in.T.Context(), in.House.Service, owner, core.ArtifactID(ids[1])); err != nil || string(data) != "%PDF-1.7" {
			t.Errorf("%s: %q, %v", ids[1], data, err)
		}
		if _, _, err := servicetest.ReadArtifact(in.T.Context(), in.House.Service, owner, "a-22222222"); err == nil {
			t.Error("there is a file that nobody has sent")
		}
	})
}

// TestReplyToLateResult proves that a reply to a late result says which task it is
// about.
func TestReplyToLateResult(t *testing.T) {
	workflowtest.Run(t, openTo(nil), func(in *workflowtest.Installation) {
		s := &sender{Installation: in}
		s.send(do(send("sasha", "wait 1h")))
		in.Pass(2 * time.Hour)
		if late := s.reads(2); !strings.Contains(late, "done 1h") {
			t.Fatalf("Ana reads %q", late)
		}
		s.reply(in.Platform.Messages()[1].ID, "which of them?")
		task := in.TaskOf("sasha")
		want := fmt.Sprintf("you said [in reply to: late result of %s, Sasha: %s]\nwhich of them?", task.ID, task.Title)
		if got := s.reads(3); got != want {
			t.Errorf("Ana reads %q, want %q", got, want)
		}
	})
}
