package markup

import (
	"strings"

	"github.com/rivo/uniseg"
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// maxWidth limits the padding of a column. A longer cell is written without padding.
const maxWidth = 40

func (b *builder) table(n *east.Table) {
	var rows [][]string
	widths := make([]int, maxColumns+1)
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			s := b.cell(cell)
			if i := len(cells); i < len(widths) {
				widths[i] = max(widths[i], min(uniseg.StringWidth(s), maxWidth))
			}
			cells = append(cells, s)
		}
		rows = append(rows, cells)
	}
	var s strings.Builder
	for i, cells := range rows {
		line := ""
		for j, cell := range cells {
			if j > 0 {
				line += " | "
			}
			line += cell
			if j < len(widths) {
				line += strings.Repeat(" ", max(widths[j]-uniseg.StringWidth(cell), 0))
			}
		}
		s.WriteString(strings.TrimRight(line, " ") + "\n")
		if i == 0 {
			for j := range cells {
				if j > 0 {
					s.WriteString("-|-")
				}
				s.WriteString(strings.Repeat("-", max(widths[min(j, maxColumns)], 1)))
			}
			s.WriteString("\n")
		}
	}
	b.block(s.String(), "")
}

var breaks = strings.NewReplacer("<br>", " ", "<br/>", " ", "<br />", " ", "\n", " ")

// cell ignores styles, because a table is shown as code.
func (b *builder) cell(n ast.Node) string {
	inner := builder{platform: WhatsApp, source: b.source, longest: b.longest, budget: b.budget}
	inner.children(n)
	b.budget = inner.budget
	plain, at := inner.plain.String(), 0
	var s strings.Builder
	for _, c := range inner.spans {
		if c.kind == code {
			s.WriteString(breaks.Replace(plain[at:c.start]))
			s.WriteString(plain[c.start:c.end])
			at = c.end
		}
	}
	s.WriteString(breaks.Replace(plain[at:]))
	return strings.TrimSpace(s.String())
}
