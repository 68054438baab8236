package intake_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"errand/internal/intake"
	"errand/internal/test/intaketest"
)

// A stall is an attachment of which nothing comes, and that ends with whoever
// waits for it.
type stall struct {
	opens  int
	opened func() // called when it is waited for
	body   bool   // it is not the beginning that does not come
}

func (s *stall) attachment(name string) intake.Attachment {
	return intake.Attachment{Name: name, Open: func(ctx context.Context) (io.ReadCloser, error) {
		s.opens++
		if s.body {
			return io.NopCloser(stalled{ctx}), nil
		}
		if s.opened != nil {
			s.opened()
		}
		<-ctx.Done()
		return nil, errors.New("the connection was closed") // as a library may put it
	}}
}

type stalled struct{ ctx context.Context }

func (s stalled) Read([]byte) (int, error) {
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

func impatient(d time.Duration) func(*intaketest.Deps) {
	return func(deps *intaketest.Deps) { deps.AttachmentBytes, deps.Fetching = 1000, d }
}

// TestSlowFile proves that a file that does not come costs nobody their words: the
// message is taken without it at once, its sender reads so, and no file that is
// there is left out for it.
func TestSlowFile(t *testing.T) {
	test := func(t *testing.T, body bool) {
		t.Parallel()
		d := newDoor(t, impatient(2*time.Second))
		slow := &stall{body: body}
		in := d.with("look at this")
		in.Sender.Language = "en"
		in.Attachments = []intake.Attachment{slow.attachment("film.mp4"), text("a.txt", "here").attachment()}
		for range 2 {
			if out, err := d.Receive(t.Context(), in); err != nil || out.Refused != "" {
				t.Fatalf("Receive: %+v, %v", out, err)
			}
		}
		read := d.reads()
		if len(read) != 1 || !strings.HasPrefix(read[0], "look at this\n") || !strings.Contains(read[0], "[attached: a.txt, text/plain, 4 bytes, ") ||
			!strings.Contains(read[0], "[attached, and it took too long to fetch: film.mp4]") {
			t.Errorf("the agent reads %q", read)
		}
		if notices := d.notices(); !slices.Equal(notices, []string{"I could not download film.mp4: it took too long, so I continued without it. Please send it again."}) {
			t.Errorf("they are told %q", notices)
		}
		if slow.opens != 1 {
			t.Errorf("it was asked for %d times", slow.opens)
		}
	}
	t.Run("it does not begin", func(t *testing.T) { test(t, false) })
	t.Run("it stops", func(t *testing.T) { test(t, true) })
}

// TestSlowInAll proves that the time for a message is one, however often it is
// received: a platform that does not wait for so long delivers it again.
func TestSlowInAll(t *testing.T) { synctest.Test(t, slowInAll) }

func slowInAll(t *testing.T) {
	d := newDoor(t, impatient(300*time.Millisecond))
	hangUp := func() {}
	slow := &stall{opened: func() { time.AfterFunc(100*time.Millisecond, hangUp) }}
	in := d.with("look at this")
	in.Attachments = []intake.Attachment{slow.attachment("film.mp4")}
	times := 0
	for received := false; !received; times++ {
		if times == 20 {
			t.Fatal("it is received for ever")
		}
		var ctx context.Context
		ctx, hangUp = context.WithCancel(t.Context())
		_, err := d.Receive(ctx, in)
		hangUp()
		received = err == nil
	}
	if read := d.reads(); times < 2 || len(read) != 1 || read[0] != "look at this\n[attached, and it took too long to fetch: film.mp4]" {
		t.Errorf("after %d times the agent reads %q", times, read)
	}
	if notices := d.notices(); len(notices) != 1 {
		t.Errorf("they are told %q", notices)
	}
}

// TestSlowAccount proves that the slow files of an account hold up none of another
// one's, and that a message which waits for its turn is taken when it comes.
func TestSlowAccount(t *testing.T) {
	d := newDoor(t, func(deps *intaketest.Deps) { deps.AttachmentBytes, deps.Downloads = 1000, 1 })
	waited := make(chan struct{})
	slow := &stall{opened: func() { close(waited) }}
	first := d.with("first")
	first.Attachments = []intake.Attachment{slow.attachment("film.mp4")}
	second := d.with("second", text("b.txt", "b"))
	third := d.with("third", text("c.txt", "c"))
	third.Route.Account = "other"
	ctx, hangUp := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := d.Receive(ctx, first)
		ended <- err
	}()
	<-waited
	patience, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := d.Receive(patience, third); err != nil {
		t.Errorf("another account's: %v", err)
	}
	behind := make(chan error, 1)
	go func() {
		_, err := d.Receive(t.Context(), second)
		behind <- err
	}()
	select {
	case err := <-behind:
		t.Errorf("there was room for the one behind it: %v", err)
	case <-patience.Done():
	default:
	}
	hangUp()
	if err := <-ended; err == nil {
		t.Error("the first was taken")
	}
	if err := <-behind; err != nil {
		t.Errorf("the one behind it: %v", err)
	}
	if read := d.reads(); len(read) != 1 || !strings.HasPrefix(read[0], "second\n[attached: b.txt") {
		t.Errorf("the agent reads %q", read)
	}
}
