package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"
)

const (
	maxDocumentTime   = 20 * time.Second // for one document, after it has a slot
	maxDocumentText   = 10_000_000       // bytes
	maxPDFPages       = 5_000            // of a PDF
	maxDocumentMemory = 768 << 20        // for the process that reads
)

// A DocumentText is the text of a document. The text of a web page is Markdown.
type DocumentText struct {
	Title string `json:"title"`
	Text  string `json:"text"`
	Date  string `json:"date,omitempty"`  // of publication, as 2026-11-23
	Note  string `json:"note,omitempty"`  // what is missing
	Error string `json:"error,omitempty"` // why there is no text

	Results []SearchResult `json:"results,omitempty"` // for a search engine's page
}

// A DocumentReader reads documents of one kind, several at a time. It is safe for
// concurrent use.
type DocumentReader struct {
	program, argument string
	places            chan struct{}
}

// NewDocumentReader returns a reader for one job: [ReadPDF], [ReadHTML] or
// [ReadSearchResults]. program is the path of this executable, which calls [RunJob].
func NewDocumentReader(program, argument string) *DocumentReader {
	places := 4
	if argument == ReadPDF {
		places = 2 // PDFs are rarer, and take more memory
	}
	return &DocumentReader{program, argument, make(chan struct{}, places)}
}

// Read returns the text of a document. at is its address, which resolves the links of a
// web page. Read waits for a slot until ctx ends. If there is no text, the error says why.
func (r *DocumentReader) Read(ctx context.Context, at *url.URL, body []byte) (DocumentText, error) {
	select {
	case r.places <- struct{}{}:
		defer func() { <-r.places }()
	case <-ctx.Done():
		return DocumentText{}, fmt.Errorf("wait for other documents to be read: %w", ctx.Err())
	}
	ctx, cancel := context.WithTimeout(ctx, maxDocumentTime)
	defer cancel()
	cmd := Command(ctx, r.program, r.argument)
	cmd.Stdin = io.MultiReader(strings.NewReader(at.String()+"\n"), bytes.NewReader(body))
	out, err := Output(cmd, 8*maxDocumentText)
	if ctx.Err() != nil {
		return DocumentText{}, errors.Join(fmt.Errorf("it takes longer than %s to read", maxDocumentTime), ctx.Err())
	}
	var text DocumentText
	if err != nil || json.Unmarshal(out, &text) != nil {
		// The process ran out of memory or stack, or wrote too much.
		return DocumentText{}, errors.New("reading it needs more memory than errand allows")
	}
	if text.Error != "" {
		return DocumentText{}, errors.New(text.Error)
	}
	return text, nil
}
