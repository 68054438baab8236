package whatsapp

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types/events"
	"google.golang.org/protobuf/proto"

	"errand/internal/channels"
)

// TestRest proves how long an account rests, by why its connection ended: where
// trying would do harm, for long; otherwise longer each time, up to a limit.
func TestRest(t *testing.T) {
	o := Options{Pause: time.Second, LongestPause: 30 * time.Second, Truce: 5 * time.Minute}
	tests := []struct {
		name        string
		e           ending
		least, most time.Duration
	}{
		{"replaced", ending{event: &events.StreamReplaced{}}, 5 * time.Minute, 5 * time.Minute},
		{"banned", ending{event: &events.TemporaryBan{Code: 101, Expire: 3 * time.Hour}}, 3 * time.Hour, 3 * time.Hour},
		{"banned for ever so short", ending{event: &events.TemporaryBan{Expire: time.Second}}, 5 * time.Minute, 5 * time.Minute},
		{"banned for ever so long", ending{event: &events.TemporaryBan{Expire: 1000 * time.Hour}}, 24 * time.Hour, 24 * time.Hour},
		{"too old", ending{event: &events.ClientOutdated{}}, 5 * time.Minute, 5 * time.Minute},
		{"broke", ending{event: &events.Disconnected{}}, 750 * time.Millisecond, time.Second},
		{"cannot be reached", ending{err: errors.New("no network")}, 750 * time.Millisecond, time.Second},
		{"nobody scans", ending{pair: true}, 750 * time.Millisecond, time.Second},
	}
	for _, tt := range tests {
		c := &Channel{Options: o, StatusReporter: channels.NewStatusReporter(slog.New(slog.DiscardHandler), nil)}
		if d := c.failed(tt.e); d < tt.least || d > tt.most {
			t.Errorf("%s: it rests for %s", tt.name, d)
		}
		for range 40 {
			c.failed(tt.e)
		}
		if d := c.failed(tt.e); d < max(tt.least, 22*time.Second) || d > max(tt.most, o.LongestPause) {
			t.Errorf("%s: after many times it rests for %s", tt.name, d)
		}
	}
}

// TestUnreachableForADay proves that a WhatsApp that cannot be reached for a day is
// said once, and not asked more often than every half minute or so.
func TestUnreachableForADay(t *testing.T) {
	var log bytes.Buffer
	c := &Channel{Options: Options{Pause: time.Second, LongestPause: 30 * time.Second}, StatusReporter: channels.NewStatusReporter(slog.New(slog.NewTextHandler(&log, nil)), nil)}
	c.Set(channels.Status{State: channels.Connected})
	tried := 0
	for rested := time.Duration(0); rested < 24*time.Hour; tried++ {
		rested += c.failed(ending{err: errors.New("no network")})
	}
	if s := c.Status(); s.State != channels.Degraded || !strings.Contains(s.Detail, "cannot be reached") {
		t.Errorf("it is %+v", s)
	}
	c.Set(channels.Status{State: channels.Connected})
	if text := log.String(); strings.Count(text, "level=WARN") != 1 || !strings.Contains(text, "connected again") || tried > 4500 {
		t.Errorf("it was tried %d times; it is said:\n%s", tried, text)
	}
}

// FuzzRead proves that whatever a message is made of, reading it ends well.
func FuzzRead(f *testing.F) {
	f.Add([]byte{}, "2")
	f.Add([]byte{0x0a, 5, 'h', 'e', 'l', 'l', 'o'}, "1.")
	wrap := &waE2E.Message{Conversation: proto.String("deep")}
	for range 20 {
		wrap = &waE2E.Message{EphemeralMessage: &waE2E.FutureProofMessage{Message: wrap}}
	}
	deep, err := proto.Marshal(wrap)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(deep, "99)")
	f.Fuzz(func(t *testing.T, data []byte, answer string) {
		var m waE2E.Message
		if proto.Unmarshal(data, &m) != nil {
			return
		}
		if s := read(&m); s != nil && s.text == "" && s.file == nil && s.unreadable == "" && !s.deleted {
			t.Errorf("it says nothing, and is taken in: %+v", s)
		}
		if choose(answer, &m) == "" && answer != "" {
			t.Errorf("%q is no answer any more", answer)
		}
	})
}
