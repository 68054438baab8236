package chaos

import (
	"bytes"
	"fmt"
	"html"
	"slices"
	"sync"
	"time"
)

// A timeline is what was seen of errand from outside, and when.
type timeline struct {
	mu    sync.Mutex
	began time.Time // of the first span
	spans []span
	notes []span
	kills []time.Time
	seen  map[string]bool
	ended time.Time
}

// A span is something that took time: errand's process, a model call, a request.
type span struct {
	lane, what string
	from, to   time.Time // to is zero while it goes on
	cut        bool      // it was under way when errand was killed
}

func newTimeline() *timeline {
	return &timeline{seen: map[string]bool{}}
}

// begin begins a span; the function that it returns ends it.
func (l *timeline) begin(lane, what string) (end func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := len(l.spans)
	if i == 0 {
		l.began = time.Now()
	}
	l.spans = append(l.spans, span{lane: lane, what: what, from: time.Now()})
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.spans[i].to.IsZero() {
			l.spans[i].to = time.Now()
		}
	}
}

// cut ends all that is under way: errand is dead.
func (l *timeline) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for i := range l.spans {
		if s := &l.spans[i]; s.to.IsZero() {
			s.to, s.cut = now, true
		}
	}
}

// noteKill notes that errand has been killed.
func (l *timeline) noteKill() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kills = append(l.kills, time.Now())
}

// over ends what is under way, which is errand.
func (l *timeline) over() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = time.Now()
	for i := range l.spans {
		if s := &l.spans[i]; s.to.IsZero() {
			s.to = l.ended
		}
	}
}

// note notes something that takes no time.
func (l *timeline) note(lane, what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notes = append(l.notes, span{lane: lane, what: what, from: time.Now()})
}

// first reports whether something happens for the first time.
func (l *timeline) first(what string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	again := l.seen[what]
	l.seen[what] = true
	return !again
}

func (l *timeline) was(what string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seen[what]
}

func (l *timeline) finished(lane, what string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.spans {
		if s.lane == lane && s.what == what && !s.to.IsZero() && !s.cut {
			n++
		}
	}
	return n
}

func (l *timeline) names() (names []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.spans {
		names = append(names, s.lane+" "+s.what)
	}
	return names
}

// The lanes of the picture, from top to bottom, and what its spans are called there.
var lanes = []struct{ name, label, colour string }{
	{"Ann", "Ann", "#1f6feb"},
	{"errand", "errand's process", "#57606a"},
	{"nikki", "Nikki's model calls", "#8250df"},
	{"sasha", "Sasha's model calls", "#bc4c00"},
	{"tools", "her tools", "#1a7f37"},
	{"web", "search engine, pages", "#0969da"},
}

var toolsAfter = map[string]string{
	"searches": "web_search", "reads three pages": "web_fetch, 3 at once", "keeps notes": "write_file notes.md", "orders": "a once tool",
	"looks at the notes": "read_file notes.md", "writes a file": "write_file report.md",
}

// Sizes of the picture.
const (
	pictureWidth = 1200
	pictureLeft  = 160
	laneHeight   = 86
	laneTop      = 56
	barHeight    = 16
)

func (l *timeline) draw() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	scale := float64(pictureWidth-pictureLeft-110) / l.ended.Sub(l.began).Seconds()
	x := func(t time.Time) float64 { return pictureLeft + t.Sub(l.began).Seconds()*scale }
	top := func(lane string) float64 {
		return laneTop + laneHeight*float64(slices.IndexFunc(lanes, func(l struct{ name, label, colour string }) bool { return l.name == lane }))
	}
	height := laneTop + laneHeight*len(lanes) + 34
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" font-size="12">`+"\n", pictureWidth, height)
	fmt.Fprintf(&b, `<title>A research errand whose process is killed twice: its result comes once</title><rect width="100%%" height="100%%" fill="#ffffff"/>`+"\n")
	for _, lane := range lanes {
		y := top(lane.name) + laneHeight - 22
		fmt.Fprintf(&b, `<line x1="%d" x2="%d" y1="%.0f" y2="%.0f" stroke="#d0d7de"/><text x="12" y="%.0f" fill="#24292f" font-weight="600">%s</text>`+"\n",
			12, pictureWidth-12, y+barHeight+4, y+barHeight+4, y+12, lane.label)
	}
	var down string
	for i, at := range l.kills {
		back := l.ended
		for _, s := range l.spans {
			if s.lane == "errand" && s.from.After(at) && s.from.Before(back) {
				back = s.from
			}
		}
		fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#cf222e" stroke-width="2" stroke-dasharray="4 3"/><text x="%.1f" y="%d" fill="#cf222e" font-weight="700" text-anchor="middle">SIGKILL %d</text>`+"\n",
			x(at), x(at), 26, height-30, x(at), 20, i+1)
		down += fmt.Sprintf(`<rect x="%.1f" y="26" width="%.1f" height="%d" fill="#ffebe9" fill-opacity="0.75"/><text x="%.1f" y="42" fill="#82071e">errand is not there</text>`+"\n",
			x(at)+1, x(back)-x(at)-1, height-56, x(at)+6)
	}
	labelled := map[string]float64{} // where the last label of a lane is
	var words bytes.Buffer           // over everything else
	bar := func(s span) {
		i := slices.IndexFunc(lanes, func(l struct{ name, label, colour string }) bool { return l.name == s.lane })
		y, high, fill, what := top(s.lane)+laneHeight-22, barHeight, lanes[i].colour, s.what
		if s.cut && s.lane != "errand" {
			fill, what = "#cf222e", s.what+": cut off"
		}
		if s.lane == "web" { // several at once, one below the other
			high = barHeight / len(sources)
			for _, other := range l.spans {
				if other.lane == s.lane && other.from.Before(s.from) && other.to.After(s.from) {
					y += float64(high + 1)
				}
			}
		}
		fmt.Fprintf(&b, `<rect x="%.1f" y="%.0f" width="%.1f" height="%d" rx="2" fill="%s"/>`+"\n", x(s.from), y, max(2, x(s.to)-x(s.from)), high, fill)
		if last, any := labelled[s.lane]; any && x(s.from)-last < 12 {
			return // several at once: one says it
		}
		labelled[s.lane] = x(s.from)
		fmt.Fprintf(&words, `<text transform="translate(%.1f %.0f) rotate(-28)" fill="%s">%s</text>`+"\n", x(s.from)+4, top(s.lane)+laneHeight-27, fill, html.EscapeString(what))
	}
	var before span
	for _, s := range l.spans {
		if s.from.After(l.ended) {
			continue
		}
		bar(s)
		if s.lane == "sasha" && toolsAfter[before.what] != "" {
			bar(span{lane: "tools", what: toolsAfter[before.what], from: before.to, to: s.from})
		}
		if s.lane == "sasha" {
			before = s
		}
	}
	for _, n := range l.notes {
		y := top(n.lane) + laneHeight - 14
		fmt.Fprintf(&words, `<circle cx="%.1f" cy="%.0f" r="6" fill="#1f6feb"/><text transform="translate(%.1f %.0f) rotate(-28)" fill="#1f6feb">%s</text>`+"\n", x(n.from), y, x(n.from)+4, y-10, html.EscapeString(n.what))
	}
	b.WriteString(down)
	b.Write(words.Bytes())
	for s := 0; float64(s) <= l.ended.Sub(l.began).Seconds(); s++ {
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" fill="#57606a" text-anchor="middle">%d s</text>`+"\n", x(l.began.Add(time.Duration(s)*time.Second)), height-10, s)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}
