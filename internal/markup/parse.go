package markup

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	gtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Deeper or wider structures are shown as source text.
const (
	maxDepth    = 16  // quotes and lists within one another
	maxColumns  = 32  // of a table
	maxAttempts = 500 // of the same inline parser in one paragraph
)

// newParser returns a parser for one text. It does not parse HTML, which no platform shows.
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
			util.Prioritized(newSparse(parser.NewCodeSpanParser()), 100),
			util.Prioritized(newSparse(parser.NewLinkParser()), 200),
			util.Prioritized(newSparse(parser.NewAutoLinkParser()), 300),
			util.Prioritized(times{}, 450),
			util.Prioritized(newSparse(parser.NewEmphasisParser()), 500),
			util.Prioritized(newSparse(extension.NewStrikethroughParser()), 500),
			util.Prioritized(addresses{}, 999),
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

// shallow limits nesting, because the parser compares every line with every open block.
type shallow struct{ parser.BlockParser }

func (s shallow) Open(parent ast.Node, reader gtext.Reader, pc parser.Context) (ast.Node, parser.State) {
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

// narrow limits the width of tables, because the parser pads every row to the width of the first.
type narrow struct{ parser.ParagraphTransformer }

func (n narrow) Transform(node *ast.Paragraph, reader gtext.Reader, pc parser.Context) {
	lines := node.Lines()
	for i := range lines.Len() {
		line := lines.At(i)
		if bytes.Count(line.Value(reader.Source()), []byte("|")) > maxColumns+1 {
			return
		}
	}
	n.ParagraphTransformer.Transform(node, reader, pc)
}

// sparse limits attempts, because the parser may compare every mark with all later ones.
type sparse struct {
	parser.InlineParser
	paragraph ast.Node
	attempts  int // in paragraph
}

func newSparse(p parser.InlineParser) *sparse { return &sparse{InlineParser: p} }

func (s *sparse) Parse(parent ast.Node, block gtext.Reader, pc parser.Context) ast.Node {
	if s.paragraph != parent {
		s.paragraph, s.attempts = parent, 0
	}
	if s.attempts++; s.attempts > maxAttempts {
		return nil
	}
	return s.InlineParser.Parse(parent, block, pc)
}

// CloseBlock lets the link parser clear its state.
func (s *sparse) CloseBlock(parent ast.Node, block gtext.Reader, pc parser.Context) {
	if c, ok := s.InlineParser.(parser.CloseBlocker); ok {
		c.CloseBlock(parent, block, pc)
	}
}
