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
	"errand/internal/fetch"
	"errand/internal/sandbox"
)

type document interface {
	read(ctx context.Context, at *url.URL, body []byte) (Page, error)
}

var (
	_ document = htmlDocument{}
	_ document = pdfDocument{}
	_ document = textDocument{}
)

// A Reader extracts the text of documents of one kind. [sandbox.DocumentReader] is one.
type Reader interface {
	Read(ctx context.Context, at *url.URL, body []byte) (sandbox.DocumentText, error)
}

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
		return Page{}, fmt.Errorf("%s: the site blocks robots with a puzzle and cannot be read. "+
			"Use another source, or ask the user to paste the text", at)
	case page.Text == "" && bytes.Contains(body, []byte("<script")):
		return Page{}, fmt.Errorf("%s: the page has no text without JavaScript, which errand does not run: use another source", at)
	case page.Text == "":
		return Page{}, fmt.Errorf("%s: the page has no text", at)
	case short && page.Note == "" && bytes.Contains(body, []byte("<script")):
		page.Note = "The page has little text without JavaScript, which errand does not run: it may be incomplete."
	}
	return page, nil
}

// maxHTML is in bytes. A page uses several times its size in memory.
const maxHTML = 5 << 20

func (w *web) document(ctx context.Context, r *fetch.Response) (Page, error) {
	if err := refusedBy(r); err != nil {
		return Page{}, err
	}
	// A wrong type is detected below.
	declared, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
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
		// Markdown may begin with a tag, so the server's type counts.
		return declared != "text/plain" && declared != "text/markdown"
	case declared == "text/html", declared == "application/xhtml+xml":
		return content.IsText(found)
	}
	return false
}

func isTextual(declared string) bool {
	return strings.HasPrefix(declared, "text/") || strings.HasSuffix(declared, "json") || strings.HasSuffix(declared, "xml") || declared == "application/javascript" || declared == "application/yaml"
}

// isWide reports whether a text is UTF-16, and may therefore contain zero bytes.
func isWide(r *fetch.Response) bool {
	_, name, _ := charset.DetermineEncoding(r.Body, r.Header.Get("Content-Type"))
	return strings.HasPrefix(name, "utf-16")
}

// decode converts a page to UTF-8. It detects the encoding by byte order mark, header or
// content: https://html.spec.whatwg.org/#determining-the-character-encoding
// Invalid bytes become U+FFFD.
func decode(body []byte, contentType string) []byte {
	e, name, _ := charset.DetermineEncoding(body, contentType)
	if name == "utf-8" && utf8.Valid(body) {
		return bytes.TrimPrefix(body, []byte("\uFEFF")) // most pages are UTF-8
	}
	text, err := io.ReadAll(e.NewDecoder().Reader(bytes.NewReader(body)))
	if err != nil {
		return bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	return bytes.TrimPrefix(text, []byte("\uFEFF"))
}

// A textDocument is JSON, plain text, Markdown or a feed, which needs no conversion.
type textDocument struct{}

func (textDocument) read(_ context.Context, at *url.URL, body []byte) (Page, error) {
	return Page{Title: at.Host + at.Path, Text: string(body)}, nil
}

// puzzles are phrases of pages that ask for a person. They count only on pages with
// little other text.
var puzzles = []string{"captcha", "just a moment...", "verify you are human", "verifying you are human", "are you a robot", "challenge-platform", "anomaly-modal", "unusual traffic", "enable javascript and cookies to continue"}

func asksForPerson(text string) bool {
	text = strings.ToLower(text)
	for _, p := range puzzles {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}

func refusedBy(r *fetch.Response) error {
	status := fmt.Sprintf("%d %s", r.Status, http.StatusText(r.Status))
	head := string(r.Body[:min(len(r.Body), 64<<10)])
	puzzle := fmt.Errorf("%s: the site blocks robots (%s) and cannot be read. Use another source, or ask the user to paste the text", r.URL, status)
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
