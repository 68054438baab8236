package stdio

import (
	"bufio"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"

	"errand/internal/content"
	"errand/internal/core"
)

// A stderrLog logs the standard error of a program, so that the operator sees why it
// does not start. Once the program has handled a call, its lines may quote people, and
// they are only counted.
type stderrLog struct {
	protocol string
	log      *slog.Logger
	busy     *atomic.Int64
	secrets  []string
	done     chan struct{} // closed when all writers have closed it

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
		for errors.Is(err, bufio.ErrBufferFull) { // skip the rest of a long line
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
	text = core.Cut(Masked(content.OneLine(text), l.secrets), 300)
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

// Masked replaces the secrets in text. Longer secrets must come first.
func Masked(text string, secrets []string) string {
	for _, secret := range secrets {
		text = strings.ReplaceAll(text, secret, "[redacted]")
	}
	return text
}
