package chat

import "strings"

type search struct {
	query  string
	back   int // position of the shown message in the history; 0: no match
	failed bool
	before draft // the draft before the search
}

// searches handles a key of the search. It returns false for a key that ends the search
// and keeps its own meaning.
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

// indexFold returns the first index of words in text, ignoring case, or -1.
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
