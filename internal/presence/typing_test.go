package presence

import (
	"testing"
	"testing/synctest"
	"time"

	"errand/internal/store"
	"errand/notifiers"
)

// TestTyping proves that it is shown that somebody writes from the first step of
// a turn, again and again, until it ends, however that is, and not after it.
func TestTyping(t *testing.T) {
	ends := map[string]func(*rig, *store.StepInput){
		"a reply": func(r *rig, b *store.StepInput) { r.reply(b) },
		"a stop": func(r *rig, b *store.StepInput) {
			if err := r.store.CloseTurn(r.t.Context(), b.Key.Owner, 1, store.StoppedTurn); err != nil {
				r.t.Error(err)
			}
		},
		"another message": func(r *rig, b *store.StepInput) { // of which no event tells
			if err := r.store.CloseTurn(r.t.Context(), b.Key.Owner, 1, "interrupted"); err != nil {
				r.t.Error(err)
			}
		},
		"a pause": func(r *rig, _ *store.StepInput) {
			if err := r.store.Pause(r.t.Context(), "ada"); err != nil {
				r.t.Error(err)
			}
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			play(t, func(t *testing.T, r *rig) {
				p, stop := r.run(nil)
				b := r.begin(1)
				r.until("it is shown again and again", func() bool { return saw(r.platform, func(p *platform) int { return p.typing }) > 3 })
				end(r, b)
				r.until("it ends", func() bool {
					return p.typing.count() == 0 && saw(r.platform, func(p *platform) int { return p.busy }) == 0
				})
				before := saw(r.platform, func(p *platform) int { return p.typing })
				r.step(1) // which comes late
				time.Sleep(time.Minute)
				stop()
				if after := saw(r.platform, func(p *platform) int { return p.typing }); after != before {
					t.Errorf("it is shown %d times after the end", after-before)
				}
			})
		})
	}
}

// TestTypingIsCutOff proves that a platform that is slow is not waited for: what
// is under way when the reply is there is ended.
func TestTypingIsCutOff(t *testing.T) { play(t, testTypingIsCutOff) }

func testTypingIsCutOff(t *testing.T, r *rig) {
	r.platform.hangs = true
	p, _ := r.run(nil)
	b := r.begin(1)
	r.until("it is under way", func() bool { return saw(r.platform, func(p *platform) int { return p.busy }) == 1 })
	one := turn{r.session, 1}
	first := p.typing.running[one]
	p.typing.start(t.Context(), one, r.key, r.route)
	if p.typing.running[one] != first {
		t.Error("one turn shows it twice at once")
	}
	r.reply(b)
	r.until("it is cut off", func() bool { return saw(r.platform, func(p *platform) int { return p.busy }) == 0 })
	if saw(r.platform, func(p *platform) int { return p.late }) > 0 {
		t.Error("it took its time")
	}
}

type fading struct{ *platform }

func (fading) TypingDuration() time.Duration { return time.Hour }

// TestTypingPace proves that it is shown as often as the platform needs.
func TestTypingPace(t *testing.T) {
	for _, test := range []struct {
		name string
		on   func(*platform) notifiers.Notifier
		want int // times in half a minute
	}{
		{"most", func(p *platform) notifiers.Notifier { return p }, 7},
		{"shown for long", func(p *platform) notifiers.Notifier { return fading{p} }, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			play(t, func(t *testing.T, r *rig) {
				var out notifiers.Router
				out.Handle("test", test.on(r.platform))
				r.run(func(o *Options) { o.TypeEvery, o.Notifiers = 0, &out })
				r.begin(1)
				time.Sleep(30 * time.Second) // in the bubble, where it takes no time
				synctest.Wait()
				if n := saw(r.platform, func(p *platform) int { return p.typing }); n != test.want {
					t.Errorf("it is shown %d times in half a minute, want %d", n, test.want)
				}
			})
		})
	}
}

func (y *typing) count() int {
	y.mu.Lock()
	defer y.mu.Unlock()
	return len(y.running)
}
