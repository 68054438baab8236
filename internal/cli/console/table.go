package console

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

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
	// after it has been padded.
	Paint   func(value, padded string) string
	Painted int

	rows [][]string
}

func (t *Table) Add(cells ...string) {
	for i := range cells {
		cells[i] = printable.Line(cells[i])
	}
	t.rows = append(t.rows, cells)
}

// Write prints t; width 0 means that nothing is cut.
func (t *Table) Write(w io.Writer, s Style, width int) {
	t = t.withoutEmpty()
	widths := make([]int, len(t.Head))
	for _, row := range append([][]string{t.Head}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], Columns(cell))
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
	write := func(row []string, paint func(column int, padded string) string) {
		var b strings.Builder
		for i, cell := range row {
			text := Fit(cell, widths[i])
			if i < last {
				text += strings.Repeat(" ", widths[i]-Columns(text)+2)
			}
			b.WriteString(paint(i, text))
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
	write(t.Head, func(_ int, padded string) string { return s.Dim(padded) })
	for _, row := range t.rows {
		write(row, func(column int, padded string) string {
			if t.Paint == nil || column != t.Painted {
				return padded
			}
			return t.Paint(row[column], padded)
		})
	}
}

// withoutEmpty is t without those of its rare columns that are empty.
func (t *Table) withoutEmpty() *Table {
	empty := func(column int) bool {
		return slices.Contains(t.Rare, column) && !slices.ContainsFunc(t.rows, func(row []string) bool { return row[column] != "" })
	}
	out := &Table{Paint: t.Paint}
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

// narrowest is what cutting leaves of a column.
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

// Ago says how long ago t was, in English.
func Ago(t, now time.Time) string { return AgoIn(words.English, t, now) }

// AgoIn says how long ago t was.
func AgoIn(l words.Language, t, now time.Time) string {
	if t.IsZero() {
		return "-"
	}
	d := now.Sub(t)
	switch {
	case d < 5*time.Second:
		return l.Say("just now")
	case d < time.Minute:
		return l.Say("{n} s ago", "n", strconv.Itoa(int(d.Seconds())))
	case d < time.Hour:
		return l.Say("{n} min ago", "n", strconv.Itoa(int(d.Minutes())))
	case d < 24*time.Hour:
		return l.Say("{n} h ago", "n", strconv.Itoa(int(d.Hours())))
	case d < 14*24*time.Hour:
		return l.Say("{n} d ago", "n", strconv.Itoa(int(d.Hours()/24)))
	}
	return t.Local().Format("2006-01-02")
}

// Ahead says how long it is until t, or how long ago it was.
func Ahead(t, now time.Time) string {
	d := t.Sub(now)
	switch {
	case t.IsZero():
		return "-"
	case d < 0:
		return Ago(t, now)
	case d < time.Minute:
		return fmt.Sprintf("in %.0f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("in %.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("in %.0f h", d.Hours())
	case d < 14*24*time.Hour:
		return fmt.Sprintf("in %.0f d", d.Hours()/24)
	}
	return t.Local().Format("2006-01-02")
}

// Moment is a time as people write it.
func Moment(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("Mon 2 Jan 2006 15:04")
}

// Brief is moment in a table: the year is said where it is another one.
func Brief(t, now time.Time) string {
	switch {
	case t.IsZero():
		return "-"
	case t.Local().Year() == now.Local().Year():
		return t.Local().Format("Mon 2 Jan 15:04")
	}
	return t.Local().Format("2006-01-02 15:04")
}

// Lasted says how long something takes.
func Lasted(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", max(0, int(d.Seconds())))
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}
