package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/ledongthuc/pdf"
)

var errPDFTooLong = errors.New("it is longer than what is read")

func pdfText(body []byte) (text DocumentText) {
	// The library accepts only versions up to 1.7, and 2.0 reads the same.
	if bytes.HasPrefix(body, []byte("%PDF-2.")) {
		body = append([]byte("%PDF-1.7"), body[len("%PDF-2.x"):]...)
	}
	r, err := pdf.NewReader(bytes.NewReader(body), int64(len(body)))
	if errors.Is(err, pdf.ErrInvalidPassword) {
		return DocumentText{Error: "it asks for a password"}
	}
	if err != nil {
		return DocumentText{Error: brokenDocument}
	}
	var b strings.Builder
	pages, unread, shown := r.NumPage(), 0, false
	for i := 1; i <= min(pages, maxPDFPages) && b.Len() < maxDocumentText; i++ {
		w := &pdfWriter{Builder: &b, fonts: map[string]pdf.TextEncoding{}}
		if err := w.read(r, i); err != nil && !errors.Is(err, errPDFTooLong) {
			unread++
		}
		shown = shown || w.shown
	}
	switch {
	case !shown && unread > 0:
		return DocumentText{Error: fmt.Sprintf("%d of its %d pages are broken, and the rest has no text", unread, pages)}
	case !shown:
		return DocumentText{Error: "it has no text: its pages are pictures"}
	case unread > 0:
		text.Note = fmt.Sprintf("%d of %d pages of the PDF are broken and were left out.", unread, pages)
	case pages > maxPDFPages || b.Len() >= maxDocumentText:
		text.Note = "The PDF is long: it was not read to its end."
	}
	text.Title, text.Text = strings.TrimSpace(r.Trailer().Key("Info").Key("Title").Text()), b.String()
	return text
}

// A pdfWriter writes the text that the operators of a page show (ISO 32000-1, section 9.4).
type pdfWriter struct {
	*strings.Builder
	page  pdf.Page
	fonts map[string]pdf.TextEncoding
	font  pdf.TextEncoding
	y     float64
	last  byte // the last byte written
	shown bool
}

// read writes the text of a page. On an error, the text so far stays.
func (w *pdfWriter) read(r *pdf.Reader, number int) (err error) {
	defer func() {
		if p := recover(); p != nil {
			var ok bool
			if err, ok = p.(error); !ok {
				err = fmt.Errorf("%v", p)
			}
		}
	}()
	w.page = r.Page(number)
	contents := w.page.V.Key("Contents")
	if w.page.V.IsNull() || contents.Kind() == pdf.Null {
		return nil
	}
	w.write(fmt.Sprintf("\n\n(page %d)\n", number))
	pdf.Interpret(contents, w.operator)
	return nil
}

const pdfWordGap = -200

func (w *pdfWriter) operator(stack *pdf.Stack, op string) {
	args := make([]pdf.Value, stack.Len())
	for i := range args {
		args[len(args)-1-i] = stack.Pop()
	}
	if w.Len() > maxDocumentText {
		panic(errPDFTooLong)
	}
	var last pdf.Value
	if len(args) > 0 {
		last = args[len(args)-1]
	}
	switch op {
	case "Tf":
		if len(args) == 2 {
			w.font = w.encoding(args[0].Name())
		}
	case "T*", "TD":
		w.line()
	case "Td":
		if last.Float64() != 0 {
			w.line()
		} else {
			w.space()
		}
	case "Tm":
		if y := last.Float64(); y != w.y {
			w.y = y
			w.line()
		} else {
			w.space()
		}
	case "ET":
		w.space()
	case "'", "\"":
		w.line()
		w.show(last.RawString())
	case "Tj":
		w.show(last.RawString())
	case "TJ":
		for i := range last.Len() {
			switch x := last.Index(i); x.Kind() {
			case pdf.String:
				w.show(x.RawString())
			case pdf.Integer, pdf.Real:
				if x.Float64() < pdfWordGap {
					w.space()
				}
			}
		}
	}
}

func (w *pdfWriter) encoding(name string) pdf.TextEncoding {
	e, known := w.fonts[name]
	if !known {
		f := w.page.Font(name)
		e = f.Encoder()
		w.fonts[name] = e
	}
	return e
}

func (w *pdfWriter) show(raw string) {
	if w.font != nil {
		raw = w.font.Decode(raw)
	}
	w.shown = w.shown || strings.TrimSpace(raw) != ""
	w.write(raw)
}

func (w *pdfWriter) write(s string) {
	if s != "" {
		w.WriteString(s)
		w.last = s[len(s)-1]
	}
}

func (w *pdfWriter) line() {
	if w.last != '\n' {
		w.write("\n")
	}
}

func (w *pdfWriter) space() {
	if w.last != ' ' && w.last != '\n' && w.last != 0 {
		w.write(" ")
	}
}
