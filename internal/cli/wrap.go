package cli

import "strings"

// A flow breaks a text that comes in pieces into rows.
type flow struct {
	all     string // everything that came
	pending string // the row that is not full
}

// add takes a piece and returns the rows that it fills.
func (f *flow) add(piece string, width int) (rows []string) {
	f.all += piece
	f.pending += piece
	for {
		row, rest, full := breakRow(f.pending, width)
		if !full {
			return rows
		}
		rows, f.pending = append(rows, row), rest
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

// wrap is a whole text in rows.
func wrap(text string, width int) string {
	var f flow
	rows := f.add(text, width)
	if f.pending != "" {
		rows = append(rows, f.pending)
	}
	return strings.Join(rows, "\n")
}
