package intake_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"errand/internal/intake"
	"errand/internal/probe"
	"errand/internal/store"
	"errand/internal/test/intaketest"
)

// TestADaysFiles proves that whoever has sent all the files of a day is told the
// limit, once a minute, and that their words are taken all the same.
func TestADaysFiles(t *testing.T) {
	tests := []struct {
		name   string
		limits store.FileLimits
		told   string
		agent  string
	}{
		{"of a person", store.FileLimits{PersonDay: 20}, "it would exceed the 20 bytes of files that I take from you in a day", "it is more than they may send in a day: at most 20 bytes"},
		{"of everybody", store.FileLimits{PersonDay: 1000, Day: 20}, "it would exceed the 20 bytes of files that I take from everyone together", "it is more than is taken here in a day: at most 20 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDoorWith(t, store.Limits{Files: tt.limits}, limited(1000))
			send := func(words string, p *parcel) intake.Outcome {
				in := d.with(words, p)
				in.Sender.Language = "en"
				out, err := d.Receive(t.Context(), in)
				if err != nil {
					t.Fatal(err)
				}
				return out
			}
			send("keep this", text("a.txt", "123456789012345"))
			more := text("b.txt", "123456")
			send("and this", more)
			if out := send("", &parcel{name: "film.mp4", size: 500, data: endless{}}); out.Refused == "" {
				t.Errorf("nothing but a film was taken: %+v", out)
			}
			send("that fits", text("c.txt", "12345"))
			full := text("d.txt", "")
			send("and now", full)
			read := d.reads()
			if len(read) != 4 || !strings.Contains(read[0], "[attached: a.txt") || !strings.HasSuffix(read[1], tt.agent+": b.txt]") ||
				!strings.Contains(read[2], "[attached: c.txt") || !strings.HasPrefix(read[3], "and now\n[attached and not taken") {
				t.Errorf("the agent reads %q", read)
			}
			if notices := d.notices(); len(notices) != 1 || !strings.Contains(notices[0], tt.told) || !strings.Contains(notices[0], "b.txt") {
				t.Errorf("they are told %q", notices)
			}
			if more.read > 6 || full.opened > 0 {
				t.Errorf("%d bytes were read, and what had no room was fetched %d times", more.read, full.opened)
			}
		})
	}
}

// TestFlood proves that two hundred messages at once, each with a file that is
// as large as may be, are in memory one after the other and on the disk only as
// far as a day's bytes go, that nothing of the words is lost, and that the flood is
// not answered with one.
func TestFlood(t *testing.T) {
	const size, messages, downloads = 20_000, 200, 3
	var mu sync.Mutex
	now, most := 0, 0
	d := newDoorWith(t, store.Limits{Files: store.FileLimits{PersonDay: 10 * size}}, func(deps *intaketest.Deps) {
		deps.AttachmentBytes, deps.Downloads = size, downloads
		deps.Probe = func(point probe.Point) {
			mu.Lock()
			defer mu.Unlock()
			switch point {
			case probe.BeforeInbox:
				now++
				most = max(most, now)
			case probe.AfterInbox:
				now--
			}
		}
	})
	arrivals := make([]intake.Inbound, messages)
	for i := range arrivals {
		file := text("photo.jpg", strings.Repeat("x", size)) // no size is claimed: only reading it tells
		arrivals[i] = d.with(fmt.Sprint("look at ", i), file)
	}
	var wg sync.WaitGroup
	for _, in := range arrivals {
		wg.Go(func() {
			if _, err := d.Receive(t.Context(), in); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	d.reads() // a step takes a hundred
	read := d.reads()
	files := 0
	for _, text := range read {
		if strings.Contains(text, "[attached: photo.jpg") {
			files++
		}
	}
	if len(read) != messages || files != 10 || most > downloads {
		t.Errorf("the agent reads %d messages with %d files, and %d were in memory at once", len(read), files, most)
	}
	if notices := d.notices(); len(notices) != 1 {
		t.Errorf("they are told %d times", len(notices))
	}
}
