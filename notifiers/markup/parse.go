package markup

import (
	"bytes"
	"regexp"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// What is nested deeper, or wider, is shown as it was written.
const (
	maxDepth   = 16 // quotes and lists within one another
	maxColumns = 32 // of a table
)

// newParser returns a reader of GitHub's Markdown. HTML is not read: no platform
// shows it, so it is text.
func newParser() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(shallow{parser.NewListParser()}, 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(shallow{parser.NewBlockquoteParser()}, 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewEmphasisParser(), 500),
			util.Prioritized(extension.NewStrikethroughParser(), 500),
			util.Prioritized(extension.NewLinkifyParser(
				extension.WithLinkifyAllowedProtocols([][]byte{[]byte("http:"), []byte("https:")}),
				extension.WithLinkifyURLRegexp(webAddress),
			), 999),
		),
		parser.WithParagraphTransformers(
			util.Prioritized(parser.LinkReferenceParagraphTransformer, 100),
			util.Prioritized(narrow{extension.NewTableParagraphTransformer()}, 200),
		),
		parser.WithASTTransformers(
			util.Prioritized(extension.NewTableASTTransformer(), 0),
		),
	)
}

// webAddress finds an address in plain sight, also one of a host without dots.
var webAddress = regexp.MustCompile(`^https?://[-\pL\pN:%._+~#=]{1,256}(?:[/?#][^\s<>"]{0,4096})?`)

// shallow keeps a block from being nested without end: every line of the text is
// held against every block that is open.
type shallow struct{ parser.BlockParser }

func (s shallow) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		if k := n.Kind(); k == ast.KindBlockquote || k == ast.KindList {
			depth++
		}
	}
	if depth >= maxDepth {
		return nil, parser.NoChildren
	}
	return s.BlockParser.Open(parent, reader, pc)
}

// narrow keeps a table from being wide: every row is filled up to the width of
// the first.
type narrow struct{ parser.ParagraphTransformer }

func (n narrow) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines := node.Lines()
	for i := range lines.Len() {
		line := lines.At(i)
		if bytes.Count(line.Value(reader.Source()), []byte("|")) > maxColumns+1 {
			return
		}
	}
	n.ParagraphTransformer.Transform(node, reader, pc)
}
