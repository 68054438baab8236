package presence

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"errand/internal/core"
	"errand/internal/store"
	"errand/notifiers"
)

// A growing is a platform on which replies are shown while they are written. As Discord does, it
// returns the message that it has where it is to post one with the same key.
type growing struct {
	*platform
	style notifiers.PreviewStyle
	known map[string]string // ids of messages by key
	calls []string          // "id: text", in order
	at    []time.Time       // when
	fails []error           // of the next calls
	takes time.Duration     // how long a call takes
	stand time.Duration     // how long the process stands still before its next call
}

func (g *growing) PreviewStyle(core.Route) notifiers.PreviewStyle {
	g.mu.Lock()
	stand := g.stand
	g.stand = 0
	g.mu.Unlock()
	time.Sleep(stand)
	return g.style
}

func (g *growing) Preview(_ context.Context, n core.Notification, id string) (string, error) {
	time.Sleep(g.takes)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.calls, g.at = append(g.calls, id+": "+n.Text), append(g.at, time.Now())
	if len(g.fails) > 0 {
		err := g.fails[0]
		g.fails = g.fails[1:]
		if err != nil {
			return "", err
		}
	}
	if id == "" && g.style.Fades == 0 {
		if g.known[n.Key] == "" {
			g.known[n.Key] = "p" + strconv.Itoa(len(g.calls))
		}
		id = g.known[n.Key]
	}
	return id, nil
}

func (g *growing) shown() []string {
	return saw(g.platform, func(*platform) []string { return slices.Clone(g.calls) })
}

func (r *rig) grows(style notifiers.PreviewStyle) (*growing, func()) {
	g := &growing{platform: r.platform, style: style, known: map[string]string{}}
	_, stop := r.growsOn(g)
	return g, stop
}

func (r *rig) growsOn(g *growing) (*Presence, func()) {
	return r.run(func(o *Options) {
		o.Notifiers = &notifiers.Router{}
		o.Notifiers.Handle("test", g)
		o.Streams = func(core.Account) bool { return true }
		o.TypeEvery, o.SweepEvery = time.Minute, time.Minute
	})
}

const sentence = "the night train to Oslo leaves at ten in the evening and has beds; "

func (r *rig) write(turn int, text string) {
	r.store.Bus().Publish(core.Event{Type: core.EventDelta, Key: r.key, Session: r.session, Turn: turn, Agent: "nikki", Text: text})
}

func (r *rig) stopTurn(b *store.StepInput) {
	r.t.Helper()
	if err := r.store.CloseTurn(r.t.Context(), b.Key.Owner, b.Key.Turn, store.StoppedTurn); err != nil {
		r.t.Fatal(err)
	}
}

// TestPace proves that a reply is shown when there is enough of it, is changed no more often
// than its platform permits, and not any more once the turn is over.
func TestPace(t *testing.T) { play(t, testPace) }

func testPace(t *testing.T, r *rig) {
	g, _ := r.grows(notifiers.PreviewStyle{Every: 3 * time.Second})
	b := r.begin(1)
	began := time.Now()
	r.write(1, "Well, ")
	time.Sleep(10 * time.Second)
	if got := g.shown(); len(got) > 0 {
		t.Fatalf("so little is shown: %q", got)
	}
	for range 100 {
		r.write(1, sentence)
		time.Sleep(100 * time.Millisecond)
	}
	r.reply(b)
	time.Sleep(time.Minute)
	at := saw(r.platform, func(*platform) []time.Time { return slices.Clone(g.at) })
	for i := 2; i < len(at); i++ {
		if d := at[i].Sub(at[i-1]); d < 3*time.Second {
			t.Errorf("change %d comes after %s", i, d)
		}
	}
	if last := at[len(at)-1].Sub(began); len(at) < 4 || len(at) > 6 || last > 20*time.Second {
		t.Errorf("%d calls, the last after %s", len(at), last)
	}
	for i, got := range g.shown() {
		if id := "p1: "; i > 0 && !strings.HasPrefix(got, id+"Well, "+sentence) {
			t.Errorf("call %d shows %q", i, got)
		}
	}
	if got := r.replyOf(1).Replaces; got != "p1" {
		t.Errorf("the reply is told in the place of %q", got)
	}
}

// TestShort proves that what is written within a second is not shown before it is told.
func TestShort(t *testing.T) { play(t, testShort) }

func testShort(t *testing.T, r *rig) {
	g, _ := r.grows(notifiers.PreviewStyle{Every: time.Second})
	b := r.begin(1)
	for range 8 {
		r.write(1, sentence)
		time.Sleep(100 * time.Millisecond)
	}
	r.reply(b)
	time.Sleep(time.Minute)
	if got := g.shown(); len(got) > 0 {
		t.Errorf("it is shown: %q", got)
	}
}

// TestStoodStill proves that a process that stood still while it had a reply to show does not
// come behind the reply with half of it.
func TestStoodStill(t *testing.T) { play(t, testStoodStill) }

