package app_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/rights"
	"errand/internal/service"
)

// TestPeopleOfTheConfiguration proves that what errand.yaml says of people is what
// counts: who gets in, who may do what, how fast, how much of it, and how long they may
// speak.
func TestPeopleOfTheConfiguration(t *testing.T) {
	t.Parallel()
	p := playOn(t, true, true, func(cfg *config.Config) {
		cfg.Access = map[string]config.Access{core.ChannelWeb: {Mode: config.AccessAllowlist}, "test": {Mode: config.AccessOpen, Role: core.Member}}
		cfg.Transcription, cfg.Budgets.Turn = &config.TranscriptionModel{MaxLength: 2 * time.Minute}, config.Budget{Calls: 1}
		cfg.Limits.PerMinute = config.Rates{Person: 1}
		if err := cfg.Rights.Set(rights.Command, "/tasks", core.MasterAdmin); err != nil {
			t.Fatal(err)
		}
	})
	in := p.installation
	refused := func(err error, kind service.Kind) {
		t.Helper()
		var refusal *service.Error
		if !errors.As(err, &refusal) || refusal.Kind != kind {
			t.Errorf("the error is %v, want one that is %s", err, kind)
		}
	}
	_, _, err := in.Service.Logins.AskLogin(t.Context(), "Cleo", "", "")
	refused(err, service.KindForbidden)
	say := func(role core.Role, text string) (intake.Outcome, error) {
		return in.Intake.Accept(t.Context(), intake.Inbound{Route: core.WebRoute("main"), Person: app.Owner, Role: role, Text: text})
	}
	if out, err := say(core.Partner, "/tasks"); err != nil || !strings.Contains(out.Answer, "needs the role Admin") {
		t.Errorf("the command is answered %q, %v", out.Answer, err)
	}
	_, err = say("", "hello")
	refused(err, service.KindTooMany)

	for _, sent := range []struct {
		from    string
		text    string
		minutes int64 // of a voice note
		sees    string
	}{
		{from: "ana", minutes: 3, sees: "2 min"},
		{from: "ben", minutes: 2, sees: "I could not understand your voice message"}, // there is no provider here
		{from: "cleo", text: do(tool("recall", map[string]string{"key": "k"})), sees: "used up its limit of one model call"},
	} {
		m := intake.Inbound{Route: core.Route{Channel: "test", Account: "main", Chat: sent.from}, MessageID: sent.from, Text: sent.text,
			Sender: intake.Sender{IDs: []string{sent.from}, Name: sent.from}}
		if sent.minutes > 0 {
			m.Attachments = []intake.Attachment{{Name: "voice", Voice: true, Open: func(context.Context) (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader(recorded(sent.minutes))), nil
			}}}
		}
		if _, err := in.Intake.Receive(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		eventually(t, sent.from+" to see something", func() bool { return len(p.platform.Seen(sent.from)) > 0 })
		if got := p.platform.Seen(sent.from); len(got) != 1 || !strings.Contains(got[0], sent.sees) {
			t.Errorf("%s sees %q, want %q", sent.from, got, sent.sees)
		}
	}
}

func recorded(minutes int64) string {
	const first = "OggS\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x13OpusHead\x01 "
	last := make([]byte, 27) // a page that says when it ends
	copy(last, "OggS")
	binary.LittleEndian.PutUint64(last[6:], uint64(minutes*60*48_000))
	return first + "Berlin   " + string(last)
}
