package chaos

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// longAnswer is the answer to "tell a 3": words that are counted, so that none can be
// missing, doubled or elsewhere unseen.
func longAnswer(request string) string {
	var name string
	var n int
	if _, err := fmt.Sscanf(request, "tell %s %d", &name, &n); err != nil {
		return err.Error()
	}
	return strings.Join(counted(name, n), " ")
}

func counted(name string, n int) []string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("%s%06d", name, i+1)
	}
	return words
}

const parts = 4

// playParts kills the worker in the middle of long answers: when so many parts were
// acknowledged, and the platform has the next and has not answered. After the
// restart every part is there, in order, and none that was acknowledged again; only
// of the one in doubt there may be a repeat, which says so.
func playParts(t *testing.T, s stage, f fault) count {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	w := begin(ctx, t, s, "", 0, 1)
	start := time.Now()
	var c count
	for i, at := range []struct {
		acknowledged int
		taken        bool
	}{{1, true}, {2, false}, {3, true}} {
		name := string(rune('a' + i))
		words := counted(name, s.words())
		s.breakOff(at.acknowledged, at.taken, w.worker.kill)
		s.write(t, 1, fmt.Sprintf("tell %s %d", name, len(words)))
		w.waitDead(ctx)
		w.startWorker("")
		w.until(ctx, s, func() bool {
			return slices.ContainsFunc(hears(s, 1), func(text string) bool { return strings.HasSuffix(text, words[len(words)-1]) })
		})
		// A next message shows that nothing is on its way behind.
		s.write(t, 1, "and then "+name)
		w.until(ctx, s, func() bool { return slices.Contains(hears(s, 1), "you said and then "+name) })
		got := c.answer(s, name, words)
		want := answered{parts: parts}
		if !s.certain() {
			want.marked = 1
		}
		if !s.certain() && at.taken {
			want.repeated = 1
		}
		if got != want {
			t.Errorf("killed after %d parts, the next taken: %t: %+v, want %+v", at.acknowledged, at.taken, got, want)
		}
		if r, ok := s.(interface {
			repeats(person int, text string) []int
		}); ok {
			want := make([]int, parts)
			if at.taken {
				want[at.acknowledged] = 1
			}
			if again := r.repeats(1, name); !slices.Equal(again, want) {
				t.Errorf("killed after %d parts, the next taken: %t: they come again %v times, want %v", at.acknowledged, at.taken, again, want)
			}
		}
	}
	c.took = time.Since(start)
	if c.lost+c.duplicated+c.wrong > 0 || t.Failed() {
		t.Errorf("%s; log:\n%s", c, w.logs())
	}
	return c
}

type answered struct {
	parts    int // all of them in order
	marked   int // how many say that they may be there already
	repeated int // how many of those are
}

func (c *count) answer(s stage, name string, words []string) (a answered) {
	var read, last []string
	for _, said := range hears(s, 1) {
		text, marked := strings.CutPrefix(said, again)
		got := strings.Fields(text)
		if len(got) == 0 || !strings.HasPrefix(got[0], name+"0") {
			continue
		}
		c.out++
		if marked {
			c.doubtful++
			a.marked++
			if slices.Equal(got, last) { // the part before it, which had arrived
				a.repeated++
				continue
			}
		}
		if len(read) > 0 && got[0] <= read[len(read)-1] {
			c.duplicated++
		}
		a.parts++
		read, last = append(read, got...), got
	}
	c.in += parts
	if !slices.Equal(read, words) {
		c.lost++
	}
	if slices.ContainsFunc(hears(s, 0), func(text string) bool { return strings.Contains(text, words[0]) }) {
		c.wrong++
	}
	return a
}
