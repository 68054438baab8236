package console

import (
	"strings"

	"github.com/rivo/uniseg"
)

// A Wrapper breaks a text that comes in pieces into rows.
type Wrapper struct {
	All     string // everything that came
	Pending string // the row that is not full
}

// Add takes a piece and returns the rows that it fills.
func (f *Wrapper) Add(piece string, width int) (rows []string) {
	f.All += piece
	f.Pending += piece
	for {
		row, rest, full := breakRow(f.Pending, width)
		if !full {
			return rows
		}
		rows, f.Pending = append(rows, row), rest
	}
}

// breakRow splits off the first row of s, at a space where there is one.
func breakRow(s string, width int) (row, rest string, full bool) {
	used, space, at, state, left := 0, -1, 0, -1, s
	for left != "" {
		var character string
		var columns int
		character, left, columns, state = uniseg.FirstGraphemeClusterInString(left, state)
		switch character {
		case "\n", "\r\n":
			return s[:at], left, true
		case "\t":
			used += 8 // at most
		default:
			used += columns
		}
		if used > width && at > 0 {
			if space > 0 {
				return s[:space], s[space+1:], true
			}
			return s[:at], s[at:], true
		}
		if character == " " {
			space = at
		}
		at += len(character)
	}
	return "", s, false
}

// Wrap is a whole text in rows.
func Wrap(text string, width int) string {
	var f Wrapper
	rows := f.Add(text, width)
	if f.Pending != "" {
		rows = append(rows, f.Pending)
	}
	return strings.Join(rows, "\n")
}
