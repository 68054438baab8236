package sandbox

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
	"time"

	"codeberg.org/readeck/go-readability/v2"
	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxHTMLElements limits the search for the main text, which takes more than linear time.
const maxHTMLElements = 30_000

// maxHTMLSpan is the maximum number of digits in colspan and rowspan: the converter makes a cell
// for each unit.
const maxHTMLSpan = 2

func htmlText(at *url.URL, body []byte) DocumentText {
	doc, err := html.Parse(bytes.NewReader(body))
	if err != nil { // nested too deeply
		return DocumentText{Text: htmlTokens(body), Note: "The page is nested too deeply to convert. This is its text without formatting."}
	}
	page := DocumentText{Title: htmlTitle(doc)}
	main := htmlMainText(doc, at, &page)
	if main == nil {
		main = doc
	}
	stripHTML(main)
	markdown, err := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()),
		// Models read the text: backslashes are noise.
		converter.WithEscapeMode(converter.EscapeModeDisabled)).
		ConvertNode(main, converter.WithDomain(at.Scheme+"://"+at.Host))
	if err != nil {
		return DocumentText{Error: brokenDocument}
	}
	page.Text = string(bytes.TrimSpace(markdown))
	return page
}

// htmlMainText returns nil if a page is not an article. It does not change doc.
func htmlMainText(doc *html.Node, at *url.URL, page *DocumentText) *html.Node {
	parser := readability.NewParser()
	parser.MaxElemsToParse = maxHTMLElements
	if !parser.CheckDocument(doc) {
		return nil
	}
	article, err := parser.ParseDocument(doc, at)
	if err != nil || article.Node == nil {
		return nil
	}
	if article.Title() != "" {
		page.Title = article.Title()
	}
	if t, err := article.PublishedTime(); err == nil {
		page.Date = t.Format(time.DateOnly)
	}
	return article.Node
}

// stripHTML removes invisible elements, inline pictures, and long spans of table cells.
func stripHTML(n *html.Node) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		if isNoText(c) {
			n.RemoveChild(c)
		} else {
			c.Attr = slices.DeleteFunc(c.Attr, func(a html.Attribute) bool { return strings.HasSuffix(a.Key, "span") && len(a.Val) > maxHTMLSpan })
			stripHTML(c)
		}
		c = next
	}
}

func isNoText(n *html.Node) bool {
	if n.Type == html.CommentNode {
		return true
	}
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Iframe, atom.Object, atom.Embed, atom.Canvas, atom.Nav, atom.Footer, atom.Dialog, atom.Head:
		return true
	case atom.Img:
		return htmlAttr(n, "src") == "" || strings.TrimSpace(htmlAttr(n, "alt")) == "" || strings.HasPrefix(htmlAttr(n, "src"), "data:")
	}
	return false
}

func htmlTitle(doc *html.Node) string {
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Title && n.Namespace == "" {
			return strings.Join(strings.Fields(nodeText(n)), " ")
		}
	}
	return ""
}

func htmlTokens(body []byte) string {
	var b strings.Builder
	z := html.NewTokenizer(bytes.NewReader(body))
	for skipped := 0; ; {
		switch z.Next() {
		case html.ErrorToken:
			return strings.TrimSpace(b.String())
		case html.StartTagToken:
			if name, _ := z.TagName(); string(name) == "script" || string(name) == "style" {
				skipped++
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); (string(name) == "script" || string(name) == "style") && skipped > 0 {
				skipped--
			}
		case html.TextToken:
			if text := bytes.TrimSpace(z.Text()); skipped == 0 && len(text) > 0 {
				b.Write(text)
				b.WriteByte('\n')
			}
		}
	}
}

func htmlAttr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func nodeText(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}
