package chat

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"errand/internal/cli/console"
)

type choice struct {
	Word  string
	Usage string // the word with its arguments, for the list; empty: only the word
	About string // its description
	Space bool   // more words follow
}

type menu struct {
	choices  []choice
	selected int // -1: none
}

// completeWord inserts the common prefix, or the next choice if the list is open.
func (l *line) completeWord(forward bool) {
	l.wanted = true
	now := l.now()
	from, choices := l.complete(now.text[:now.at])
	switch m := l.menu; {
	case m != nil && forward:
		m.selected = (m.selected + 1) % len(m.choices)
		l.write(from, m.choices[m.selected].Word)
	case m != nil:
		m.selected = (max(m.selected, 0) + len(m.choices) - 1) % len(m.choices)
		l.write(from, m.choices[m.selected].Word)
	case len(choices) == 1:
		word := choices[0].Word
		if choices[0].Space && !strings.HasPrefix(now.text[now.at:], " ") {
			word += " "
		}
		l.write(from, word)
	case len(choices) > 1:
		if common := commonStart(choices); len(common) > now.at-from {
			l.write(from, common)
		}
		l.menu = &menu{choices: choices, selected: -1}
	}
}

func (l *line) completeAgain() {
	if l.wanted && l.menu == nil && l.search == nil {
		l.completeWord(true)
	}
}

func (l *line) write(from int, word string) {
	now := l.now()
	l.set(now.text[:from]+word+now.text[now.at:], from+len(word))
}

// narrow updates the open list after a key. Keys other than characters and Backspace close it.
func (l *line) narrow(typed bool) {
	if l.menu == nil {
		return
	}
	l.menu = nil
	if !typed {
		return
	}
	now := l.now()
	if _, choices := l.complete(now.text[:now.at]); len(choices) > 1 {
		l.menu = &menu{choices: choices, selected: -1}
	}
}

func commonStart(choices []choice) string {
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

const maxChoices = 8

func (c choice) label() string { return console.Line(cmp.Or(c.Usage, c.Word)) }

func (m *menu) rows(width, height int, more string, style console.Style) (rows []string) {
	words := 0
	for _, c := range m.choices {
		words = max(words, console.Columns(c.label()))
	}
	words = min(words, max(8, width*2/5))
	shown := len(m.choices)
	if shown > height {
		shown = max(1, height-1) // the last row shows how many are left
	}
	from := min(max(0, m.selected-shown+1), len(m.choices)-shown)
	for i, c := range m.choices[from : from+shown] {
		word := console.Fit(c.label(), words)
		row := word
		if c.About != "" {
			row += strings.Repeat(" ", words-console.Columns(word)+2) + console.Line(c.About)
		}
		if from+i == m.selected {
			rows = append(rows, console.Fit("▸ "+row, width))
		} else {
			rows = append(rows, style.Dim(console.Fit("  "+row, width)))
		}
	}
	if n := len(m.choices) - shown; n > 0 && height > 1 {
		rows = append(rows, style.Dim(console.Fit(fmt.Sprintf("  … %d %s", n, more), width)))
	}
	return rows
}
