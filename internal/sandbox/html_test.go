package sandbox

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestReadHTML(t *testing.T) {
	r := NewDocumentReader(program(t), ReadHTML)
	got, err := r.Read(t.Context(), documentAddress, []byte(`<title>Trains</title><p>See <a href="/fares">the fares</a>.`))
	require.NoError(t, err)
	require.Equal(t, DocumentText{Title: "Trains", Text: "See [the fares](https://docs.example/fares)."}, got)
}

// TestHTMLBombs proves that a page which asks for more memory than there is ends its own
// process at most, and not this one.
func TestHTMLBombs(t *testing.T) {
	r := NewDocumentReader(program(t), ReadHTML)
	words := "<p>A page, with words, and commas. It is one of those that people read, and it is in no hurry, or so they say.</p>"

	// Security finding 1: 187 bytes, and ten thousand million cells.
	got, err := r.Read(t.Context(), documentAddress, []byte(words+"<table><tr><td colspan=99999 rowspan=99999>x</table>"))
	require.NoError(t, err)
	require.Contains(t, got.Text, "x")

	// Spans that are allowed, too many times.
	began := time.Now()
	_, err = r.Read(t.Context(), documentAddress, []byte(words+"<table>"+strings.Repeat("<tr>"+strings.Repeat("<td colspan=99 rowspan=99>x", 100), 20)+"</table>"))
	require.Regexp(t, "it takes longer|needs more memory", err)
	require.Less(t, time.Since(began), maxDocumentTime+10*time.Second)
}

// TestDocumentsWait proves that a page waits for its place as long as its caller does: slow pages
// do not use up the time of the next.
func TestDocumentsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewDocumentReader("no such program", ReadHTML)
		for range 4 {
			r.places <- struct{}{} // four pages are being read
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*maxDocumentTime)
		defer cancel()
		began := time.Now()
		_, err := r.Read(ctx, documentAddress, nil)
		require.Equal(t, 2*maxDocumentTime, time.Since(began))
		require.EqualError(t, err, "wait for other documents to be read: context deadline exceeded")
	})
}
