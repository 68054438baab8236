package telegram_test

import (
	"regexp"
	"strings"
	"testing"

	"errand/internal/core"
	"errand/internal/service"
	"errand/internal/store"
	platform "errand/internal/test/sim/telegram"
)

func (r *rig) reads() []string {
	r.t.Helper()
	p, err := r.gate.Store.Identify(r.t.Context(), "telegram", "main", route(r.chat).Chat)
	if err != nil {
		r.t.Fatal(err)
	}
	key := core.NewSessionKey(route(r.chat), p.ID)
	s, err := r.gate.Store.Rehydrate(r.t.Context(), key, "nikki")
	if err != nil {
		r.t.Fatal(err)
	}
	b, err := r.gate.Store.BeginStep(r.t.Context(), store.BeginStep{Key: core.StepKey{Owner: core.SessionOwner(s.Session), Turn: s.NextTurn, Step: 1}, Session: key, Rows: store.ClaimAll})
	if err != nil {
		r.t.Fatal(err)
	}
	var list []string
	for _, m := range b.Transcript {
		list = append(list, anID.ReplaceAllString(core.Unmarked(m.Text), "a-…"))
	}
	return list
}

var anID = regexp.MustCompile(`\ba-[2-9a-z]{8}\b`)

// TestFiles proves that what people send is read from Telegram and kept, and what
// becomes of a message whose file cannot be had.
func TestFiles(t *testing.T) {
	t.Parallel()
	pdf := platform.Post{Text: "read it", Document: []byte("%PDF-1.7\nto Oslo"), Name: "night-train.pdf"}
	large := pdf
	large.Size = 25_000_000
	lying := pdf
	lying.Document, lying.Size = make([]byte, 31_000_000), 7
	const taken = "read it\n[attached: night-train.pdf, application/pdf, 16 bytes, a-…]"
	tests := []struct {
		name   string
		post   platform.Post
		prior  func(*platform.Server)
		agent  string
		person string
		loads  int
	}{
		{"a document", pdf, nil, taken, "", 1},
		{"a photo, the largest", platform.Post{Photo: []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")}, nil, "[attached: photo.jpg, image/png, 16 bytes, a-…]", "", 1},
		{"more than bots get", large, nil, "read it\n[attached and not taken, for it is too large: at most 20 MB: night-train.pdf]", "night-train.pdf is too large. I can take at most 20 MB", 0},
		{"more than it says", lying, nil, "read it\n[attached and not taken, for it is too large: at most 20 MB: night-train.pdf]", "night-train.pdf is too large", 0},
		{"expired", pdf, func(s *platform.Server) { s.Expire() }, "read it\n[attached and not there any more: night-train.pdf]", "I could not open night-train.pdf", 0},
		{"trouble for a moment", pdf, func(s *platform.Server) {
			s.Order("getFile", platform.Fault{Kind: platform.Broken})
			s.Order("download", platform.Fault{Kind: platform.DieAfter})
		}, taken, "", 2},
		{"trouble that does not end", pdf, func(s *platform.Server) {
			s.Order("download", platform.Fault{Kind: platform.Broken}, platform.Fault{Kind: platform.Broken}, platform.Fault{Kind: platform.DieAfter})
		}, "read it\n[attached, and it could not be fetched: night-train.pdf]", "I could not open night-train.pdf", 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, service.AccessOpen)
			r.server.Post(r.chat, r.ana, tt.post)
			r.server.Write(r.chat, r.ana, "and this")
			if tt.prior != nil {
				tt.prior(r.server)
			}
			r.start()
			r.confirmed()
			if read := r.reads(); len(read) != 2 || read[0] != tt.agent || read[1] != "and this" {
				t.Errorf("the agent reads %q, want %q", read, tt.agent)
			}
			lines := r.delivered(r.chat)
			if tt.person == "" && len(lines) > 0 || tt.person != "" && (len(lines) != 1 || !strings.HasPrefix(lines[0].Text, tt.person)) {
				t.Errorf("Ana reads %+v, want %q", lines, tt.person)
			}
			if n := len(r.server.Calls("download")); n != tt.loads {
				t.Errorf("%d downloads, want %d", n, tt.loads)
			}
			if strings.Contains(r.gate.Log(), r.bot.Token) {
				t.Error("the token is in the log")
			}
		})
	}
}

// TestFileOnce proves that a message that is delivered again, after a crash, is
// neither taken twice nor downloaded twice.
func TestFileOnce(t *testing.T) {
	r := newRig(t, service.AccessOpen)
	r.server.Post(r.chat, r.ana, platform.Post{Document: []byte("to Oslo"), Name: "plan.txt"})
	r.start()
	r.confirmed()
	r.stop()
	r.server.Repeat(r.bot, 1)
	r.start()
	r.until("it came again", func() bool { return len(r.gate.Arrivals()) == 2 })
	r.confirmed()
	if read := r.reads(); len(read) != 1 || read[0] != "[attached: plan.txt, text/plain, 7 bytes, a-…]" {
		t.Errorf("the agent reads %q", read)
	}
	if n := len(r.server.Calls("download")); n != 1 {
		t.Errorf("%d downloads", n)
	}
}

// TestAlbumOnce proves that what is wrong with an album is told once.
func TestAlbumOnce(t *testing.T) {
	r := newRig(t, service.AccessOpen)
	for range 4 {
		r.server.Post(r.chat, r.ana, platform.Post{Video: []byte("x"), Name: "film.mp4", Size: 50_000_000, Album: "7"})
	}
	r.start()
	r.confirmed()
	if lines := r.delivered(r.chat); len(lines) != 1 || !strings.Contains(lines[0].Text, "20 MB") {
		t.Errorf("Ana reads %+v", lines)
	}
}

// TestRepliesToOurs proves that a reply on Telegram says what it is about.
func TestRepliesToOurs(t *testing.T) {
	r := newRig(t, service.AccessOpen)
	r.server.Write(r.chat, r.ana, "/whoami")
	r.start()
	r.confirmed()
	lines := r.delivered(r.chat)
	if len(lines) != 1 {
		t.Fatalf("Ana reads %+v", lines)
	}
	r.server.Post(r.chat, r.ana, platform.Post{Text: "who says so?", ReplyTo: lines[0].ID})
	r.until("the reply came", func() bool { return len(r.gate.Arrivals()) == 2 })
	r.confirmed()
	if read := r.reads(); len(read) != 1 || !strings.HasPrefix(read[0], `[in reply to: errand: "You are Ana`) || !strings.HasSuffix(read[0], "\nwho says so?") {
		t.Errorf("the agent reads %q", read)
	}
}
