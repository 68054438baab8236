package console

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rivo/uniseg"
)

// A Table prints aligned columns. If the terminal is too narrow, it cuts cells of the
// widest columns, but never the first column, which names the row.
type Table struct {
	Head  []string
	Loose []int // columns of free text, which are cut first
	// Rare are columns that are omitted if all their cells are empty.
	Rare []int
	// Paint, if set, colours the padded cells of the column Painted by their value, which is a
	// state.
	Paint   func(value, padded string) string
	Painted int

	rows [][]string
}

func (t *Table) Add(cells ...string) {
	for i := range cells {
		cells[i] = Line(cells[i])
	}
	t.rows = append(t.rows, cells)
}

// Len returns the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// write prints t. With width 0 it cuts nothing.
func (t *Table) write(w io.Writer, s Style, width int) {
	t = t.withoutEmpty()
	widths := make([]int, len(t.Head))
	for i, name := range t.Head {
		widths[i] = Columns(name)
	}
	for _, row := range t.rows {
		for i := range row {
			widths[i] = max(widths[i], Columns(row[i]))
		}
	}
	last := len(t.Head) - 1
	if width > 0 {
		squeeze(widths, width, t.Loose)
		all := make([]int, last)
		for i := range all {
			all[i] = i + 1
		}
		squeeze(widths, width, all)
	}
	row := func(cell func(column int) string, paint func(column int, padded string) string) {
		var b strings.Builder
		for i := range widths {
			text := Fit(cell(i), widths[i])
			if i < last {
				text += strings.Repeat(" ", widths[i]-Columns(text)+2)
			}
			b.WriteString(paint(i, text))
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
	row(func(column int) string { return t.Head[column] }, func(_ int, padded string) string { return s.Dim(padded) })
	for _, cells := range t.rows {
		row(func(column int) string { return cells[column] }, func(column int, padded string) string {
			if t.Paint == nil || column != t.Painted {
				return padded
			}
			return t.Paint(cells[column], padded)
		})
	}
}

func (t *Table) withoutEmpty() *Table {
	empty := func(column int) bool {
		return slices.Contains(t.Rare, column) && !slices.ContainsFunc(t.rows, func(row []string) bool { return row[column] != "" })
	}
	out := &Table{Paint: t.Paint}
	var kept []int // the kept columns of t
	for column := range t.Head {
		if empty(column) {
			continue
		}
		if column == t.Painted {
			out.Painted = len(kept)
		}
		if slices.Contains(t.Loose, column) {
			out.Loose = append(out.Loose, len(kept))
		}
		kept, out.Head = append(kept, column), append(out.Head, t.Head[column])
	}
	for _, row := range t.rows {
		var cells []string
		for _, column := range kept {
			cells = append(cells, row[column])
		}
		out.rows = append(out.rows, cells)
	}
	return out
}

const narrowest = 6

// squeeze narrows the widest of the columns in some until all columns fit into width.
func squeeze(widths []int, width int, some []int) {
	total := 2 * (len(widths) - 1)
	for i := range widths {
		widths[i] = min(widths[i], width)
		total += widths[i]
	}
	for ; total > width; total-- {
		widest := 0
		for _, i := range some {
			if n := widths[i]; n > narrowest && (widest == 0 || n >= widths[widest]) {
				widest = i
			}
		}
		if widest == 0 {
			return
		}
		widths[widest]--
	}
}

// Columns returns the terminal columns that s takes, without its colours. It measures
// whole grapheme clusters: an emoji of several code points takes two.
func Columns(s string) int {
	n := 0
	for {
		text, rest, coloured := strings.Cut(s, "\x1b")
		n += textColumns(text)
		if !coloured {
			return n
		}
		_, s, _ = strings.Cut(rest, "m")
	}
}

func textColumns(s string) int {
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) < 0 {
		return len(s)
	}
	return uniseg.StringWidth(s)
}

// Fit cuts s to n columns.
func Fit(s string, n int) string {
	if Columns(s) <= n {
		return s
	}
	used, at, state, rest := 0, 0, -1, s
	for rest != "" {
		var character string
		var columns int
		character, rest, columns, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if used += columns; used > n-1 {
			break
		}
		at += len(character)
	}
	return strings.TrimRight(s[:at], " ") + "…"
}
