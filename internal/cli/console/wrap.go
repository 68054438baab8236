package console

import "strings"

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
	used, space := 0, -1
	for i, r := range s {
		switch r {
		case '\n':
			return s[:i], s[i+1:], true
		case '\t':
			used += 8 // at most
		default:
			used += runeColumns(r)
		}
		if used > width && i > 0 {
			if space > 0 {
				return s[:space], s[space+1:], true
			}
			return s[:i], s[i:], true
		}
		if r == ' ' {
			space = i
		}
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
