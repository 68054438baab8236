package markup

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	gtext "github.com/yuin/goldmark/text"
)

// parse shows a link as plain text if its URL would take more than half of limit.
func parse(p Platform, limit Limit, markdown string) text {
	source := []byte(clean(markdown))
	b := builder{
		platform: p, source: source,
		longest: limit.Size / 2, budget: len(source) + 1<<16,
	}
	b.children(newParser().Parse(gtext.NewReader(source)))
	t := text{plain: b.plain.String(), spans: b.spans}
	if !visible(t.plain) {
		return text{}
	}
	return t.slice(0, t.end(), t.spans)
}

// A builder collects text and styles. It writes the space before a block with the next character,
// so that no space remains at the end.
type builder struct {
	platform Platform
	source   []byte
	longest  int // maximum length of a link's URL
	budget   int // bytes left for URLs, because a reference can be repeated without limit

	plain   strings.Builder
	cleaner cleaner
	spans   []span
	on      [kinds]int // open spans by kind

	gap    string   // line breaks to write before the next character
	indent []string // of the lines of list items
}

// write cleans the text again, because an entity (&#8238;) can produce a removed character.
func (b *builder) write(s string) {
	for _, r := range s {
		c := b.cleaner
		if b.gap != "" {
			c = cleaner{} // a character after the gap combines with nothing before it
		}
		r, ok := c.next(r)
		if !ok {
			if b.gap == "" {
				b.cleaner = c
			}
			continue
		}
		b.space()
		b.cleaner = c
		b.plain.WriteRune(r)
		if r == '\n' && b.on[block] == 0 {
			b.writeIndent()
		}
	}
}

func (b *builder) space() {
	if b.gap == "" {
		return
	}
	if b.plain.Len() > 0 {
		b.plain.WriteString(b.gap)
	}
	b.gap = ""
	b.cleaner = cleaner{}
	if b.on[block] == 0 {
		b.writeIndent()
	}
}

func (b *builder) writeIndent() {
	for _, s := range b.indent {
		b.plain.WriteString(s)
	}
}

// span ignores a style inside the same style or inside an opaque span.
func (b *builder) span(s span, inside func()) {
	if b.on[s.kind] > 0 || b.on[code]+b.on[block]+b.on[address] > 0 || b.on[link] > 0 && s.kind.opaque() {
		inside()
		return
	}
	if s.kind == block { // the text of a block has no indentation
		defer func(old []string) { b.indent = old }(b.indent)
		b.indent = nil
	}
	b.space()
	s.start = b.plain.Len()
	at := len(b.spans)
	b.spans = append(b.spans, s)
	b.on[s.kind]++
	inside()
	b.on[s.kind]--
	b.spans[at].end = b.plain.Len()
}

func (b *builder) children(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if n.Type() != ast.TypeInline && c.Type() == ast.TypeBlock && c.PreviousSibling() != nil {
			b.apart(c)
		}
		b.node(c)
	}
}

func (b *builder) apart(n ast.Node) {
	b.gap = "\n\n"
	around := n.Parent()
	if around.Kind() == ast.KindListItem {
		around = around.Parent()
	}
	if list, ok := around.(*ast.List); ok && (list.IsTight || n.Kind() == ast.KindList) {
		b.gap = "\n"
	}
}

func (b *builder) node(n ast.Node) {
	inside := func() { b.children(n) }
	switch n := n.(type) {
	case *ast.Heading:
		b.heading(n)
	case *ast.Blockquote:
		b.span(span{kind: quote}, inside)
	case *ast.List:
		b.list(n)
	case *ast.ThematicBreak:
		b.write("──────────")
	case *ast.FencedCodeBlock:
		b.lines(n, string(n.Language(b.source)))
	case *ast.CodeBlock:
		b.lines(n, "")
	case *east.Table:
		b.table(n)
	case *ast.Text:
		b.text(n)
	case *ast.String:
		b.write(string(n.Value))
	case *ast.CodeSpan:
		b.span(span{kind: code}, func() { b.write(b.raw(n)) })
	case *ast.Emphasis:
		k := italic
		if n.Level == 2 {
			k = bold
		}
		b.span(span{kind: k}, inside)
	case *east.Strikethrough:
		b.span(span{kind: strike}, inside)
	case *east.TaskCheckBox:
		if n.IsChecked {
			b.write("☑ ")
		} else {
			b.write("☐ ")
		}
	case *ast.AutoLink:
		b.address(string(n.Label(b.source)))
	case *ast.Link:
		b.link(n, unescape(n.Destination))
	case *ast.Image:
		b.link(n, unescape(n.Destination))
	default:
		inside()
	}
}

// text joins pieces that goldmark has split, possibly inside an entity.
func (b *builder) text(n *ast.Text) {
	if before, ok := n.PreviousSibling().(*ast.Text); ok && continues(before, n) {
		return // written together with its predecessor
	}
	segment := n.Segment
	for {
		next, ok := n.NextSibling().(*ast.Text)
		if !ok || !continues(n, next) {
			break
		}
		segment.Stop, n = next.Segment.Stop, next
	}
	b.write(unescape(segment.Value(b.source)))
	if n.SoftLineBreak() || n.HardLineBreak() {
		b.lineBreak()
	}
}

func continues(a, b *ast.Text) bool {
	return a.Segment.Stop == b.Segment.Start && !a.SoftLineBreak() && !a.HardLineBreak()
}

// lineBreak keeps line breaks, because a model means them in a chat.
func (b *builder) lineBreak() {
	if b.on[heading] > 0 {
		b.write(" ")
		return
	}
	b.write("\n")
}

func (b *builder) heading(n *ast.Heading) {
	if b.platform == Discord && n.Level <= 3 {
		b.span(span{kind: heading, level: n.Level}, func() { b.children(n) })
		return
	}
	b.on[heading]++
	b.span(span{kind: bold}, func() { b.children(n) })
	b.on[heading]--
}

func (b *builder) list(n *ast.List) {
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		if item.PreviousSibling() != nil {
			b.apart(item)
		}
		mark := "- "
		switch {
		case n.IsOrdered():
			mark = strconv.Itoa(number) + ". "
			number++
		case b.platform == Telegram || b.platform == terminal:
			mark = "• "
		}
		b.span(span{kind: marker}, func() { b.write(mark) })
		b.indent = append(b.indent, strings.Repeat(" ", len([]rune(mark))))
		b.children(item)
		b.indent = b.indent[:len(b.indent)-1]
	}
}

func (b *builder) lines(n ast.Node, language string) {
	var s strings.Builder
	lines := n.Lines()
	for i := range lines.Len() {
		line := lines.At(i)
		s.Write(line.Value(b.source))
	}
	b.block(s.String(), language)
}

func (b *builder) block(s, language string) {
	if s = strings.TrimLeft(s, "\n"); !visible(s) {
		return
	}
	shown := strings.TrimRightFunc(s, blank)
	line, _, _ := strings.Cut(s[len(shown):], "\n")
	s = shown + line
	if !languages.MatchString(language) {
		language = ""
	}
	b.span(span{kind: block, language: language}, func() { b.write(s) })
}

var languages = regexp.MustCompile(`^[A-Za-z0-9_+.#-]{1,24}$`)

func (b *builder) raw(n ast.Node) string {
	var s strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			s.Write(c.Segment.Value(b.source))
		case *ast.String:
			s.Write(c.Value)
		}
	}
	return strings.ReplaceAll(s.String(), "\n", " ")
}
