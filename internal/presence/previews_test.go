package presence

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"errand"
	"errand/internal/store"
	"errand/notifiers"
)

// A growing is a platform on which replies are shown while they are written.
type growing struct {
	*platform
	style notifiers.PreviewStyle
	calls []string      // "id: text", in order
	at    []time.Time   // when
	fails []error       // of the next calls
	gone  []string      // the ids that were taken away
	stand time.Duration // how long the process stands still before its next call
}

func (g *growing) PreviewStyle(errand.Route) notifiers.PreviewStyle {
	g.mu.Lock()
	stand := g.stand
	g.stand = 0
	g.mu.Unlock()
	time.Sleep(stand)
	return g.style
}

func (g *growing) Preview(_ context.Context, n errand.Notification, id string) (string, error) {
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
		id = "p" + strconv.Itoa(len(g.calls))
	}
	return id, nil
}

func (g *growing) RemovePreview(_ context.Context, _ errand.Route, id string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.gone = append(g.gone, id)
	return nil
}

func (g *growing) shown() []string {
	return saw(g.platform, func(*platform) []string { return slices.Clone(g.calls) })
}

func (g *growing) removed() []string {
	return saw(g.platform, func(*platform) []string { return slices.Clone(g.gone) })
}

func (r *rig) grows(style notifiers.PreviewStyle) (*growing, func()) {
	g := &growing{platform: r.platform, style: style}
	return g, r.growsOn(g)
}

func (r *rig) growsOn(g *growing) func() {
	_, stop := r.run(func(o *Options) {
		o.Notifiers = &notifiers.Router{}
		o.Notifiers.Handle("test", g)
		o.Streams = func(errand.Account) bool { return true }
		o.TypeEvery, o.SweepEvery = time.Minute, time.Minute
	})
	return stop
}

const sentence = "the night train to Oslo leaves at ten in the evening and has beds; "

