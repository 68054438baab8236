package chat

import "strings"

// A search finds messages of the history while its words are typed.
type search struct {
	query  string
	back   int // how many messages ago the shown one was sent; 0: none was found
	failed bool
	before draft // typed before the search
}

// searches handles a key during a search. It returns false for a key that ends the search and then does
// what it does otherwise.
func (l *line) searches(name, text string) bool {
	s := l.search
	switch name {
	case "backspace", "ctrl+h":
		runes := []rune(s.query)
		s.query = string(runes[:max(0, len(runes)-1)])
		l.find(1, 1)
	case "ctrl+r":
		l.find(s.back+1, 1)
	case "ctrl+s":
		l.find(s.back-1, -1)
	case "esc", "ctrl+g", "ctrl+c":
		l.search = nil
		l.set(s.before.text, s.before.at)
	case "tab", "shift+tab":
		l.search = nil
	default:
		if text == "" {
			l.search = nil
			return false
		}
		s.query += strings.ReplaceAll(text, "\n", " ")
		l.find(max(s.back, 1), 1)
	}
	return true
}

func (l *line) find(back, step int) {
	s := l.search
	if s.query == "" {
		s.back, s.failed = 0, false
		l.set(s.before.text, s.before.at)
		return
	}
	for ; back >= 1 && back <= l.history.Len(); back += step {
		text := l.history.At(back - 1)
		if at := indexFold(text, s.query); at >= 0 {
			s.back, s.failed = back, false
			l.set(text, at)
			return
		}
	}
	s.failed = true
}

// indexFold returns where words begin in text, in any case; -1: nowhere.
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
