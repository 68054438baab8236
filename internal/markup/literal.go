package markup

import (
	"bytes"
	"regexp"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	gtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// times treats an asterisk between letters or digits as text, because 2*3*4 in a chat is a product.
// **h**ead stays bold.
type times struct{}

func (times) Trigger() []byte { return []byte{'*'} }

func (times) Parse(_ ast.Node, block gtext.Reader, _ parser.Context) ast.Node {
	rest, segment := block.PeekLine()
	n := 0
	for n < len(rest) && rest[n] == '*' {
		n++
	}
	before := block.PrecendingCharacter()
	if n > 2 || n == len(rest) || before > 'z' || !util.IsAlphaNumeric(byte(before)) || !util.IsAlphaNumeric(rest[n]) {
		return nil
	}
	if n == 2 && !(util.IsNumeric(byte(before)) && util.IsNumeric(rest[n])) {
		return nil
	}
	block.Advance(n)
	return ast.NewTextSegment(segment.WithStop(segment.Start + n))
}

// addresses finds URLs. goldmark's own extension also looks for mail addresses, in quadratic time.
type addresses struct{}

var webAddress = regexp.MustCompile(`^https?://[-\pL\pN:%._+~#=]{1,256}(?:[/?#][^\s<>"\x60]{0,1000})?`)

// Trigger returns the characters that may precede a URL. ' ' means the start of a text or any white
// space.
func (addresses) Trigger() []byte { return []byte(` ("':,;=>`) }

func (addresses) Parse(parent ast.Node, block gtext.Reader, _ parser.Context) ast.Node {
	rest, segment := block.PeekLine()
	start := 0
	if len(rest) > 0 && rest[0] != 'h' {
		start = 1
	}
	if !bytes.HasPrefix(rest[start:], []byte("http")) || start == 0 && inWord(block.PrecendingCharacter()) {
		return nil
	}
	found := trimAddress(webAddress.Find(rest[start:]))
	if len(found) <= len("https://") {
		return nil
	}
	segment.Stop = segment.Start + start
	if start > 0 {
		ast.MergeOrAppendTextSegment(parent, segment)
	}
	segment.Start, segment.Stop = segment.Stop, segment.Stop+len(found)
	block.Advance(start + len(found))
	return ast.NewAutoLink(ast.AutoLinkURL, ast.NewTextSegment(segment))
}

func trimAddress(s []byte) []byte {
	for {
		s = bytes.TrimRight(s, "?!.,:;*_~'`|]}")
		if !bytes.HasSuffix(s, []byte(")")) || bytes.Count(s, []byte(")")) <= bytes.Count(s, []byte("(")) {
			return s
		}
		s = s[:len(s)-1]
	}
}
