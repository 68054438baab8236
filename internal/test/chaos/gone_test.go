package chaos

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"errand/internal/core"
	"errand/internal/test/notifiertest"
)

// A gathering is a chat of people with our account that ends.
type gathering struct {
	how   string
	by    int    // who asks there for something
	chat  string // as errand calls it
	write func(text string)
	reads func() []string
	end   func()
	// open lets whoever asks there into a private chat with our account; nil: they
	// have one.
	open func()
}

func (w *world) outbox(ctx context.Context) (list []core.Notification) {
	if w.get(ctx, "/outbox", &list) != nil {
		return nil
	}
	return list
}

func elsewhere(s stage, person int) []string {
	return slices.DeleteFunc(hears(s, person), func(text string) bool { return !strings.Contains(text, "no longer write to the chat where you asked") })
}

// playGone ends chats in which somebody has a task under way. Whoever asked reads in
// private, once, where the result is, also after a crash and when somebody has what
// was refused tried again; and nothing comes in the chat that is gone. Who has no
// private chat with our account is told nowhere, and finds the result once they have.
func playGone(t *testing.T, s stage, f fault) count {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	w := begin(ctx, t, s, "", 1)
	start := time.Now()
	w.ledger.delay(sashas)
	var c count
	list := s.gatherings(t)
	refused, private := len(list), 0
	for _, g := range list {
		g.write("send Sasha")
		c.in++
		if g.open == nil {
			private++
		} else { // nor is the word in private taken
			refused++
		}
	}
	for _, g := range list {
		w.until(ctx, s, func() bool { return slices.Contains(g.reads(), "Sasha is at it") })
		g.end()
	}
	w.ledger.resume(sashas)
	blocked := func(after map[int64]int) func() bool {
		return func() bool {
			n := 0
			for _, row := range w.outbox(ctx) {
				if row.State.Open() { // killed now, it would be in doubt
					return false
				}
				if row.State == core.Blocked && row.Attempts > after[row.ID] {
					n++
				}
			}
			return n == refused && len(elsewhere(s, 1)) >= private
		}
	}
	w.until(ctx, s, blocked(nil))
	c.took = time.Since(start)
	w.worker.kill()
	w.startWorker("")
	tried := map[int64]int{}
	w.until(ctx, s, func() bool { return len(w.outbox(ctx)) > 0 })
	for _, row := range w.outbox(ctx) {
		if tried[row.ID] = row.Attempts; row.State != core.Blocked {
			continue
		}
		if err := w.post(ctx, "/outbox", url.Values{"retry": {fmt.Sprint(row.ID)}}); err != nil {
			t.Errorf("%d is not tried again: %v", row.ID, err)
		}
	}
	w.until(ctx, s, blocked(tried))
	if d, ok := s.(*discordStage); ok { // or what somebody writes for the first time may find no bot
		d.prepare(ctx, w)
	}
	tasks, err := w.tasks(ctx)
	if err != nil || len(tasks) != len(list) {
		t.Fatalf("there are %d tasks, %v", len(tasks), err)
	}
	for _, g := range list {
		if g.open != nil {
			g.open()
			s.write(t, g.by, "good morning")
			w.until(ctx, s, func() bool { return len(hears(s, g.by)) > 0 })
		}
		if lines := slices.DeleteFunc(g.reads(), notifiertest.IsProgress); !slices.Equal(lines, []string{"Sasha is at it"}) {
			c.wrong++
			t.Errorf("after %s there is %q", g.how, lines)
		}
	}
	// Each result is where its person is told that it is.
	for _, task := range tasks {
		i := slices.IndexFunc(list, func(g *gathering) bool { return g.chat == task.Origin.Chat })
		if i < 0 {
			t.Errorf("whose is %+v?", task)
			continue
		}
		by := list[i].by
		notices := slices.DeleteFunc(elsewhere(s, by), func(text string) bool { return !strings.Contains(text, "/task "+string(task.ID)) })
		want := 1
		if list[i].open != nil {
			want = 0
		}
		c.out += len(notices)
		c.lost += max(0, want-len(notices))
		c.duplicated += max(0, len(notices)-want)
		before := len(hears(s, by))
		s.write(t, by, "/task "+string(task.ID))
		w.until(ctx, s, func() bool { return len(hears(s, by)) > before })
		if text := hears(s, by)[before]; !strings.Contains(text, "two trains go to Oslo") {
			t.Errorf("/task says %q", text)
		}
	}
	c.doubtful = len(slices.DeleteFunc(slices.Concat(hears(s, 0), hears(s, 1)), func(text string) bool { return !strings.HasPrefix(text, again) }))
	if c.lost+c.duplicated+c.wrong+c.doubtful > 0 || t.Failed() {
		for p := range people {
			t.Errorf("%d reads %q", p, hears(s, p))
		}
		for _, row := range w.outbox(ctx) {
			t.Errorf("%s %s after %d: %s", row.Route, row.State, row.Attempts, row.Error)
		}
		t.Errorf("%s; log:\n%s", c, w.logs())
	}
	return c
}
