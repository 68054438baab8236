package doctext

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

// maxElements bounds the elements of a page in which the reader looks for its main text: the
// search takes longer than linear time.
const maxElements = 30_000

// maxSpan is the number of digits of a table cell's colspan or rowspan: the converter makes a
// cell for each unit of both.
const maxSpan = 2

// readHTML returns the text of a web page, as Markdown. The text is empty if the page has none.
func readHTML(at *url.URL, body []byte) Text {
	doc, err := html.Parse(bytes.NewReader(body))
	if err != nil { // nested deeper than anything that is meant to be read
		return Text{Text: tokens(body), Note: "The page is nested too deeply to convert. This is its text without formatting."}
	}
	page := Text{Title: titleOf(doc)}
	main := mainText(doc, at, &page)
	if main == nil {
		main = doc
	}
	strip(main)
	markdown, err := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()),
		converter.WithEscapeMode(converter.EscapeModeDisabled)). // models read words: backslashes are noise to them
		ConvertNode(main, converter.WithDomain(at.Scheme+"://"+at.Host))
	if err != nil {
		return Text{Error: broken}
	}
	page.Text = string(bytes.TrimSpace(markdown))
	return page
}

// mainText is the article of a page without what is around it; nil: it has none, or is
// no article. It leaves doc as it is.
func mainText(doc *html.Node, at *url.URL, page *Text) *html.Node {
	parser := readability.NewParser()
	parser.MaxElemsToParse = maxElements
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

// strip removes what no reader is meant to read, pictures that are their own address, and
// long spans of table cells.
func strip(n *html.Node) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		if isNoText(c) {
			n.RemoveChild(c)
		} else {
			c.Attr = slices.DeleteFunc(c.Attr, func(a html.Attribute) bool { return strings.HasSuffix(a.Key, "span") && len(a.Val) > maxSpan })
			strip(c)
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
		return attr(n, "src") == "" || strings.TrimSpace(attr(n, "alt")) == "" || strings.HasPrefix(attr(n, "src"), "data:")
	}
	return false
}

func titleOf(doc *html.Node) string {
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Title && n.Namespace == "" {
			return strings.Join(strings.Fields(textOf(n)), " ")
		}
	}
	return ""
}

func tokens(body []byte) string {
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

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}
