package stdio

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// TestLastWords proves that the operator reads how a program ended, and what it said last,
// whichever of its pipes errand finds broken first, and however late errand learns of its
// end and of its words.
func TestLastWords(t *testing.T) {
	for name, exit := range map[string]error{"with an error": errors.New("exit status 3"), "without": nil} {
		for first, read := range map[string]bool{"output": true, "input": false} {
			t.Run(name+", its "+first+" first", func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					out, end := io.Pipe()
					defer end.Close()
					in := pipe{syscall.EPIPE}
					if read {
						end.Close()
						in.err = nil
					}
					log := slog.New(slog.DiscardHandler)
					p := &Process{stdin: in, stdout: newLines(out, Program{Logger: log}), ended: make(chan struct{}), errs: &stderrLog{log: log, busy: new(atomic.Int64), done: make(chan struct{})}}
					p.stop.Do(func() {}) // there is nothing to kill
					_, err := p.Write([]byte("{}\n"))
					if read {
						_, err = p.Read(make([]byte, 1))
					}
					if err == nil {
						t.Fatal("it is spoken with")
					}
					go func() {
						time.Sleep(500 * time.Millisecond) // of the bubble
						p.err = exit
						close(p.ended)
						time.Sleep(500 * time.Millisecond)
						p.errs.read(io.NopCloser(strings.NewReader("a module is missing\n")))
					}()
					want := "it ended (a module is missing)"
					if exit != nil {
						want = "it ended: exit status 3 (a module is missing)"
					}
					if got := p.Describe(err).Error(); got != want {
						t.Errorf("down because %q, want %q", got, want)
					}
					<-p.errs.done
				})
			})
		}
	}
}

// A pipe takes what is written to it, or fails as one does that nobody reads.
type pipe struct{ err error }

func (p pipe) Write(b []byte) (int, error) {
	if p.err != nil {
		return 0, &os.PathError{Op: "write", Path: "|1", Err: p.err}
	}
	return len(b), nil
}

func (pipe) Close() error { return nil }

// TestFlood proves that so many messages as nobody needs end a connection, and not as many
// that come in an hour.
func TestFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const note = `{"jsonrpc":"2.0","method":"notifications/progress"}` + "\n"
		for pause, most := range map[time.Duration]int{0: floodMessages, time.Hour: 3 * floodMessages} {
			l := newLines(io.NopCloser(strings.NewReader(strings.Repeat(note, 3*floodMessages))), Program{Logger: slog.New(slog.DiscardHandler)})
			read, buffer := 0, make([]byte, len(note))
			for ; ; read++ {
				if _, err := io.ReadFull(l, buffer); err != nil {
					break
				}
				if read%1000 == 0 {
					time.Sleep(pause) // of the bubble
				}
			}
			if why := l.broken(); read != most || (why != nil) != (pause == 0) {
				t.Errorf("with a pause of %s, %d messages are read, want %d: %v", pause, read, most, why)
			}
		}
	})
}
