package console

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rivo/uniseg"

	"errand/internal/cli/words"
	"errand/internal/printable"
)

// A Table is printed aligned. Where the terminal is too narrow for it, cells of
// the widest columns are cut; the first column, by which a row is named, is not.
type Table struct {
	Head  []string
	Loose []int // columns of free text, which are cut before any other
	// Rare are columns that are left out where no row has anything in them.
	Rare []int
	// Paint, if set, colours the cells of the column Painted, each by its value,
	// after it has been padded. The column is one of states, which are shown in the language
	// of who reads; Of says what has them where their words depend on that.
	Paint   func(value, padded string) string
	Painted int
	Of      string

	rows  [][]string
	words words.Language // that it is written in
}

func (t *Table) Add(cells ...string) {
	for i := range cells {
		cells[i] = printable.Line(cells[i])
	}
	t.rows = append(t.rows, cells)
}

// Len returns the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// write prints t in a language; width 0 means that nothing is cut.
func (t *Table) write(w io.Writer, l words.Language, s Style, width int) {
	t = t.withoutEmpty()
	t.words = l
	widths := make([]int, len(t.Head))
	for i, name := range t.Head {
		t.Head[i] = t.words.Sayf(name)
		widths[i] = Columns(t.Head[i])
	}
	for _, row := range t.rows {
		for i := range row {
			widths[i] = max(widths[i], Columns(t.shown(row, i)))
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
		row(func(column int) string { return t.shown(cells, column) }, func(column int, padded string) string {
			if t.Paint == nil || column != t.Painted {
				return padded
			}
			return t.Paint(cells[column], padded)
		})
	}
}

func (t *Table) shown(row []string, column int) string {
	if t.Paint == nil || column != t.Painted {
		return row[column]
	}
	return t.words.Term(t.Of, row[column])
}

// withoutEmpty is t without those of its rare columns that are empty.
func (t *Table) withoutEmpty() *Table {
	empty := func(column int) bool {
		return slices.Contains(t.Rare, column) && !slices.ContainsFunc(t.rows, func(row []string) bool { return row[column] != "" })
	}
	out := &Table{Paint: t.Paint, Of: t.Of}
	var kept []int // columns of t
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

// squeeze makes some of the columns narrower, the widest first, until all of
// them fit into width with two spaces between them, or nothing can be cut any
// more.
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

// Columns returns how many columns of a terminal s takes up, its colours left out. What
// people see as one character is measured as a whole: an emoji of several is two wide.
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
