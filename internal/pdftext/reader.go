package pdftext

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"errand/internal/ownprocess"
)

// Argument is how a program is called that is to read one PDF: [Main] does it.
const Argument = "read-pdf"

const (
	longest   = 20 * time.Second
	maxText   = 10_000_000 // bytes
	maxPages  = 5_000
	maxMemory = 768 << 20 // of the process that reads
)

// A Text is what a PDF says.
type Text struct {
	Title string `json:"title"`
	Text  string `json:"text"`
	Note  string `json:"note,omitempty"`  // what is missing
	Error string `json:"error,omitempty"` // why there is nothing
}

// A Reader reads PDFs with a program that hands [Argument] to [Main]. It is safe for
// concurrent use, and reads two files at a time.
type Reader struct {
	program string
	places  chan struct{}
}

// NewReader makes a reader; the program is this one, by its path.
func NewReader(program string) *Reader {
	return &Reader{program, make(chan struct{}, 2)}
}

// Read returns the text of a PDF. Where there is none, the error says why.
func (r *Reader) Read(ctx context.Context, body []byte) (Text, error) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	tooLong := fmt.Errorf("it takes longer than %s to read", longest)
	select {
	case r.places <- struct{}{}:
		defer func() { <-r.places }()
	case <-ctx.Done():
		return Text{}, errors.Join(tooLong, ctx.Err())
	}
	cmd := ownprocess.Command(ctx, r.program, Argument)
	cmd.Stdin = bytes.NewReader(body)
	out, err := ownprocess.Output(cmd, 8*maxText)
	if ctx.Err() != nil {
		return Text{}, errors.Join(tooLong, ctx.Err())
	}
	var text Text
	if err != nil || json.Unmarshal(out, &text) != nil {
		// It ran out of memory or stack, or its output was too much.
		return Text{}, errors.New("it takes more than there is room for")
	}
	if text.Error != "" {
		return Text{}, errors.New(text.Error)
	}
	return text, nil
}
