package whatsapp_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"

	"errand/internal/channels/whatsapp"
	"errand/internal/intake"
	"errand/internal/service"
	"errand/internal/test/intaketest"
)

// TestFiles proves that a file that can never be had, one that is longer than is
// taken, and one that cannot be had just now are told apart.
func TestFiles(t *testing.T) {
	tests := []struct {
		name   string
		most   int64
		codes  []int                       // with which WhatsApp answers
		madeUp func(m *waE2E.ImageMessage) // what the sender says of it
		want   string                      // empty: it is there
	}{
		{name: "just as long as is taken", most: 5000},
		{name: "longer than is taken", most: 1000, want: "too large"},
		{name: "gone", codes: []int{404}, want: "gone"},
		{name: "expired", codes: []int{410}, want: "gone"},
		{name: "not ours to see", codes: []int{403}, want: "gone"},
		{name: "an address that is none", codes: []int{400}, want: "gone"},
		{name: "another key", madeUp: func(m *waE2E.ImageMessage) { m.MediaKey = bytes.Repeat([]byte{7}, 32) }, want: "gone"},
		{name: "no key", madeUp: func(m *waE2E.ImageMessage) { m.MediaKey = nil }, want: "gone"},
		{name: "another hash", madeUp: func(m *waE2E.ImageMessage) { m.FileSHA256 = make([]byte, 32) }, want: "gone"},
		{name: "another hash of what is stored", madeUp: func(m *waE2E.ImageMessage) { m.FileEncSHA256 = make([]byte, 32) }, want: "gone"},
		{name: "a hash that is none", madeUp: func(m *waE2E.ImageMessage) { m.FileEncSHA256 = []byte("no") }, want: "gone"},
		{name: "no hash", madeUp: func(m *waE2E.ImageMessage) { m.FileEncSHA256, m.FileSHA256 = nil, nil }, want: "gone"},
		{name: "nowhere", madeUp: func(m *waE2E.ImageMessage) { m.DirectPath = nil }, want: "gone"},
		{name: "on somebody's own server", madeUp: func(m *waE2E.ImageMessage) { m.DirectPath = ptr("https://evil.example/x") }, want: "gone"},
		{name: "an address with rubbish in it", madeUp: func(m *waE2E.ImageMessage) { m.DirectPath = ptr("/v/\x00 %zz") }, want: "gone"},
		{name: "not just now", codes: []int{507}, want: "fetch a file"},
		{name: "not now, nor seconds later", codes: []int{503, 503, 503, 503, 503}, want: "fetch a file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, service.AccessOpen)
			r.options = func(o *whatsapp.Options) { o.MostAttachment = tt.most }
			r.connect()
			r.image(tt.madeUp)
			// The intake opens it too, or not: this is for the one below.
			r.until("it came", func() bool { return len(r.gate.Arrivals()) == 1 })
			r.server.OrderMedia(tt.codes...)
			f, err := r.gate.Arrivals()[0].Attachments[0].Open(t.Context())
			if tt.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				if data, err := io.ReadAll(f); err != nil || len(data) != 5000 {
					t.Errorf("it has %d bytes, %v", len(data), err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) || errors.Is(err, intake.ErrGone) != (tt.want == "gone") ||
				errors.As(err, new(*intake.TooLargeError)) != (tt.want == "too large") {
				t.Errorf("it is %v", err)
			}
		})
	}
}

func ptr[T any](v T) *T { return &v }

// image is Ana sending a picture of 5,000 bytes, of which she may say anything.
func (r *rig) image(madeUp func(*waE2E.ImageMessage)) {
	r.t.Helper()
	ctx, us := r.t.Context(), r.account.JID()
	var err error
	if madeUp == nil {
		_, err = r.ana.SendImage(ctx, us, "image/png", make([]byte, 5000), "")
	} else {
		var m *waE2E.Message
		if m, err = r.ana.Image(ctx, "image/png", make([]byte, 5000), ""); err == nil {
			madeUp(m.ImageMessage)
			_, err = r.ana.Send(ctx, us, m)
		}
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// TestBrokenFile proves that a file that cannot be opened costs the account no
// connection: its sender is told, and what comes behind it is taken in.
func TestBrokenFile(t *testing.T) {
	r := newRig(t, service.AccessOpen, func(d *intaketest.Deps) { d.AttachmentBytes = 20_000_000 })
	r.connect()
	logins := r.account.Logins()
	r.image(func(m *waE2E.ImageMessage) { m.MediaKey = make([]byte, 32) })
	r.write(r.ana, r.account.JID(), "and?")
	r.accepted(2)
	if notices := r.notices(); !slices.Equal(notices, []string{"I could not open file.png: it arrived incomplete or is no longer available. Please send it again."}) {
		t.Errorf("Ana is told %q", notices)
	}
	if in := r.inbox(anasChat, r.gate.Outcomes()[0].Person); !slices.Equal(in, []string{"and?"}) {
		t.Errorf("the session has %q", in)
	}
	if n := r.account.Logins(); n != logins {
		t.Errorf("it has logged in %d times more", n-logins)
	}
}

type nothing struct{}

func (nothing) RoundTrip(req *http.Request) (*http.Response, error) {
	<-req.Context().Done()
	return nil, req.Context().Err()
}

// TestSlowFile proves that a file that does not come costs neither its words nor
// the connection, and that its sender is told.
func TestSlowFile(t *testing.T) {
	r := newRig(t, service.AccessOpen, func(d *intaketest.Deps) { d.AttachmentBytes, d.Fetching = 20_000_000, 200*time.Millisecond })
	r.options = func(o *whatsapp.Options) {
		o.Prepare = func(cli *whatsmeow.Client) {
			r.server.Configure(cli)
			cli.SetMediaHTTPClient(&http.Client{Transport: nothing{}})
		}
	}
	r.connect()
	logins := r.account.Logins()
	r.sent(r.ana.SendImage(t.Context(), r.account.JID(), "image/png", make([]byte, 5000), "what is it?"))
	r.write(r.ana, r.account.JID(), "and?")
	r.accepted(2)
	if notices := r.notices(); len(notices) != 1 || !strings.Contains(notices[0], "it took too long") {
		t.Errorf("Ana is told %q", notices)
	}
	if read := r.reads(anasChat, r.gate.Outcomes()[0].Person); !slices.Equal(read, []string{"what is it?\n[attached, and it took too long to fetch: file.png]", "and?"}) {
		t.Errorf("the agent reads %q", read)
	}
	if n := r.account.Logins(); n != logins {
		t.Errorf("it has logged in %d times more", n-logins)
	}
}
