package doctext

import (
	"bufio"
	"encoding/json"
	"io"
	"net/url"
	"runtime/debug"
	"strings"

	"errand/internal/ownprocess"
)

// broken is all that a reader says about a damaged document: the libraries' words quote it.
const broken = "it is broken"

// Main reads one document from in, writes its text to out, and returns the exit code. The
// argument says what kind of document it is. First it gives up what a document could use up.
func Main(argument string, in io.Reader, out io.Writer) int {
	ownprocess.IgnoreInterrupts()
	debug.SetMaxStack(64 << 20)
	debug.SetMemoryLimit(maxMemory / 4 * 3) // the collector works harder before the memory ends
	if err := ownprocess.Confine(ownprocess.Limits{Memory: maxMemory + ownprocess.RaceDetector, CPU: longest}); err != nil {
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
	if err := json.NewEncoder(out).Encode(read(argument, strings.TrimSpace(address), body)); err != nil {
		return 1
	}
	return 0
}

// read returns the text of a document, or why there is none. The libraries panic at some
// broken documents.
func read(argument, address string, body []byte) (text Text) {
	defer func() {
		if p := recover(); p != nil {
			text = Text{Error: broken}
		}
	}()
	switch argument {
	case PDF:
		return readPDF(body)
	case Results:
		return readResults(body)
	}
	at, err := url.Parse(address)
	if err != nil {
		return Text{Error: err.Error()}
	}
	return readHTML(at, body)
}
