package sandbox

import (
	"bufio"
	"encoding/json"
	"io"
	"net/url"
	"runtime/debug"
	"strings"
)

// brokenDocument replaces errors of the libraries, because they quote the document.
const brokenDocument = "it is broken"

// readDocument reads one document from in, writes its text to out, and returns the exit
// code. argument is the kind of document. It confines the process before it reads.
func readDocument(argument string, in io.Reader, out io.Writer) int {
	IgnoreInterrupts()
	debug.SetMaxStack(64 << 20)
	// Makes the garbage collector work harder before memory runs out.
	debug.SetMemoryLimit(maxDocumentMemory / 4 * 3)
	if err := Confine(Limits{Memory: maxDocumentMemory + RaceDetector, CPU: maxDocumentTime}); err != nil {
		return 1
	}
	r := bufio.NewReader(in)
	address, err := r.ReadString('\n')
	if err != nil {
		return 1
	}
	body, err := io.ReadAll(r)
	if err != nil {
		return 1
	}
	if err := json.NewEncoder(out).Encode(documentText(argument, strings.TrimSpace(address), body)); err != nil {
		return 1
	}
	return 0
}

// documentText recovers from panics of the libraries, which broken documents cause.
func documentText(argument, address string, body []byte) (text DocumentText) {
	defer func() {
		if p := recover(); p != nil {
			text = DocumentText{Error: brokenDocument}
		}
	}()
	switch argument {
	case ReadPDF:
		return pdfText(body)
	case ReadSearchResults:
		return searchResults(body)
	}
	at, err := url.Parse(address)
	if err != nil {
		return DocumentText{Error: err.Error()}
	}
	return htmlText(at, body)
}
