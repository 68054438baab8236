package telegram_test

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"errand/internal/channels"
	"errand/internal/channels/telegram"
	"errand/internal/intake"
	platform "errand/internal/test/sim/telegram"
)

// A wire leads to a platform in the same bubble, and can be cut.
type wire struct {
	to    http.Handler
	cut   atomic.Bool
	tried atomic.Int64 // while it was cut
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	if w.cut.Load() {
		w.tried.Add(1)
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.EHOSTUNREACH}
	}
	rec := httptest.NewRecorder()
	w.to.ServeHTTP(rec, r)
	return rec.Result(), nil
}

// A taker takes in whatever comes.
type taker struct {
	mu    sync.Mutex
	texts []string
	sent  []time.Time
}

func (k *taker) Receive(_ context.Context, in intake.Inbound) (intake.Outcome, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.texts, k.sent = append(k.texts, in.Text), append(k.sent, in.Sent)
	return intake.Outcome{}, nil
}

type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

// TestUnreachableForADay proves that a Telegram that cannot be reached for a day is
// seen as that all the time, said once, asked no more often than every half minute
// or so, and that everything written meanwhile comes in, in order, and with when it was.
func TestUnreachableForADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := platform.New(platform.Options{})
		bot := server.AddBot("errand_bot")
		ana := server.AddPerson(platform.Person{Name: "Ana"})
		chat := server.Start(ana, bot)
		line, gate, log := &wire{to: server}, &taker{}, &lockedBuffer{}
		c, err := telegram.New(telegram.Options{Account: "main", Token: bot.Token, URL: "http://telegram", Client: &http.Client{Transport: line}, Receiver: gate,
			Logger: slog.New(slog.NewTextHandler(log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var done sync.WaitGroup
		done.Go(func() { c.Run(ctx) })
		defer done.Wait()
		defer cancel()
		pass := func(d time.Duration, want channels.State) { // in the bubble, where it takes no time
			t.Helper()
			time.Sleep(d)
			if s := c.Status(); s.State != want {
				t.Fatalf("it is %+v, want %s", s, want)
			}
		}
		pass(70*time.Second, channels.Connected) // in the midst of a poll: at its end, either could be first
		line.cut.Store(true)
		pass(time.Hour, channels.Degraded)
		id, sent := server.Write(chat, ana, "in the morning"), []time.Time{time.Now()}
		pass(12*time.Hour, channels.Degraded)
		server.Write(chat, ana, "in the evening")
		sent = append(sent, time.Now())
		pass(time.Hour, channels.Degraded)
		server.Edit(chat, id, "this morning")
		sent = append(sent, time.Now())
		pass(10*time.Hour, channels.Degraded)
		line.cut.Store(false)
		pass(time.Minute, channels.Connected)
		gate.mu.Lock()
		defer gate.mu.Unlock()
		if want := []string{"in the morning", "in the evening", "this morning"}; !slices.Equal(gate.texts, want) {
			t.Errorf("there came %q, want %q", gate.texts, want)
		}
		if !slices.EqualFunc(gate.sent, sent, time.Time.Equal) {
			t.Errorf("it was written at %v, want %v", gate.sent, sent)
		}
		if n := line.tried.Load(); n < 2000 || n > 4500 {
			t.Errorf("it was tried %d times in a day", n)
		}
		text := log.String()
		if strings.Count(text, "level=WARN") != 1 || !strings.Contains(text, "cannot be reached") || !strings.Contains(text, `msg="connected again"`) {
			t.Errorf("it is said:\n%s", text)
		}
		// It is seen when the poll ends, and over at the next attempt: each half a minute at most.
		if off := awayFor(t, text) - 24*time.Hour; off.Abs() > 30*time.Second {
			t.Errorf("it is off by %v, how long it was away:\n%s", off, text)
		}
	})
}

// awayFor is how long a log says that it was not connected.
func awayFor(t *testing.T, got string) time.Duration {
	t.Helper()
	_, text, _ := strings.Cut(got, " after=")
	text, _, _ = strings.Cut(text, "\n")
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Errorf("it is not said how long it was away: %v", err)
	}
	return d
}