func testStoodStill(t *testing.T, r *rig) {
	g, _ := r.grows(notifiers.PreviewStyle{Every: time.Second})
	b := r.begin(1)
	time.Sleep(500 * time.Millisecond) // by then the turn is followed
	g.mu.Lock()
	g.stand = 6 * time.Second
	g.mu.Unlock()
	for range 20 {
		r.write(1, sentence)
		time.Sleep(100 * time.Millisecond)
	}
	time.Sleep(3500 * time.Millisecond)
	r.reply(b)
	time.Sleep(time.Minute)
	if got := g.shown(); len(got) > 0 {
		t.Errorf("it is shown behind the reply: %q", got)
	}
}

// TestAskedToWait proves that nothing is shown before the time that a platform asks to wait
// is over, and that the next that is shown is all that was written.
func TestAskedToWait(t *testing.T) { play(t, testAskedToWait) }

func testAskedToWait(t *testing.T, r *rig) {
	g, _ := r.grows(notifiers.PreviewStyle{Every: time.Second})
	g.fails = []error{nil, &notifiers.SendError{Outcome: notifiers.NotSent, RetryAfter: 7 * time.Second, Err: fmt.Errorf("too many")}}
	b := r.begin(1)
	for range 100 {
		r.write(1, sentence)
		time.Sleep(100 * time.Millisecond)
	}
	r.until("it goes on", func() bool { return len(g.shown()) >= 3 })
	at := saw(r.platform, func(*platform) []time.Time { return slices.Clone(g.at) })
	if d := at[2].Sub(at[1]); d < 7*time.Second || d > 8*time.Second {
		t.Errorf("it is called again after %s", d)
	}
	r.reply(b)
}

// TestDeletes proves that the message of a turn that was stopped is deleted: one that was there,
// and one that the platform takes only after that.
func TestDeletes(t *testing.T) {
	for name, takes := range map[string]time.Duration{"there": 0, "under way": 2 * time.Second} {
		t.Run(name, func(t *testing.T) {
			play(t, func(t *testing.T, r *rig) {
				g, _ := r.grows(notifiers.PreviewStyle{Every: time.Second})
				g.takes = takes
				b := r.begin(1)
				r.write(1, sentence)
				time.Sleep(1500 * time.Millisecond) // it is shown after one second
				r.stopTurn(b)
				time.Sleep(time.Minute)
				rows, err := r.store.Deliveries(t.Context(), nil, store.Page{})
				if err != nil || len(rows) != 1 || !rows[0].Deletes() || rows[0].Replaces != "p1" || rows[0].Route != r.route || len(g.shown()) != 1 {
					t.Errorf("%+v, %v, after %q", rows, err, g.shown())
				}
			})
		})
	}
}

// TestSettle proves that a delivery can wait for the call that is under way when its turn ends, and
// then knows the message, and that no call comes behind it.
func TestSettle(t *testing.T) { play(t, testSettle) }

func testSettle(t *testing.T, r *rig) {
	g := &growing{platform: r.platform, style: notifiers.PreviewStyle{Every: time.Second}, known: map[string]string{}, takes: 2 * time.Second}
	p, _ := r.growsOn(g)
	b := r.begin(1)
	r.write(1, sentence)
	time.Sleep(1500 * time.Millisecond)
	r.reply(b)
	if got := r.replyOf(1).Replaces; got != "" {
		t.Errorf("it knows the message %q before the platform has it", got)
	}
	if !p.Settle(t.Context(), r.route) || len(g.shown()) != 1 || r.replyOf(1).Replaces != "p1" {
		t.Errorf("it has waited for %q, and is told in the place of %q", g.shown(), r.replyOf(1).Replaces)
	}
	time.Sleep(time.Minute)
	if p.Settle(t.Context(), r.route) || len(g.shown()) != 1 {
		t.Errorf("behind it is shown %q", g.shown()[1:])
	}
}

// TestKept proves that the id of a message is stored after all where the store could not take it in
// time, and the turn has ended since.
func TestKept(t *testing.T) { play(t, testKept) }

func testKept(t *testing.T, r *rig) {
	g := &growing{platform: r.platform, style: notifiers.PreviewStyle{Every: time.Second}, known: map[string]string{}}
	p, _ := r.growsOn(g)
	b := r.begin(1)
	stores := "UPDATE turns SET growing"
	r.slow.Store(&stores)
	r.write(1, sentence)
	r.until("it is shown", func() bool { return len(g.shown()) > 0 })
	if !p.Settle(t.Context(), r.route) {
		t.Error("the store is not called")
	}
	if got, _, err := r.store.GrowingReply(t.Context(), r.session, 1); err != nil || got.Message != "" {
		t.Errorf("the store has %+v, %v", got, err)
	}
	r.reply(b)
	time.Sleep(time.Second)
	if n := r.replyOf(1); n.Replaces != "p1" || len(g.shown()) != 1 {
		t.Errorf("the reply is told in the place of %q, after %q", n.Replaces, g.shown())
	}
}

