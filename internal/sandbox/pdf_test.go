package sandbox

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// A pdfFile is a PDF of objects, numbered from 1, the first of which is its root.
func pdfFile(version string, objects ...string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%%PDF-%s\n", version)
	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R /Info << /Title (A title) >> >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return b.Bytes()
}

func pdfStream(dict string, data []byte) string {
	return fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(data), data)
}

func flate(data []byte) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	z.Write(data)
	z.Close()
	return b.Bytes()
}

func pdfPages(version string, contents ...string) []byte {
	objects := []string{"<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"}
	var kids []string
	for _, c := range contents {
		n := len(objects) + 1
		kids = append(kids, fmt.Sprintf("%d 0 R", n))
		objects = append(objects, fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>", n+1), c)
	}
	objects[1] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(kids))
	return pdfFile(version, objects...)
}

func plainStream(text string) string { return pdfStream("", []byte(text)) }

var documentAddress = &url.URL{Scheme: "https", Host: "docs.example", Path: "/a"}

func pdfReader(t *testing.T) *DocumentReader {
	t.Helper()
	return NewDocumentReader(program(t), ReadPDF)
}

func TestReadPDF(t *testing.T) {
	content := "BT /F1 12 Tf 72 700 Td (Night trains to) Tj 0 -14 Td [(Os) -20 (lo) -400 (leave)] TJ T* (late.) Tj ET"
	for name, body := range map[string][]byte{
		"plain": pdfPages("1.4", plainStream(content)), "packed": pdfPages("1.7", pdfStream("/Filter /FlateDecode", flate([]byte(content)))), "of version 2": pdfPages("2.0", plainStream(content)),
	} {
		got, err := pdfReader(t).Read(t.Context(), documentAddress, body)
		if err != nil || got.Title != "A title" || strings.TrimSpace(got.Text) != "(page 1)\nNight trains to\nOslo leave\nlate." || got.Note != "" {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
	// A broken page does not take the others with it.
	got, err := pdfReader(t).Read(t.Context(), documentAddress, pdfPages("1.4", plainStream(content), pdfStream("/Filter /Unheard", []byte("x")), plainStream("BT /F1 12 Tf (third) Tj ET")))
	if err != nil || !strings.Contains(got.Text, "(page 3)\nthird") || got.Note != "1 of 3 pages of the PDF are broken and were left out." {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestPDFRefused proves that a PDF that is broken, empty, or made to exhaust its reader is an error
// that says so, and that this process goes on.
func TestPDFRefused(t *testing.T) {
	zeros := bytes.Repeat([]byte("1 "), 24<<20)
	bomb := flate(zeros)
	for name, test := range map[string]struct {
		body []byte
		want string
	}{
		"nothing":     {nil, "it is broken"},
		"no PDF":      {[]byte("hello"), "it is broken"},
		"half":        {pdfPages("1.4", plainStream("BT (x) Tj ET"))[:120], "it is broken"},
		"no text":     {pdfPages("1.4", plainStream("0 0 m 10 10 l S")), "it has no text: its pages are pictures"},
		"no pages":    {pdfPages("1.4"), "it has no text"},
		"all broken":  {pdfPages("1.4", pdfStream("/Filter /Unheard", []byte("x"))), "1 of its 1 pages are broken"},
		"own parent":  {pdfFile("1.4", "<< /Type /Catalog /Pages 1 0 R /Kids [1 0 R] /Count 1 >>"), ""},
		"nested":      {pdfPages("1.4", plainStream("BT "+strings.Repeat("[", 4_000_000))), "it has no text"},
		"nested dict": {pdfPages("1.4", plainStream("BT "+strings.Repeat("<</a", 2_000_000))), "it has no text"},
		"bomb":        {pdfPages("1.4", pdfStream("/Filter /FlateDecode", bomb)), "more memory than errand allows"},
		"twice":       {pdfPages("1.4", pdfStream("/Filter [/FlateDecode /FlateDecode]", flate(bomb))), "more memory than errand allows"},
		"columns":     {pdfPages("1.4", pdfStream("/Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 99999999999999 >>", flate([]byte("x")))), "more memory than errand allows"},
	} {
		got, err := pdfReader(t).Read(t.Context(), documentAddress, test.body)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %.200q, %v; want an error with %q", name, got.Text, err, test.want)
		}
	}
}

// FuzzReadPDF proves that each file has a result: its text, or the reason for having no text.
func FuzzReadPDF(f *testing.F) {
	f.Add(pdfPages("1.4", plainStream("BT /F1 12 Tf 72 700 Td (Night trains) Tj ET")))
	f.Add(pdfPages("1.7", pdfStream("/Filter /FlateDecode", flate([]byte("BT /F1 12 Tf [(a) -300 (b)] TJ T* (c) ' ET")))))
	f.Add([]byte("%PDF-1.4\nstartxref\n0\n%%EOF"))
	reader := NewDocumentReader(program(f), ReadPDF)
	f.Fuzz(func(t *testing.T, body []byte) {
		if got, err := reader.Read(t.Context(), documentAddress, body); err == nil && strings.TrimSpace(got.Text) == "" {
			t.Fatalf("neither text nor an error: %+v", got)
		}
	})
}
