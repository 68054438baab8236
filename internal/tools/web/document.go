package web

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"errand/internal/content"
	"errand/internal/doctext"
	"errand/internal/fetch"
)

// A document turns what a server sent into text.
type document interface {
	read(ctx context.Context, at *url.URL, body []byte) (Page, error)
}

var (
	_ document = htmlDocument{}
	_ document = pdfDocument{}
	_ document = textDocument{}
)

// A Reader finds the text in documents of one kind: [doctext.Reader] is one.
type Reader interface {
	Read(ctx context.Context, at *url.URL, body []byte) (doctext.Text, error)
}

// A pdfDocument is a PDF with text.
type pdfDocument struct{ reader Reader }

func (d pdfDocument) read(ctx context.Context, at *url.URL, body []byte) (Page, error) {
	if d.reader == nil {
		return Page{}, fmt.Errorf("%s: this is a PDF, and this program cannot read one", at)
	}
	text, err := d.reader.Read(ctx, at, body)
	if err != nil {
		return Page{}, fmt.Errorf("%s: the PDF cannot be read: %w", at, err)
	}
	return Page{Title: cmp.Or(text.Title, at.Host+at.Path), Text: text.Text, Note: text.Note}, nil
}

// An htmlDocument is a web page.
type htmlDocument struct{ reader Reader }

func (d htmlDocument) read(ctx context.Context, at *url.URL, body []byte) (Page, error) {
	if d.reader == nil {
		return Page{}, fmt.Errorf("%s: this is a web page, and this program cannot read one", at)
	}
	text, err := d.reader.Read(ctx, at, body)
	if err != nil {
		return Page{}, fmt.Errorf("%s: the page cannot be read: %w", at, err)
	}
	page := Page{Title: cmp.Or(text.Title, at.Host+at.Path), Text: text.Text, Date: text.Date, Note: text.Note}
	switch short := len(page.Text) < 400; {
	case short && asksForPerson(string(body)):
		return Page{}, fmt.Errorf("%s: the site takes errand for a robot and asks for a puzzle: it cannot be read here. "+
			"Use another source, or ask the person to paste the text", at)
	case page.Text == "" && bytes.Contains(body, []byte("<script")):
		return Page{}, fmt.Errorf("%s: the page has no text without JavaScript, which errand does not run: use another source", at)
	case page.Text == "":
		return Page{}, fmt.Errorf("%s: the page has no text", at)
	case short && page.Note == "" && bytes.Contains(body, []byte("<script")):
		page.Note = "The page has little text without JavaScript, which errand does not run: it may be incomplete."
	}
	return page, nil
}

// maxHTML is how much of a page is looked at, in bytes. Its parts that are read take
// up some multiples of it in memory.
const maxHTML = 5 << 20

func (w *web) document(ctx context.Context, r *fetch.Response) (Page, error) {
	if err := refusedBy(r); err != nil {
		return Page{}, err
	}
	declared, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // what it is not is found out below
	found := content.TypeOf(r.Body)
	at := r.URL
	switch {
	case len(bytes.TrimSpace(r.Body)) == 0:
		return Page{}, fmt.Errorf("%s: the page is empty", at)
	case found == "application/pdf":
		if r.Truncated {
			return Page{}, fmt.Errorf("%s: the PDF is larger than %s, and cannot be read in part", at, content.Size(int64(len(r.Body))))
		}
		return pdfDocument{w.PDFs}.read(ctx, at, r.Body)
	case isHTML(declared, found):
		body := r.Body
		cut := r.Truncated
		if len(body) > maxHTML {
			body, cut = body[:maxHTML], true
		}
		page, err := htmlDocument{w.HTML}.read(ctx, at, decode(body, r.Header.Get("Content-Type")))
		if cut {
			page.Note = strings.TrimSpace(page.Note + fmt.Sprintf(" The page is long: only its first %s were read.", content.Size(int64(len(body)))))
		}
		return page, err
	case content.IsText(found), isTextual(declared) && (!bytes.Contains(r.Body, []byte{0}) || isWide(r)):
		page, err := textDocument{}.read(ctx, at, decode(r.Body, r.Header.Get("Content-Type")))
		if r.Truncated {
			page.Note = fmt.Sprintf("The text is long: only its first %s were read.", content.Size(int64(len(r.Body))))
		}
		return page, err
	}
	return Page{}, fmt.Errorf("%s: this is no text but %s (%s): it cannot be read here", at, found, content.Size(int64(len(r.Body))))
}

