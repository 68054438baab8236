package console

import (
	"strings"

	"github.com/rivo/uniseg"
)

// A Wrapper wraps a text that arrives in pieces.
type Wrapper struct {
	All     string // the whole text so far
	Pending string // the last, incomplete row
}

// Add adds a piece and returns the rows that are complete.
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

// Wrap wraps a whole text.
func Wrap(text string, width int) string {
	var f Wrapper
	rows := f.Add(text, width)
	if f.Pending != "" {
		rows = append(rows, f.Pending)
	}
	return strings.Join(rows, "\n")
}
