package markup

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

func (t text) split(p Platform, limit Limit) []text {
	s := splitter{text: t, platform: p, limit: limit}
	var parts []text
	for s.start < len(t.plain) {
		s.gather()
		end := s.end()
		parts = append(parts, t.slice(s.start, end, s.touching(end)))
		s.start = end
	}
	return parts
}

type splitter struct {
	text
	platform Platform
	limit    Limit

	start int    // of the next part
	open  []span // spans that began before the part and continue in it
	next  int    // index of the first span that begins in the part
}

func (s *splitter) gather() {
	for ; s.next < len(s.spans) && s.spans[s.next].start < s.start; s.next++ {
		s.open = append(s.open, s.spans[s.next])
	}
	going := s.open[:0]
	for _, o := range s.open {
		if o.end > s.start {
			going = append(going, o)
		}
	}
	s.open = going
}

func (s *splitter) touching(end int) []span {
	n := sort.Search(len(s.spans)-s.next, func(i int) bool { return s.spans[s.next+i].start >= end })
	return append(append([]span(nil), s.open...), s.spans[s.next:s.next+n]...)
}

func (s *splitter) fits(end int) bool {
	m := s.slice(s.start, end, s.touching(end)).render(s.platform)
	return s.limit.count(m.Text) <= s.limit.Size && (s.platform != Telegram || m.fits())
}

func (l Limit) count(x string) int {
	if l.Unit == CodePoints {
		return utf8.RuneCountInString(x)
	}
	n := 0
	for _, r := range x {
		n += utf16.RuneLen(r)
	}
	return n
}

func (s *splitter) end() int {
	farthest := s.farthest()
	if farthest == len(s.plain) {
		return farthest
	}
	best := [places]struct{ late, early int }{}
	for _, c := range s.cuts(farthest) {
		b := &best[c.place]
		if c.at-s.start >= (farthest-s.start)/4 {
			b.late = c.at
		} else {
			b.early = c.at
		}
	}
	// A better place that leaves the part nearly empty loses to the next best place that
	// does not, but still wins over a cut inside a word.
	for place := paragraph; place < cluster; place++ {
		if at := best[place].late; at > 0 && s.fits(at) {
			return s.skip(at)
		}
	}
	for place := paragraph; place < cluster; place++ {
		if at := best[place].early; at > 0 && s.fits(at) {
			return s.skip(at)
		}
	}
	if at := max(best[cluster].late, best[cluster].early); at > 0 && s.fits(at) {
		return s.skip(at)
	}
	return s.skip(farthest) // a single cluster is longer than a message
}

func (s *splitter) farthest() int {
	lead := len(s.plain[s.start:]) - len(strings.TrimLeftFunc(s.plain[s.start:], unicode.IsSpace))
	var places []int // after every character
	count, at := 0, s.start+lead
	for i, r := range s.plain[at:] {
		if s.limit.Unit == UTF16 {
			count += utf16.RuneLen(r)
		} else {
			count++
		}
		if count > s.limit.Size {
			break
		}
		places = append(places, at+i+utf8.RuneLen(r))
	}
	n := sort.Search(len(places), func(i int) bool { return !s.fits(places[i]) })
	if n == 0 {
		n = 1 // impossible with the smallest limit, but guarantees progress
	}
	return places[n-1]
}

// skip moves a cut past white space, up to the indentation of the next line.
func (s *splitter) skip(at int) int {
	rest := s.plain[at:]
	space := rest[:len(rest)-len(strings.TrimLeftFunc(rest, unicode.IsSpace))]
	if i := strings.LastIndexByte(space, '\n'); i >= 0 {
		// White space at the end of a line of code belongs to that line.
		if space[0] != '\n' && s.within(at) && !s.fits(at+i+1) {
			return at
		}
		return at + i + 1
	}
	if s.within(at) {
		return at
	}
	if next, _ := utf8.DecodeRuneInString(rest[len(space):]); next == zwj || unicode.In(next, unicode.M, unicode.Variation_Selector) {
		_, size := utf8.DecodeLastRuneInString(space) // the mark combines with the space before it
		return at + len(space) - size
	}
	return at + len(space)
}

// A place is the quality of a cut, best first.
type place int

const (
	paragraph place = iota
	line
	sentence
	word
	cluster
	places
)

type cut struct {
	at    int
	place place
}

// cuts returns the possible ends of a part in order. It never cuts inside a grapheme cluster,
// inside or directly after the marker of a list item, or before the first visible character.
func (s *splitter) cuts(farthest int) []cut {
	// The text after farthest decides whether farthest lies inside a cluster.
	window := s.plain[s.start:min(farthest+64, len(s.plain))]
	spans := s.touching(farthest)
	var cuts []cut
	at, state, seen, next := s.start, -1, false, 0
	for len(window) > 0 {
		var c string
		c, window, _, state = uniseg.FirstGraphemeClusterInString(window, state)
		seen = seen || visible(c)
		at += len(c)
		if at > farthest {
			break
		}
		for next < len(spans) && (spans[next].kind != marker || spans[next].end < at) {
			next++
		}
		if !seen || next < len(spans) && spans[next].start < at {
			continue
		}
		cuts = append(cuts, cut{at, s.place(at, c)})
	}
	return cuts
}

func (s *splitter) place(at int, c string) place {
	before, behind := s.plain[s.start:at], s.plain[at:]
	switch {
	case strings.HasSuffix(before, "\n\n"):
		if s.within(at) {
			return line
		}
		return paragraph
	case c == "\n":
		return line
	case strings.TrimSpace(c) == "":
		if ends(strings.TrimRight(before, " \t")) {
			return sentence
		}
		return word
	case strings.ContainsAny(c, "。！？") && !strings.HasPrefix(behind, "\n"):
		return sentence
	}
	return cluster
}

func (s *splitter) within(at int) bool {
	i := sort.Search(len(s.spans), func(i int) bool { return s.spans[i].start >= at })
	for i--; i >= 0 && s.spans[i].start >= s.start; i-- {
		if s.spans[i].kind == block {
			return s.spans[i].end > at
		}
	}
	for _, o := range s.open {
		if o.kind == block && o.end > at {
			return true
		}
	}
	return false
}

func ends(s string) bool {
	s = strings.TrimRight(s, `"')]»”’`)
	r, _ := utf8.DecodeLastRuneInString(s)
	return strings.ContainsRune(".!?…。！？؟।", r)
}