func (r *rig) write(turn int, text string) {
	r.store.Bus().Publish(errand.Event{Type: errand.EventDelta, Key: r.key, Session: r.session, Turn: turn, Agent: "nikki", Text: text})
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
	if len(g.removed()) > 0 {
		t.Errorf("what the reply is told in the place of is taken away: %q", g.removed())
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

// TestTakenAway proves that what was shown of a reply that is not told is taken away: of a
// turn that was stopped, and of one whose reply was told in another message.
func TestTakenAway(t *testing.T) { play(t, testTakenAway) }

func testTakenAway(t *testing.T, r *rig) {
	g, _ := r.grows(notifiers.PreviewStyle{Every: time.Second})
	b := r.begin(1)
	r.write(1, sentence)
	r.until("it is shown", func() bool { return len(g.shown()) > 0 })
	r.stopTurn(b)
	time.Sleep(time.Second)
	if got := g.removed(); !slices.Equal(got, []string{"p1"}) {
		t.Errorf("a second after it was stopped %q is taken away", got)
	}

	b = r.begin(2)
	r.write(2, sentence)
	r.until("it is shown", func() bool { return len(g.shown()) > 2 })
	time.Sleep(10 * time.Second)
	id := strings.SplitN(g.shown()[len(g.shown())-1], ":", 2)[0]
	r.reply(b)
	row := r.reply2(2)
	message, wait, err := r.store.TakePreview(t.Context(), row)
	if err != nil || wait > 0 || message != id {
		t.Fatalf("the reply is told in the place of %q, %s, %v, want %q", message, wait, err, id)
	}
	time.Sleep(5 * time.Minute)
	if len(g.removed()) > 1 {
		t.Fatalf("what waits for its reply is taken away: %q", g.removed())
	}
	if err := r.store.MarkSent(t.Context(), row.ID, "", []string{"another"}); err != nil {
		t.Fatal(err)
	}
	r.until("it is taken away", func() bool { return slices.Equal(g.removed(), []string{"p1", id}) })
}

func (r *rig) reply2(turn int) errand.Notification {
	r.t.Helper()
	rows, err := r.store.Outbox(r.t.Context(), nil, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, n := range rows {
		if strings.HasSuffix(n.Key, fmt.Sprintf(":%d", turn)) {
			return n
		}
	}
	r.t.Fatalf("turn %d has no reply: %+v", turn, rows)
	return errand.Notification{}
}

// TestShownByAnother proves that a process which goes on with a turn changes the message
// that the one before it has sent; and that it sends none where nobody knows whether there
// is one, unless the platform shows that once.
func TestShownByAnother(t *testing.T) {
	lost := &notifiers.SendError{Outcome: notifiers.Unknown, Err: fmt.Errorf("no answer")}
	for _, c := range []struct {
		name  string
		first error
		once  time.Duration
		want  string // the first that the second process does; empty: nothing
	}{
		{"known", nil, 0, "p1"},
		{"nobody knows", lost, 0, "-"},
		{"the platform knows", lost, time.Minute, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, func(t *testing.T, r *rig) {
				g, stop := r.grows(notifiers.PreviewStyle{Every: time.Second, Once: c.once})
				g.fails = []error{c.first}
				r.begin(1)
				r.write(1, sentence)
				r.until("it is shown", func() bool { return len(g.shown()) > 0 })
				stop()
				before := len(g.shown())
				r.growsOn(g)
				r.step(1)
				r.write(1, sentence)
				time.Sleep(20 * time.Second)
				got := g.shown()[before:]
				switch {
				case c.want == "-" && len(got) > 0:
					t.Errorf("it does %q", got)
				case c.want != "-" && (len(got) == 0 || !strings.HasPrefix(got[0], c.want+": ")):
					t.Errorf("it does %q, want something with %q", got, c.want)
				}
			})
		})
	}
}

// fails has the model of a turn fail as it does after a while.
func (r *rig) fails(turn int, why string) {
	r.store.Bus().Publish(errand.Event{Type: errand.EventStep, Key: r.key, Session: r.session, Turn: turn, Agent: "nikki", Text: "attempt 3", Trouble: why})
}

// TestTrouble proves that of a model that fails for a while it is said why, once, in the place
// where the answer is shown and told, and not any more once it goes on.
func TestTrouble(t *testing.T) {
	const why, fades = "The model server can't be reached. I keep trying.", 30 * time.Second
	down := func(r *rig) {
		for range 10 {
			r.fails(1, why)
			time.Sleep(15 * time.Second)
		}
	}
	for _, c := range []struct {
		name  string
		style notifiers.PreviewStyle
		do    func(*rig)
		want  []string // of calls that are not like the one before
	}{
		{"an answer", notifiers.PreviewStyle{Every: time.Second}, func(r *rig) { down(r); r.write(1, sentence) }, []string{": " + why, "p1: " + why, "p1: " + sentence}},
		{"a short answer is told in its place", notifiers.PreviewStyle{Every: time.Second}, func(r *rig) { down(r); r.write(1, "yes") }, []string{": " + why, "p1: " + why}},
		{"a tool", notifiers.PreviewStyle{Every: time.Second}, func(r *rig) {
			down(r)
			r.store.Bus().Publish(errand.Event{Type: errand.EventStep, Key: r.key, Session: r.session, Turn: 1, Agent: "nikki", Tool: "search"})
		}, []string{": " + why, "p1: " + why, "p1: " + placeholder}},
		{"an answer that broke off", notifiers.PreviewStyle{Every: time.Second}, func(r *rig) {
			r.write(1, sentence)
			time.Sleep(10 * time.Second)
			down(r)
			r.write(1, "and more")
		}, []string{": " + sentence, "p1: " + sentence, "p1: " + why, "p1: " + sentence + "and more"}},
		{"where it fades", notifiers.PreviewStyle{Every: time.Second, Fades: fades}, func(r *rig) { down(r); r.write(1, sentence) }, []string{": " + why, ": " + sentence}},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, func(t *testing.T, r *rig) {
				g, _ := r.grows(c.style)
				b := r.begin(1)
				c.do(r)
				time.Sleep(10 * time.Second)
				if got := slices.Compact(g.shown()); !slices.Equal(got, c.want) {
					t.Errorf("it shows %q, want %q", got, c.want)
				}
				message, wait, err := r.store.TakePreview(t.Context(), r.endTurn(b))
				if fades := c.style.Fades > 0; err != nil || wait > 0 || (message == "") != fades {
					t.Errorf("the reply is told in the place of %q, %s, %v", message, wait, err)
				}
			})
		})
	}
}

// endTurn ends a turn with its reply and returns the row that has it.
func (r *rig) endTurn(b *store.StepInput) errand.Notification {
	r.t.Helper()
	r.reply(b)
	return r.reply2(b.Key.Turn)
}

// TestFades proves that what fades is shown again before it does, for as long as the turn
// runs, and leaves nothing to be taken away.
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
	if left, later, err := r.store.LeftPreviews(t.Context()); err != nil || later || len(left)+len(g.removed()) > 0 {
		t.Errorf("%+v is left, %q was taken away, %v", left, g.removed(), err)
	}
}

// TestBelow proves that what a turn writes after the chat was told something else is shown
// below that.
func TestBelow(t *testing.T) { play(t, testBelow) }

func testBelow(t *testing.T, r *rig) {
	g, _ := r.grows(notifiers.PreviewStyle{Every: time.Second})
	r.begin(1)
	r.write(1, sentence)
	r.until("it is shown", func() bool { return len(g.shown()) > 1 })
	if _, err := r.store.Answer(t.Context(), errand.Notification{Key: "asks", Route: r.route, Session: r.key, Event: errand.EventQuestion, Text: "Which day?"}); err != nil {
		t.Fatal(err)
	}
	r.write(1, sentence)
	r.until("it is shown below", func() bool {
		got := g.shown()
		return slices.Equal(g.removed(), []string{"p1"}) && strings.HasPrefix(got[len(got)-1], "p") && !strings.HasPrefix(got[len(got)-1], "p1: ")
	})
}