func isHTML(declared, found string) bool {
	base, _, _ := strings.Cut(found, ";")
	switch {
	case base == "text/html", base == "application/xhtml+xml":
		// Markdown that begins with a tag is still what its server says.
		return declared != "text/plain" && declared != "text/markdown"
	case declared == "text/html", declared == "application/xhtml+xml":
		return content.IsText(found)
	}
	return false
}

func isTextual(declared string) bool {
	return strings.HasPrefix(declared, "text/") || strings.HasSuffix(declared, "json") || strings.HasSuffix(declared, "xml") || declared == "application/javascript" || declared == "application/yaml"
}

// isWide reports whether a text has two bytes a character, and so may have zeros in it.
func isWide(r *fetch.Response) bool {
	_, name, _ := charset.DetermineEncoding(r.Body, r.Header.Get("Content-Type"))
	return strings.HasPrefix(name, "utf-16")
}

// decode makes UTF-8 of a text, by its mark, the header, its own words, or a guess, in
// this order (https://html.spec.whatwg.org/#determining-the-character-encoding). It
// never fails: what does not fit becomes U+FFFD.
func decode(body []byte, contentType string) []byte {
	e, name, _ := charset.DetermineEncoding(body, contentType)
	if name == "utf-8" && utf8.Valid(body) {
		return bytes.TrimPrefix(body, []byte("\uFEFF")) // as most pages are
	}
	text, err := io.ReadAll(e.NewDecoder().Reader(bytes.NewReader(body)))
	if err != nil {
		return bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	return bytes.TrimPrefix(text, []byte("\uFEFF"))
}

// A textDocument is JSON, plain text, Markdown or a feed: it is read as it is.
type textDocument struct{}

func (textDocument) read(_ context.Context, at *url.URL, body []byte) (Page, error) {
	return Page{Title: at.Host + at.Path, Text: string(body)}, nil
}

// puzzles are the words by which pages ask whether a person is there. They count only
// where there is hardly anything else to read.
var puzzles = []string{"captcha", "just a moment...", "verify you are human", "verifying you are human", "are you a robot", "challenge-platform", "anomaly-modal", "unusual traffic", "enable javascript and cookies to continue"}

// asksForPerson reports whether text is a puzzle.
func asksForPerson(text string) bool {
	text = strings.ToLower(text)
	for _, p := range puzzles {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}

// refusedBy says why an answer is no page; nil: it is one.
func refusedBy(r *fetch.Response) error {
	status := fmt.Sprintf("%d %s", r.Status, http.StatusText(r.Status))
	head := string(r.Body[:min(len(r.Body), 64<<10)])
	puzzle := fmt.Errorf("%s: the site takes errand for a robot and asks for a puzzle (%s): it cannot be read here. Use another source, or ask the person to paste the text", r.URL, status)
	switch {
	case r.Status == http.StatusOK || r.Status == http.StatusNonAuthoritativeInfo:
		return nil
	case r.Header.Get("Cf-Mitigated") == "challenge", asksForPerson(head):
		// https://developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response/
		return puzzle
	case r.Status == http.StatusUnauthorized, r.Status == http.StatusPaymentRequired, r.Status == http.StatusForbidden:
		return fmt.Errorf("%s: the site does not let errand read this (%s)", r.URL, status)
	case r.Status == http.StatusNotFound, r.Status == http.StatusGone:
		return fmt.Errorf("%s: there is no such page (%s)", r.URL, status)
	case r.Status == http.StatusTooManyRequests:
		return fmt.Errorf("%s: the site takes no more requests just now (%s): try again later, or use another source", r.URL, status)
	}
	return fmt.Errorf("%s: the site answered %s instead of a page", r.URL, status)
}
