package lineedit

import "strings"

// A search looks for a message of the history while its words are typed.
type search struct {
	query  string
	back   int // how many messages ago the one that is shown was sent; 0: none is found
	failed bool
	before buffer // what was typed before
}

// searches does what a key is for in a search, and reports whether that was all: other
// keys end the search, and then do what they do.
func (e *Editor) searches(k Key) bool {
	s := e.search
	switch k.Do {
	case Nothing:
	case Type, Paste:
		s.query += strings.ReplaceAll(clean(k.Text), "\n", " ")
		e.find(max(s.back, 1), 1)
	case Backspace:
		b := buffer{}
		b.set(s.query)
		b.cut(b.left(), b.at)
		s.query = b.text
		e.find(1, 1)
	case Search:
		e.find(s.back+1, 1)
	case SearchForward:
		e.find(s.back-1, -1)
	case Cancel, Interrupt:
		e.buffer, e.search = s.before, nil
	case Complete, CompleteBack:
		e.search = nil // and the message can be changed
	default:
		e.search = nil
		return false
	}
	return true
}

func (e *Editor) find(back, step int) {
	s := e.search
	if s.query == "" {
		s.back, s.failed, e.buffer = 0, false, s.before
		return
	}
	for ; back >= 1 && back <= e.History.Len(); back += step {
		text := e.History.At(back - 1)
		if at := indexFold(text, s.query); at >= 0 {
			s.back, s.failed = back, false
			e.set(text)
			e.at = at
			return
		}
	}
	s.failed = true
}

// indexFold is where words begin in text, in any case; -1: nowhere.
func indexFold(text, words string) int {
	if at := strings.Index(text, words); at >= 0 {
		return at
	}
	for at := range text {
		if n := len(words); at+n <= len(text) && strings.EqualFold(text[at:at+n], words) {
			return at
		}
	}
	return -1
}
