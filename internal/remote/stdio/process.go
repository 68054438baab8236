// Package stdio runs programs that exchange messages over their standard input and output,
// one per line. They get a clean environment, errand limits what they send, and they end
// together with every process that they have started.
package stdio

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// A Program describes a program to start.
type Program struct {
	Command []string
	Folder  string            // its working directory, which must exist
	Home    string            // its HOME
	Env     map[string]string // added to the few variables that every program gets
	Mark    string            // identifies it and its children; starting it again ends the old one
	Secrets []string          // values that logs must not contain

	Protocol string        // its protocol, for people: "MCP"
	Busy     *atomic.Int64 // above 0: its standard error may quote people
	Longest  int           // bytes of one message; default: LongestMessage
	Most     int           // unsolicited messages within ten seconds; default: 20,000
	Logger   *slog.Logger
}

// stopWithin is how long a program may take to end after its input is closed, and
// again after SIGTERM.
const stopWithin = 2 * time.Second

// markVariable identifies children of a program, even those that have left its process group.
const markVariable = "ERRAND_STARTED"

// passedOn are the variables that a program inherits. errand's keys and tokens are not among them.
var passedOn = []string{"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"}

// A Process is a running program. It is an [io.ReadWriteCloser]: Read returns pieces of
// whole messages, Write sends messages, and Close ends the program.
type Process struct {
	protocol string
	stdin    io.WriteCloser
	stdout   *lines
	mark     string
	pid      int
	ended    chan struct{} // closed when the group's first process has ended
	err      error         // its result; read it after ended is closed
	errs     *stderrLog
	stop     sync.Once
	closed   atomic.Bool // its input is closed: it no longer reads
	asked    atomic.Bool // errand asked it to end while it was still connected
	killed   atomic.Bool // errand killed it
}

// Start starts a program. It first ends any process of the same mark that an earlier
// errand has left.
func Start(prog Program) (*Process, error) {
	p := &Process{protocol: prog.Protocol, mark: prog.Mark, ended: make(chan struct{})}
	killMarked(p.mark)
	cmd := exec.Command(prog.Command[0], prog.Command[1:]...)
	cmd.Dir, cmd.Env = prog.Folder, environment(prog)
	cmd.SysProcAttr = ownGroup()
	// Use plain pipes: exec would wait until the last child has closed its own.
	in, stdin, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	stdout, out, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, in.Close(), stdin.Close())
	}
	stderr, errs, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, in.Close(), stdin.Close(), stdout.Close(), out.Close())
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errs
	started := make(chan error)
	go func() {
		// The kernel kills the program when the thread that started it ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		in.Close()
		out.Close()
		errs.Close()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.ended)
		}
	}()
	if err := <-started; err != nil {
		stdin.Close()
		stdout.Close()
		stderr.Close()
		return nil, err
	}
	p.pid, p.stdin, p.stdout = cmd.Process.Pid, stdin, newLines(stdout, prog)
	p.errs = &stderrLog{protocol: prog.Protocol, log: prog.Logger, busy: prog.Busy, secrets: prog.Secrets, done: make(chan struct{})}
	go p.errs.read(stderr)
	return p, nil
}

// Close ends the program and everything that it has started. It returns when the
// program has ended.
func (p *Process) Close() error {
	p.stop.Do(func() {
		select {
		case <-p.ended:
		default:
			p.asked.Store(!p.isGone())
		}
		p.stdin.Close()
		wait := func() bool {
			timer := time.NewTimer(stopWithin)
			defer timer.Stop()
			select {
			case <-p.ended:
				return true
			case <-timer.C:
				return false
			}
		}
		if !wait() {
			p.killed.Store(true)
			syscall.Kill(-p.pid, syscall.SIGTERM)
			wait()
		}
		syscall.Kill(-p.pid, syscall.SIGKILL)
		killMarked(p.mark)
		<-p.ended
		p.stdout.Close()
	})
	return nil
}

// Kill ends the program and everything that it has started at once, without a request to stop.
func (p *Process) Kill() {
	p.killed.Store(true)
	syscall.Kill(-p.pid, syscall.SIGKILL)
	killMarked(p.mark)
}

// Next returns the next message, including its line break. It must not be called
// concurrently with Read.
func (p *Process) Next() ([]byte, error) { return p.stdout.next() }

// Read reads from the program's output.
func (p *Process) Read(b []byte) (int, error) { return p.stdout.Read(b) }

// Write records a broken pipe, because libraries hide the error.
func (p *Process) Write(b []byte) (int, error) {
	n, err := p.stdin.Write(b)
	if errors.Is(err, syscall.EPIPE) {
		p.closed.Store(true)
	}
	return n, err
}

func (p *Process) reason() string {
	select {
	case <-p.ended:
	default:
		return ""
	}
	if p.killed.Load() || p.asked.Load() && p.err == nil {
		return ""
	}
	why := "it ended"
	if p.err != nil {
		why = "it ended: " + p.err.Error()
	}
	if last := p.errs.lastWords(); last != "" {
		why += " (" + last + ")"
	}
	return why
}

// EndMarked ends all programs with this mark and their children, including those of
// another errand process.
func EndMarked(mark string) { killMarked(mark) }

// MarkOf returns the mark for a text that identifies a program.
func MarkOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:12])
}

// SecretsOf returns the strings to mask in output, the longest first: each value of a
// variable or header and each filled string of at least 6 bytes, and each word of a value
// of at least 8 bytes.
func SecretsOf(values map[string]string, filled ...string) []string {
	var list []string
	for _, value := range values {
		filled = append(slices.Clip(filled), value)
		for _, word := range strings.Fields(value) {
			if len(word) >= 8 {
				list = append(list, word)
			}
		}
	}
	for _, value := range filled {
		if len(value) >= 6 {
			list = append(list, value)
		}
	}
	slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
	return list
}

func environment(p Program) []string {
	env := []string{"HOME=" + p.Home, markVariable + "=" + p.Mark}
	for _, name := range passedOn {
		if value, set := os.LookupEnv(name); set {
			env = append(env, name+"="+value)
		}
	}
	for name, value := range p.Env {
		env = append(env, name+"="+value) // the last value of a name wins
	}
	return env
}

// Describe says why the connection to the program ended, for the operator. err is the
// error that the library returned.
func (p *Process) Describe(err error) error {
	if p.isGone() {
		p.awaitLastWords()
	}
	switch why := p.stdout.broken(); {
	case why != nil:
		return why
	case p.reason() != "":
		return errors.New(p.reason())
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("it did not answer in time%s", p.stdout.rubbish())
	case p.isGone() && !p.asked.Load():
		return ErrClosed
	}
	return err
}

// ErrClosed is the error for a connection that ended for an unknown reason.
var ErrClosed = errors.New("it closed the connection")

// isGone reports whether the program no longer reads or no longer writes. Either may
// be noticed first.
func (p *Process) isGone() bool { return p.closed.Load() || p.stdout.ended() }

// awaitLastWords waits briefly for the program to end and for its last output. It does not
// wait for a program that keeps running.
func (p *Process) awaitLastWords() {
	timer := time.NewTimer(stopWithin)
	defer timer.Stop()
	for _, end := range []<-chan struct{}{p.ended, p.errs.done} {
		select {
		case <-end:
		case <-timer.C:
			return
		}
	}
}
