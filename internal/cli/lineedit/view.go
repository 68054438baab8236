package lineedit

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/rivo/uniseg"

	"errand/internal/cli/console"
	"errand/internal/printable"
)

// A View is what is shown of a message: rows, none wider than asked for, and where the
// cursor is: in Row, behind Before.
type View struct {
	Rows   []string
	Row    int
	Before string
}

// prompt stands before a message, and indent before its other rows.
const (
	prompt = "> "
	indent = "  "
	tab    = "    "
	mark   = "▸ "
)

// View shows the message in a width, and in at most so many rows.
func (e *Editor) View(width, height int, style console.Style) View {
	width = max(width, 4)
	before := prompt
	if s := e.search; s != nil {
		before = e.Words.Search
		if s.failed {
			before += ", " + e.Words.None
		}
		before = console.Fit(before+" “"+printable.Line(s.query)+"”", max(width-8, 3)) + ": "
	}
	v := layout(e.buffer, before, width)
	var list []string
	if e.menu != nil && height > 2 {
		list = e.menu.rows(width, min(mostChoices, height/3), e.Words.More, style)
	}
	if most := max(1, height-len(list)); len(v.Rows) > most {
		from := min(max(0, v.Row-most+1), len(v.Rows)-most)
		v.Rows, v.Row = v.Rows[from:from+most], v.Row-from
	}
	v.Rows = append(v.Rows, list...)
	return v
}

// Shown are the rows of a message that has been sent.
func Shown(text string, width int) []string {
	return layout(buffer{text: text}, prompt, max(width, 4)).Rows
}

// layout breaks a text into rows.
func layout(b buffer, before string, width int) View {
	var v View
	var row strings.Builder
	row.WriteString(before)
	used := console.Columns(before)
	end := func() {
		v.Rows = append(v.Rows, row.String())
		row.Reset()
		row.WriteString(indent)
		used = len(indent)
	}
	found := func() { v.Row, v.Before = len(v.Rows), row.String() }
	at, state, rest := 0, -1, b.text
	for rest != "" {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		shown := cluster
		switch cluster {
		case "\n":
			if at == b.at {
				found()
			}
			at += len(cluster)
			end()
			continue
		case "\t":
			shown = tab
		default:
			shown = printable.Text(cluster)
		}
		columns := console.Columns(shown)
		if used+columns > width {
			if shown == " " { // the end of the row is space enough
				if at == b.at {
					found()
				}
				at++
				end()
				continue
			}
			end()
		}
		if at == b.at {
			found()
		}
		row.WriteString(shown)
		used += columns
		at += len(cluster)
	}
	if b.at >= at {
		found()
	}
	end()
	return v
}

const mostChoices = 8

func (c Choice) label() string { return printable.Line(cmp.Or(c.Usage, c.Word)) }

// rows show the choices around the one that is selected.
func (m *menu) rows(width, most int, more string, style console.Style) (rows []string) {
	words := 0
	for _, c := range m.choices {
		words = max(words, console.Columns(c.label()))
	}
	words = min(words, max(8, width*2/5))
	shown := len(m.choices)
	if shown > most {
		shown = max(1, most-1) // the last row says how many there are more
	}
	from := min(max(0, m.selected-shown+1), len(m.choices)-shown)
	for i, c := range m.choices[from : from+shown] {
		begin := indent
		if from+i == m.selected {
			begin = mark
		}
		word := console.Fit(c.label(), words)
		row := begin + word
		if c.About != "" {
			row += strings.Repeat(" ", words-console.Columns(word)+2) + printable.Line(c.About)
		}
		row = console.Fit(row, width)
		if from+i != m.selected {
			row = style.Dim(row)
		}
		rows = append(rows, row)
	}
	if n := len(m.choices) - shown; n > 0 && most > 1 {
		rows = append(rows, style.Dim(console.Fit(fmt.Sprintf("%s… %d %s", indent, n, more), width)))
	}
	return rows
}
