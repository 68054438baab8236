package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
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

// An htmlDocument is a web page.
type htmlDocument struct{}

// most elements of a page that its main text is looked for in: the search for it takes
// longer than linear time.
const mostElements = 30_000

// conversion is how long a page may take, and converting how many are converted at
// once: a page can be made to be slow, and what runs cannot be stopped.
const conversion = 20 * time.Second

var converting = make(chan struct{}, 4)

func (htmlDocument) read(ctx context.Context, at *url.URL, body []byte) (Page, error) {
	return within(ctx, converting, conversion, func() (Page, error) { return readHTML(at, body) })
}

// within runs work that cannot be stopped, and does not wait for it longer than it
// may take. What panics in it is an error.
func within(ctx context.Context, places chan struct{}, most time.Duration, work func() (Page, error)) (Page, error) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	tooLong := fmt.Errorf("the page took longer than %s to read", most)
	select {
	case places <- struct{}{}:
	case <-ctx.Done():
		return Page{}, errors.Join(tooLong, ctx.Err())
	}
	type outcome struct {
		page Page
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if p := recover(); p != nil {
				o = outcome{err: fmt.Errorf("the page is broken in a way that it cannot be read (%v)", p)}
			}
			<-places
			done <- o
		}()
		o.page, o.err = work()
	}()
	select {
	case o := <-done:
		return o.page, o.err
	case <-ctx.Done():
		return Page{}, errors.Join(tooLong, ctx.Err())
	}
}

func readHTML(at *url.URL, body []byte) (Page, error) {
	doc, err := html.Parse(bytes.NewReader(body))
	if err != nil { // nested deeper than anything that is meant to be read
		return Page{Title: at.Host + at.Path, Text: tokens(body), Note: "The page is nested too deeply to be read as it is shown: this is its bare text."}, nil
	}
	page := Page{Title: titleOf(doc)}
	main := mainText(doc, at, &page)
	if main == nil {
		main = doc
	}
	strip(main)
	markdown, err := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()),
		converter.WithEscapeMode(converter.EscapeModeDisabled)). // models read words: backslashes are noise to them
		ConvertNode(main, converter.WithDomain(at.Scheme+"://"+at.Host))
	if err != nil {
		return Page{}, fmt.Errorf("%s: the page cannot be read: %w", at, err)
	}
	page.Text = string(bytes.TrimSpace(markdown))
	if page.Title == "" {
		page.Title = at.Host + at.Path
	}
	switch short := len(page.Text) < 400; {
	case short && asksForPerson(string(body)):
		return Page{}, fmt.Errorf("%s: the site takes errand for a robot and asks for a puzzle: it cannot be read here. Use another source, or ask the person to paste the text", at)
	case page.Text == "" && bytes.Contains(body, []byte("<script")):
		return Page{}, fmt.Errorf("%s: the page has no text without JavaScript, which errand does not run: use another source", at)
	case page.Text == "":
		return Page{}, fmt.Errorf("%s: the page has no text", at)
	case short && bytes.Contains(body, []byte("<script")):
		page.Note = "The page has little text without JavaScript, which errand does not run: it may be incomplete."
	}
	return page, nil
}

// mainText is the article of a page without what is around it; nil: it has none, or is
// no article. It leaves doc as it is.
func mainText(doc *html.Node, at *url.URL, page *Page) *html.Node {
	parser := readability.NewParser()
	parser.MaxElemsToParse = mostElements
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

// strip takes out what no reader is meant to read, and pictures that are their own
// address.
func strip(n *html.Node) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		if isNoText(c) {
			n.RemoveChild(c)
		} else {
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

// tokens is the text between tags, however they are nested.
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
