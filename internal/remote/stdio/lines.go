package stdio

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"
)

// Limits of what a program sends.
const (
	// LongestMessage is the size of one message in bytes.
	LongestMessage = 12 << 20

	mostRubbish   = 1 << 20  // bytes that are not part of a message
	floodMessages = 20_000   // unsolicited messages within floodWithin
	floodBytes    = 64 << 20 // bytes within floodWithin
	floodWithin   = 10 * time.Second
)

// lines reads one message per line and drops other output, which some programs print there.
// Too much other output, a message that is too long, or too many messages end the connection.
type lines struct {
	from     io.ReadCloser
	r        *bufio.Reader
	log      *slog.Logger
	protocol string
	longest  int

	rest  []byte // of the current message
	flood Flood

	mu      sync.Mutex
	junk    int
	failure error
	over    bool // nothing is left to read
}

func newLines(from io.ReadCloser, p Program) *lines {
	return &lines{from: from, r: bufio.NewReaderSize(from, 64<<10), log: p.Logger, protocol: p.Protocol, longest: cmp.Or(p.Longest, LongestMessage), flood: Flood{Most: p.Most}}
}

func (l *lines) Close() error { return l.from.Close() }

func (l *lines) Read(b []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.next()
		if err != nil {
			return 0, err
		}
		l.rest = line
	}
	n := copy(b, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

func (l *lines) next() ([]byte, error) {
	var line []byte
	for {
		piece, err := l.r.ReadSlice('\n')
		if len(line)+len(piece) > l.longest {
			return nil, l.fail(fmt.Errorf("it sent a message of more than %d MB", l.longest>>20))
		}
		line = append(line, piece...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			l.mu.Lock()
			l.over = true
			l.mu.Unlock()
			return nil, err
		}
		break
	}
	var head struct {
		Method string `json:"method"`
	}
	if first := firstByte(line); first != '{' && first != '[' || !json.Valid(line) {
		return nil, l.skip(len(line))
	}
	_ = json.Unmarshal(line, &head) // fails for a batch, which counts as a response
	if why := l.flood.Add(len(line), head.Method != ""); why != nil {
		return nil, l.fail(why)
	}
	return line, nil
}

func firstByte(line []byte) byte {
	for _, b := range line {
		if b != ' ' && b != '\t' && b != '\r' {
			return b
		}
	}
	return '\n'
}

func (l *lines) skip(n int) error {
	l.mu.Lock()
	first := l.junk == 0 && n > 1
	l.junk += n
	tooMuch := l.junk > mostRubbish
	l.mu.Unlock()
	if tooMuch {
		return l.fail(fmt.Errorf("it prints to standard output what is no message of %s", l.protocol))
	}
	if first {
		l.log.Warn("a program prints to standard output what is no message; it is dropped", "protocol", l.protocol)
	}
	return nil
}

func (l *lines) fail(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failure = err
	return err
}

func (l *lines) ended() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.over
}

func (l *lines) broken() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failure
}

func (l *lines) rubbish() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.junk > 1 {
		return ", and prints to standard output what is no message of " + l.protocol
	}
	return ""
}

// A Flood limits the messages within a period.
type Flood struct {
	Most            int // messages per period; default: 20,000
	since           time.Time
	bytes, messages int
}

// Add counts n bytes, and one more message if message is set. It returns an error once a
// limit is exceeded.
func (f *Flood) Add(n int, message bool) error {
	if now := time.Now(); now.Sub(f.since) > floodWithin {
		*f = Flood{Most: f.Most, since: now}
	}
	f.bytes += n
	if message {
		f.messages++
	}
	if f.messages > cmp.Or(f.Most, floodMessages) || f.bytes > floodBytes {
		return errors.New("it floods errand with messages")
	}
	return nil
}
