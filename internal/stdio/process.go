// Package stdio runs programs that are spoken with over their standard input and output,
// one message a line, in an environment made anew. They are bounded in what they send, and
// end with everything that they have started.
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

// A Program is what is started.
type Program struct {
	Command []string
	Folder  string            // in which it runs; it is there
	Home    string            // its HOME
	Env     map[string]string // its variables, beside the few that every program gets
	Mark    string            // marks it and what it starts: one program of a mark runs at a time
	Secrets []string          // that are in no log

	Protocol string        // that it speaks, for people: "MCP"
	Busy     *atomic.Int64 // above 0 once what it writes to standard error may have words of people in it
	Longest  int           // bytes of one message; default: LongestMessage
	Most     int           // messages within ten seconds that answer nothing; default: 20,000
	Logger   *slog.Logger
}

// stopWithin is how long a program may take to end by itself once its input is closed,
// and again once it was asked to terminate.
const stopWithin = 2 * time.Second

// markVariable marks what a program starts, so that it is found and killed even where it
// has left the process group.
const markVariable = "ERRAND_STARTED"

// passedOn are the variables of errand's environment that a program gets. errand's keys
// and tokens are in others.
var passedOn = []string{"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"}

// A Process is a program that was started here. It is an [io.ReadWriteCloser]: Read
// returns pieces of whole messages, Write writes some, Close ends it.
type Process struct {
	protocol string
	stdin    io.WriteCloser
	stdout   *lines
	mark     string
	pid      int
	ended    chan struct{} // closed when the first process of the group is gone
	err      error         // how it went; read after ended
	errs     *stderrLog
	stop     sync.Once
	closed   atomic.Bool // its input: it reads no more of what errand writes
	asked    atomic.Bool // to end, by errand, while it still spoke with errand
	killed   atomic.Bool // by errand
}

// Start starts a program, after it has ended what an errand that was killed has left of it.
func Start(prog Program) (*Process, error) {
	p := &Process{protocol: prog.Protocol, mark: prog.Mark, ended: make(chan struct{})}
	killMarked(p.mark)
	cmd := exec.Command(prog.Command[0], prog.Command[1:]...)
	cmd.Dir, cmd.Env = prog.Folder, environment(prog)
	cmd.SysProcAttr = ownGroup()
	// Plain pipes: those of exec are waited for until the last child has closed them.
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

// Close ends the program with everything it has started, and returns when it has ended.
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

// Kill ends the program with everything it has started, at once: it is asked nothing.
func (p *Process) Kill() {
	p.killed.Store(true)
	syscall.Kill(-p.pid, syscall.SIGKILL)
	killMarked(p.mark)
}

// Next returns the next message, with its line break. Nobody reads beside.
func (p *Process) Next() ([]byte, error) { return p.stdout.next() }

// Read reads what the program writes.
func (p *Process) Read(b []byte) (int, error) { return p.stdout.Read(b) }

// Write notes a broken pipe: in what libraries make of the error nobody finds it any more.
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

// EndMarked ends the programs of a mark, and what they have started, whoever started them.
func EndMarked(mark string) { killMarked(mark) }

// MarkOf is a mark for the program that a text names.
func MarkOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:12])
}

// SecretsOf returns the strings to mask in output: each value of a variable or header and each
// string that was filled into it, if it has 6 bytes or more, and each word of a value, if it has
// 8 or more. The longest come first.
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

// environment is that of a program: a few variables that every one needs, its home, and
// what the operator gave it.
func environment(p Program) []string {
	env := []string{"HOME=" + p.Home, markVariable + "=" + p.Mark}
	for _, name := range passedOn {
		if value, set := os.LookupEnv(name); set {
			env = append(env, name+"="+value)
		}
	}
	for name, value := range p.Env {
		env = append(env, name+"="+value) // the last of a name counts
	}
	return env
}

// Describe says for the operator why errand speaks with the program no more, where err is
// what a library makes of it.
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

// ErrClosed is why a program is spoken with no more of which nothing better is known.
var ErrClosed = errors.New("it closed the connection")

// isGone reports whether the program speaks with errand no more, as one that has ended: it
// writes nothing more, or reads nothing more. Which of the two errand meets first is
// chance.
func (p *Process) isGone() bool { return p.closed.Load() || p.stdout.ended() }

// awaitLastWords waits for the end of a program that is gone, and until what it
// said before is read: both come a moment later, and a busy machine takes its time. A
// program that closes its output or input and lives on, and what it has started and left
// behind, are not waited for.
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