func (r *rig) replyOf(turn int) core.Notification {
	r.t.Helper()
	rows, err := r.store.Deliveries(r.t.Context(), nil, store.Page{})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, n := range rows {
		if strings.HasSuffix(n.Key, fmt.Sprintf(":%d", turn)) {
			return n
		}
	}
	r.t.Fatalf("turn %d has no reply: %+v", turn, rows)
	return core.Notification{}
}

// TestShownByAnother proves that a process which goes on with a turn changes the message whose id
// the one before it has stored, also where it would show the reply otherwise, and that the reply
// is told in its place; and that a process sends no second one if it does not know whether there
// is a first.
func TestShownByAnother(t *testing.T) {
	messages := notifiers.PreviewStyle{Every: time.Second}
	for _, c := range []struct {
		name  string
		first error
		then  notifiers.PreviewStyle // of the second process
		want  string                 // the message that the second process changes first, and that the reply replaces
	}{
		{"stored", nil, messages, "p1"},
		{"stored, and the second would show what fades", nil, notifiers.PreviewStyle{Every: time.Second, Fades: 30 * time.Second}, "p1"},
		{"unknown", &notifiers.SendError{Outcome: notifiers.Unknown, Err: fmt.Errorf("no answer")}, messages, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, func(t *testing.T, r *rig) {
				g, stop := r.grows(messages)
				g.fails = []error{c.first}
				b := r.begin(1)
				r.write(1, sentence)
				r.until("it is shown", func() bool { return len(g.shown()) > 0 })
				if c.first != nil {
					time.Sleep(2 * time.Minute)
					if got := g.shown(); len(got) > 1 {
						t.Errorf("it sends %q again", got)
					}
				}
				stop()
				before := len(g.shown())
				g.style = c.then
				r.growsOn(g)
				r.step(1)
				r.write(1, sentence)
				time.Sleep(20 * time.Second)
				if got := g.shown()[before:]; len(got) == 0 || !strings.HasPrefix(got[0], c.want+": ") {
					t.Errorf("it does %q, want something with %q", got, c.want)
				}
				if n := r.endTurn(b); c.want != "" && n.Replaces != c.want {
					t.Errorf("the reply is told in the place of %q", n.Replaces)
				}
			})
		})
	}
}

// endTurn ends a turn with its reply and returns the row that has it.
func (r *rig) endTurn(b *store.StepInput) core.Notification {
	r.t.Helper()
	r.reply(b)
	return r.replyOf(b.Key.Turn)
}

// TestFades proves that what fades is shown again before it does, for as long as the turn
// runs, and leaves nothing to be deleted.
func TestFades(t *testing.T) { play(t, testFades) }

func testFades(t *testing.T, r *rig) {
	g, _ := r.grows(notifiers.PreviewStyle{Every: time.Second, Fades: 30 * time.Second})
	b := r.begin(1)
	r.write(1, sentence)
	time.Sleep(2 * time.Minute)
	if n := len(g.shown()); n < 5 || n > 7 {
		t.Errorf("it is shown %d times in two minutes", n)
	}
	r.stopTurn(b)
	time.Sleep(2 * time.Minute)
	if left, err := r.store.Deliveries(t.Context(), nil, store.Page{}); err != nil || len(left) > 0 {
		t.Errorf("%+v is to be deleted, %v", left, err)
	}
}

// TestBelow proves that the message in which a reply grows is deleted when a question is asked, and
// that the reply is shown in a new one below.
func TestBelow(t *testing.T) { play(t, testBelow) }

func testBelow(t *testing.T, r *rig) {
	g, _ := r.grows(notifiers.PreviewStyle{Every: time.Second})
	b := r.begin(1)
	r.write(1, sentence)
	r.until("it is shown", func() bool { return len(g.shown()) > 1 })
	if _, err := r.store.Answer(t.Context(), core.Notification{Key: "asks", Route: r.route, Session: r.key, Event: core.EventQuestion, Text: "Which day?"}); err != nil {
		t.Fatal(err)
	}
	before := len(g.shown())
	r.write(1, sentence)
	r.until("it is shown below", func() bool { return len(g.shown()) > before+1 })
	below := strings.SplitN(g.shown()[before+1], ":", 2)[0]
	if got := g.shown()[before]; !strings.HasPrefix(got, ": ") || below == "p1" {
		t.Errorf("it is shown as %q, then in %q", got, below)
	}
	rows, err := r.store.Deliveries(t.Context(), nil, store.Page{})
	if err != nil || len(rows) != 2 || !rows[0].Deletes() || rows[0].Replaces != "p1" || rows[1].Replaces != "" {
		t.Errorf("there are %+v, %v", rows, err)
	}
	if n := r.endTurn(b); n.Replaces != below {
		t.Errorf("the reply is told in the place of %q", n.Replaces)
	}
}
