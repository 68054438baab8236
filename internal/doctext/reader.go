package doctext

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

	"errand/internal/ownprocess"
)

// How a program is called that is to read one document: [Main] does it.
const (
	PDF     = "read-pdf"
	HTML    = "read-html"
	Results = "read-results"
)

const (
	longest   = 20 * time.Second // for one document, once it has a place
	maxText   = 10_000_000       // bytes
	maxPages  = 5_000            // of a PDF
	maxMemory = 768 << 20        // of the process that reads
)

// A Text is what a document says. A web page is Markdown.
type Text struct {
	Title string `json:"title"`
	Text  string `json:"text"`
	Date  string `json:"date,omitempty"`  // of publication, as 2026-11-23
	Note  string `json:"note,omitempty"`  // what is missing
	Error string `json:"error,omitempty"` // why there is nothing

	Results []Result `json:"results,omitempty"` // of a search engine's page
}

// A Reader reads documents of one kind, a few at a time. It is safe for concurrent use.
type Reader struct {
	program, argument string
	places            chan struct{}
}

// NewReader makes a reader of one kind: [PDF], [HTML] or [Results]. The program hands this argument to
// [Main]; it is this program, by its path.
func NewReader(program, argument string) *Reader {
	places := 4
	if argument == PDF {
		places = 2 // a PDF is read less often, and takes more memory
	}
	return &Reader{program, argument, make(chan struct{}, places)}
}

// Read returns the text of a document from an address, which a web page's links are
// relative to. It waits for a place until ctx ends. If there is no text, the error says why.
func (r *Reader) Read(ctx context.Context, at *url.URL, body []byte) (Text, error) {
	select {
	case r.places <- struct{}{}:
		defer func() { <-r.places }()
	case <-ctx.Done():
		return Text{}, fmt.Errorf("wait for other documents to be read: %w", ctx.Err())
	}
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	cmd := ownprocess.Command(ctx, r.program, r.argument)
	cmd.Stdin = io.MultiReader(strings.NewReader(at.String()+"\n"), bytes.NewReader(body))
	out, err := ownprocess.Output(cmd, 8*maxText)
	if ctx.Err() != nil {
		return Text{}, errors.Join(fmt.Errorf("it takes longer than %s to read", longest), ctx.Err())
	}
	var text Text
	if err != nil || json.Unmarshal(out, &text) != nil {
		// It ran out of memory or stack, or its output was too much.
		return Text{}, errors.New("reading it needs more memory than errand allows")
	}
	if text.Error != "" {
		return Text{}, errors.New(text.Error)
	}
	return text, nil
}
