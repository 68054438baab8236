package channels

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// Bounds of the search for what cannot be read.
const (
	deepest      = 6        // how far into an object
	mostTests    = 500      // how often something is tried
	mostBytes    = 16 << 20 // how much is read for it
	mostSuspects = 64       // fields that are left out alone, of one object
	mostLeft     = 10       // fields that are named
)

// A pruner finds what is in the way of an object's being read, by leaving it out.
// A field is always judged with the rest of the whole: by itself it may be well,
// or make no sense.
type pruner struct {
	readable func(whole json.RawMessage) bool
	needed   []string

	tests, bytes int // what may still be tried
	left         []string
	more         bool // left does not name all
}

// A within is the whole with something in the place that is looked at.
type within func(json.RawMessage) json.RawMessage

// prune returns what of raw can be read where it is; false for nothing. All of it
// cannot.
func (p *pruner) prune(raw json.RawMessage, path string, at within, depth int) (json.RawMessage, bool) {
	w, ok := split(raw)
	before, more := len(p.left), p.more
	if ok && depth > 0 && !p.out() {
		kept, ok := p.one(w, path, at, depth)
		if !ok {
			p.left, p.more = p.left[:before], more
			kept, ok = p.several(w, path, at, depth)
		}
		if ok && !p.lacks(w, kept) {
			return w.join(kept), true
		}
	}
	if path != "" { // of the whole, the names say what is in the way
		p.left, p.more = p.left[:before], more
		p.noteLeft(path)
	}
	return nil, false
}

// one finds the one part that is in the way of all others: objects first, for they
// may have to be left out only in part, and large ones, for that is quickly tried.
// Half of what may be tried is left for the case that there are several.
func (p *pruner) one(w whole, path string, at within, depth int) ([]part, bool) {
	suspects := slices.Clone(w.parts)
	slices.SortStableFunc(suspects, func(a, b part) int {
		return cmp.Or(cmp.Compare(len(b.hollow()), len(a.hollow())), cmp.Compare(len(b.raw), len(a.raw)))
	})
	tests, size := p.tests/2, p.bytes/2
	for _, s := range suspects[:min(len(suspects), mostSuspects)] {
		before, more := len(p.left), p.more
		with := func(raw json.RawMessage) json.RawMessage { return at(w.join(w.replaced(s, raw))) }
		rest := w.replaced(s, nil)
		without := p.reads(func() json.RawMessage { return at(w.join(rest)) })
		hollow := s.hollow()
		if without || hollow != nil && p.reads(func() json.RawMessage { return with(hollow) }) {
			if raw, ok := p.prune(s.raw, path+s.name(), with, depth-1); ok {
				return w.replaced(s, raw), true
			}
			if without && !p.isNeeded(s) {
				return rest, true
			}
			p.left, p.more = p.left[:before], more
		}
		if p.tests <= tests || p.bytes <= size {
			break
		}
	}
	return nil, false
}

// several begins with nothing and puts back what can be, the small parts first:
// they are what a message is known by.
func (p *pruner) several(w whole, path string, at within, depth int) ([]part, bool) {
	if len(w.parts) == 0 || !p.reads(func() json.RawMessage { return at(w.join(nil)) }) {
		return nil, false
	}
	bySize := slices.Clone(w.parts)
	slices.SortStableFunc(bySize, func(a, b part) int { return cmp.Compare(len(a.raw), len(b.raw)) })
	kept := p.putBack(w, nil, bySize, path, at, depth)
	return kept, len(kept) > 0
}

func (p *pruner) putBack(w whole, kept, more []part, path string, at within, depth int) []part {
	if p.out() {
		for _, m := range more[:min(len(more), mostLeft+1)] {
			p.noteLeft(path + m.name())
		}
		return kept
	}
	all := slices.Concat(kept, more)
	if p.reads(func() json.RawMessage { return at(w.join(all)) }) {
		return all
	}
	if len(more) > 1 {
		kept = p.putBack(w, kept, more[:len(more)/2], path, at, depth)
		return p.putBack(w, kept, more[len(more)/2:], path, at, depth)
	}
	m := more[0]
	with := func(raw json.RawMessage) json.RawMessage {
		return at(w.join(slices.Concat(kept, []part{{m.key, m.place, raw}})))
	}
	if raw, ok := p.prune(m.raw, path+m.name(), with, depth-1); ok {
		return slices.Concat(kept, []part{{m.key, m.place, raw}})
	}
	return kept
}

// lacks reports whether what is kept of w has lost what it is nothing without.
func (p *pruner) lacks(w whole, kept []part) bool {
	return slices.ContainsFunc(w.parts, func(a part) bool {
		return p.isNeeded(a) && !slices.ContainsFunc(kept, func(b part) bool { return a.key == b.key })
	})
}

func (p *pruner) isNeeded(a part) bool {
	return slices.ContainsFunc(p.needed, func(name string) bool { return strings.EqualFold(name, a.key) })
}

// out reports whether enough was tried.
func (p *pruner) out() bool { return p.tests <= 0 || p.bytes <= 0 }

// reads reports whether something can be read, if it may still be tried.
func (p *pruner) reads(build func() json.RawMessage) bool {
	if p.out() {
		return false
	}
	raw := build()
	p.tests--
	if len(raw) > p.bytes {
		p.bytes -= len(raw) / 16 // to build it is less work than to read it
		return false
	}
	p.bytes -= len(raw)
	return p.readable(raw)
}

func (p *pruner) noteLeft(path string) {
	if len(p.left) > 4*mostLeft {
		p.more = true
		return
	}
	p.left = append(p.left, path)
}
