package chat

import (
	"bytes"
	"io"
	"sync"

	"errand/internal/printable"
)

const (
	ctrlC, ctrlE, ctrlU = 3, 5, 21
	enter, newline      = '\r', '\n'
)

// keys is the keyboard of a terminal in raw mode, on its way to the line editor.
//
// It hands a line over in two parts, so that what stands above the prompt can
// go before the line becomes part of what has been said. And it takes Ctrl-C
// out, which the editor could not tell from Ctrl-D.
type keys struct {
	in          io.Reader
	buf         [256]byte
	rest        []byte
	beforeEnter func()
	interrupt   func() (leave bool)
}

func (k *keys) Read(p []byte) (int, error) {
	if len(k.rest) == 0 {
		n, err := k.in.Read(k.buf[:])
		if n == 0 {
			return 0, err
		}
		k.rest = k.buf[:n]
	}
	switch k.rest[0] {
	case enter, newline:
		n := 1
		if len(k.rest) > 1 && k.rest[0] == enter && k.rest[1] == newline {
			n = 2
		}
		k.beforeEnter()
		return k.take(p, n), nil
	case ctrlC:
		k.rest = k.rest[1:]
		if k.interrupt() {
			return 0, io.EOF
		}
		return copy(p, []byte{ctrlE, ctrlU}), nil // the line that was begun goes
	}
	n := bytes.IndexAny(k.rest, string([]byte{enter, newline, ctrlC}))
	if n < 0 {
		n = len(k.rest)
	}
	return k.take(p, n), nil
}

func (k *keys) take(p []byte, n int) int {
	n = copy(p, k.rest[:n])
	k.rest = k.rest[n:]
	return n
}

// A lineHistory is what arrow-up goes back to. Unlike the editor's own it may be
// added to while a line is being read.
type lineHistory struct {
	mu    sync.Mutex
	lines []string // the latest last
}

// maxLines is how far back arrow-up goes.
const maxLines = 200

// Add implements [golang.org/x/term.History].
func (h *lineHistory) Add(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	text = printable.Line(text)
	if text == "" || len(h.lines) > 0 && h.lines[len(h.lines)-1] == text {
		return
	}
	if h.lines = append(h.lines, text); len(h.lines) > maxLines {
		h.lines = h.lines[1:]
	}
}

// Len implements [golang.org/x/term.History].
func (h *lineHistory) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.lines)
}

// At implements [golang.org/x/term.History].
func (h *lineHistory) At(i int) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if i < 0 || i >= len(h.lines) {
		return ""
	}
	return h.lines[len(h.lines)-1-i]
}
