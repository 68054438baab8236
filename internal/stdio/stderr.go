package stdio

import (
	"bufio"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"

	"errand"
	"errand/internal/content"
)

// A stderrLog logs what a program writes to its standard error: while it comes up, so that
// the operator sees why it does not. Once it has carried out a call its lines may have
// words of people in them, and are only counted.
type stderrLog struct {
	protocol string
	log      *slog.Logger
	busy     *atomic.Int64
	secrets  []string
	done     chan struct{} // closed when everybody who could write has ended

	mu    sync.Mutex
	last  string
	lines int
}

const mostStderr = 100

func (l *stderrLog) read(from io.ReadCloser) {
	defer close(l.done)
	defer from.Close()
	r := bufio.NewReaderSize(from, 4096)
	for {
		piece, err := r.ReadSlice('\n')
		if len(piece) > 0 {
			l.line(string(piece))
		}
		for errors.Is(err, bufio.ErrBufferFull) { // the rest of a long line
			_, err = r.ReadSlice('\n')
		}
		if err != nil {
			break
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lines > mostStderr || l.lines > 0 && l.busy.Load() > 0 {
		l.log.Info("lines that a program wrote to stderr are not shown: they are many, or may have words of people in them", "protocol", l.protocol, "lines", l.lines)
	}
}

func (l *stderrLog) line(text string) {
	text = errand.Cut(Masked(content.OneLine(text), l.secrets), 300)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines++
	if text == "" || l.busy.Load() > 0 {
		return
	}
	l.last = text
	if l.lines <= mostStderr {
		l.log.Info("a program writes to stderr", "protocol", l.protocol, "text", text)
	}
}

func (l *stderrLog) lastWords() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// Masked is text without secrets, of which the longer come first.
func Masked(text string, secrets []string) string {
	for _, secret := range secrets {
		text = strings.ReplaceAll(text, secret, "[redacted]")
	}
	return text
}
