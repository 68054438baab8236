package lineedit

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Choice is what a word may become.
type Choice struct {
	Word  string
	Usage string // the word with those that may follow, if the list is to show them
	About string // what it is
	Space bool   // words follow
}

// A menu is a list of choices below the message.
type menu struct {
	choices  []Choice
	selected int // -1: none
}

// complete writes what all choices begin with, or else one after the other.
func (e *Editor) complete(forward bool) {
	e.wanted = true
	if m := e.menu; m != nil && len(m.choices) > 1 {
		e.choose(m, forward)
		return
	}
	if e.Complete == nil {
		return
	}
	from, choices := e.Complete(e.text[:e.at])
	switch len(choices) {
	case 0:
		return
	case 1:
		e.write(from, choices[0])
		e.menu = nil
		return
	}
	if common := commonStart(choices); len(common) > e.at-from {
		e.cut(from, e.at)
		e.insert(common)
	}
	e.menu = &menu{choices: choices, selected: -1}
}

// CompleteAgain goes on with what was asked for when choices have come that were not there.
func (e *Editor) CompleteAgain() {
	if e.wanted && e.menu == nil && e.search == nil {
		e.complete(true)
	}
}

func (e *Editor) choose(m *menu, forward bool) {
	from, _ := e.Complete(e.text[:e.at])
	switch {
	case forward:
		m.selected = (m.selected + 1) % len(m.choices)
	case m.selected <= 0:
		m.selected = len(m.choices) - 1
	default:
		m.selected--
	}
	c := m.choices[m.selected]
	c.Space = false // or the next choice would be one for the word behind it
	e.write(from, c)
}

func (e *Editor) write(from int, c Choice) {
	e.cut(from, e.at)
	e.insert(c.Word)
	if c.Space && !strings.HasPrefix(e.text[e.at:], " ") {
		e.insert(" ")
	}
}

func (e *Editor) narrow(do Action) {
	if e.menu == nil || do == Complete || do == CompleteBack {
		return
	}
	var choices []Choice
	if do == Type || do == Backspace {
		_, choices = e.Complete(e.text[:e.at])
	}
	e.menu = nil
	if len(choices) > 1 {
		e.menu = &menu{choices: choices, selected: -1}
	}
}

func commonStart(choices []Choice) string {
	common := choices[0].Word
	for _, c := range choices[1:] {
		n := 0
		for n < len(common) && n < len(c.Word) {
			a, size := utf8.DecodeRuneInString(common[n:])
			b, _ := utf8.DecodeRuneInString(c.Word[n:])
			if unicode.ToLower(a) != unicode.ToLower(b) {
				break
			}
			n += size
		}
		common = common[:n]
	}
	return common
}
