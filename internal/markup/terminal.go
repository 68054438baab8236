package markup

import (
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// terminal shows URLs after links, as WhatsApp does, because not every terminal can hide them.
const terminal = WhatsApp + 1

// A Terminal is a text terminal that shows Markdown in rows.
type Terminal struct {
	Width   int  // columns in a row
	Taken   int  // used columns of the first row
	Colours bool // show styles with ECMA-48 escapes; without them, code keeps its back-ticks
}

// indentOfCode precedes each line of a code block.
const indentOfCode = "    "

// Rows converts Markdown to rows. None is wider than the terminal, except for rows of code, which
// stay intact so that people can copy them. The only escapes in the rows are those of styles, even
// if the text contains others.
func (t Terminal) Rows(markdown string) []string {
	text := parse(terminal, Limit{1 << 16, CodePoints}, markdown).trim()
	if text.plain == "" {
		return nil
	}
	w := rowWriter{Terminal: t, text: text}
	for at := 0; at <= len(text.plain); {
		end := len(text.plain)
		if i := strings.IndexByte(text.plain[at:], '\n'); i >= 0 {
			end = at + i
		}
		w.line(at, end)
		at = end + 1
	}
	return w.rows
}

type rowWriter struct {
	Terminal
	text
	rows []string
}

func (w *rowWriter) line(start, end int) {
	before, under := "", ""
	if w.in(quote, start) {
		before, under = "│ ", "│ "
	}
	if w.in(block, start) {
		w.rows = append(w.rows, w.paint(dimmed, before)+indentOfCode+w.paint(coded, w.plain[start:end]))
		return
	}
	pieces := w.pieces(start, end)
	if before != "" {
		pieces = append([]piece{{text: before, columns: 2, style: dimmed}}, pieces...)
	}
	under += strings.Repeat(" ", w.hang(start, end))
	width := w.Width
	if len(w.rows) == 0 {
		width -= w.Taken
	}
	for {
		row, rest := split(pieces, max(width, 20))
		w.rows = append(w.rows, w.write(row))
		if len(rest) == 0 {
			return
		}
		pieces, width = append([]piece{{text: under, columns: uniseg.StringWidth(under), style: dimmed}}, rest...), w.Width
	}
}

// hang returns the indentation of continuation rows: in a list, below the first word.
func (w *rowWriter) hang(start, end int) int {
	line := w.plain[start:end]
	n := len(line) - len(strings.TrimLeft(line, " "))
	for _, s := range w.spans {
		if s.kind == marker && s.start == start+n && s.end <= end {
			n += uniseg.StringWidth(w.plain[s.start:s.end])
		}
	}
	return min(n, w.Width/2)
}

type style int

const (
	bolder style = 1 << iota
	slanted
	struck
	coded
	underlined
	dimmed
)

var escapes = []string{"1", "3", "9", "36", "4", "2"}

var styles = map[kind]style{bold: bolder, italic: slanted, strike: struck, code: coded, address: underlined, marker: dimmed}

type piece struct {
	text    string
	columns int
	style   style
}

func (w *rowWriter) pieces(start, end int) (list []piece) {
	near := w.slice(start, end, w.spans).spans
	rest, state := w.plain[start:end], -1
	for at := 0; rest != ""; {
		var cluster string
		var columns int
		cluster, rest, columns, state = uniseg.FirstGraphemeClusterInString(rest, state)
		p := piece{text: cluster, columns: columns}
		if cluster == "\t" {
			p.text, p.columns = "    ", 4
		}
		for _, s := range near {
			if at < s.start || at >= s.end {
				continue
			}
			p.style |= styles[s.kind]
			if s.kind != code || w.Colours {
				continue
			}
			if s.start == at {
				p.text, p.columns = "`"+p.text, p.columns+1
			}
			if s.end == at+len(cluster) {
				p.text, p.columns = p.text+"`", p.columns+1
			}
		}
		list = append(list, p)
		at += len(cluster)
	}
	return list
}

func split(pieces []piece, width int) (row, rest []piece) {
	used, space, words := 0, -1, false
	for i, p := range pieces {
		blank := strings.TrimFunc(p.text, unicode.IsSpace) == ""
		if used+p.columns > width && i > 0 && !blank {
			if space > 0 {
				return pieces[:space], pieces[space+1:]
			}
			return pieces[:i], pieces[i:]
		}
		if blank && words {
			space = i
		}
		words = words || !blank && i > 0
		used += p.columns
	}
	return pieces, nil
}

func (w *rowWriter) write(row []piece) string {
	for len(row) > 0 && strings.TrimFunc(row[len(row)-1].text, unicode.IsSpace) == "" {
		row = row[:len(row)-1]
	}
	var b strings.Builder
	for len(row) > 0 {
		n, text := 0, ""
		for n < len(row) && row[n].style == row[0].style {
			text += row[n].text
			n++
		}
		if n == len(row) {
			text = strings.TrimRight(text, " ") // the space before the next row
		}
		b.WriteString(w.paint(row[0].style, text))
		row = row[n:]
	}
	return b.String()
}

func (w *rowWriter) paint(s style, text string) string {
	if !w.Colours || s == 0 || text == "" {
		return text
	}
	var codes []string
	for i, code := range escapes {
		if s&(1<<i) != 0 {
			codes = append(codes, code)
		}
	}
	return "\x1b[" + strings.Join(codes, ";") + "m" + text + "\x1b[0m"
}
