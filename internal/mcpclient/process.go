package mcpclient

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"errand"
)

// stopWithin is how long a server may take to end by itself once its input is closed,
// and again once it was asked to terminate.
const stopWithin = 2 * time.Second

// markVariable marks what a server starts, so that it is found and killed even where it
// has left the process group.
const markVariable = "ERRAND_MCP_SERVER"

// passedOn are the variables of errand's environment that a server gets. errand's keys
// and tokens are in others.
var passedOn = []string{"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"}

// A process is a server that was started here, in a process group of its own.
type process struct {
	stdin  io.WriteCloser
	stdout *lines
	mark   string
	pid    int
	ended  chan struct{} // closed when the first process of the group is gone
	err    error         // how it went; read after ended
	errs   *stderrLog
	stop   sync.Once
	closed atomic.Bool // its input: it reads no more of what errand writes
	asked  atomic.Bool // to end, by errand, while it still spoke with errand
	killed atomic.Bool // by errand
}

// start starts the command of a server in folder.
func start(s Server, folder string, busy *atomic.Int64, mostMessages int, log *slog.Logger) (*process, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	p := &process{mark: markOf(folder), ended: make(chan struct{})}
	killMarked(p.mark) // what an errand that was killed has left
	cmd := exec.Command(s.Command[0], s.Command[1:]...)
	cmd.Dir, cmd.Env = folder, environment(s.Env, folder, p.mark)
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
		// The kernel kills the server when the thread that started it ends.
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
	p.pid, p.stdin, p.stdout = cmd.Process.Pid, stdin, newLines(stdout, mostMessages, log)
	p.errs = &stderrLog{log: log, busy: busy, secrets: secretsOf(s), done: make(chan struct{})}
	go p.errs.read(stderr)
	return p, nil
}

// kill ends the server with everything it has started.
func (p *process) kill() {
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
}

// reason is how the server ended by itself, with its last words.
func (p *process) reason() string {
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

// environment is that of a server: a few variables that every program needs, a home of
// its own, and what the operator gave it.
func environment(own map[string]string, folder, mark string) []string {
	env := []string{"HOME=" + folder, markVariable + "=" + mark}
	for _, name := range passedOn {
		if value, set := os.LookupEnv(name); set {
			env = append(env, name+"="+value)
		}
	}
	for name, value := range own {
		env = append(env, name+"="+value) // the last of a name counts
	}
	return env
}

// markOf is what the processes of the server with a folder are marked by.
func markOf(folder string) string {
	sum := sha256.Sum256([]byte(folder))
	return hex.EncodeToString(sum[:12])
}

// secretsOf are the values that must not be seen in a log.
func secretsOf(s Server) []string {
	var list []string
	for _, of := range []map[string]string{s.Env, s.Headers} {
		for _, value := range of {
			if len(value) >= 6 {
				list = append(list, value)
			}
		}
	}
	if s.OAuth != nil {
		list = append(list, s.OAuth.ClientSecret)
	}
	slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
	return list
}

// masked is text without secrets.
func masked(text string, secrets []string) string {
	for _, secret := range secrets {
		text = strings.ReplaceAll(text, secret, "[redacted]")
	}
	return text
}

// A stderrLog logs what a server writes to its standard error: while it comes up, so that
// the operator sees why it does not. Once it has carried out a call its lines may have
// words of people in them, and are only counted.
type stderrLog struct {
	log     *slog.Logger
	busy    *atomic.Int64 // calls that were begun
	secrets []string
	done    chan struct{} // closed when everybody who could write has ended

	mu    sync.Mutex
	last  string
	lines int
}

// mostStderr is how many lines of a server are logged.
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
		l.log.Info("lines that an MCP server wrote to stderr are not shown: they are many, or may have words of people in them", "lines", l.lines)
	}
}

func (l *stderrLog) line(text string) {
	text = errand.Cut(masked(oneLine(text), l.secrets), 300)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines++
	if text == "" || l.busy.Load() > 0 {
		return
	}
	l.last = text
	if l.lines <= mostStderr {
		l.log.Info("an MCP server writes to stderr", "text", text)
	}
}

// lastWords are the last line that may be shown.
func (l *stderrLog) lastWords() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// transport is the process as the SDK speaks with it.
type stdio struct{ *process }

func (s stdio) Read(b []byte) (int, error) { return s.stdout.Read(b) }

// Write notes a broken pipe: in what the SDK makes of the error nobody finds it any more.
func (s stdio) Write(b []byte) (int, error) {
	n, err := s.stdin.Write(b)
	if errors.Is(err, syscall.EPIPE) {
		s.closed.Store(true)
	}
	return n, err
}

func (s stdio) Close() error {
	s.kill()
	return nil
}

// describe says for the operator why a server is not connected.
func (p *process) describe(err error) error {
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
		return errClosed
	}
	return err
}

// isGone reports whether the server speaks with errand no more, as one that has ended: it
// writes nothing more, or reads nothing more. Which of the two errand meets first is
// chance.
func (p *process) isGone() bool { return p.closed.Load() || p.stdout.ended() }

// awaitLastWords waits for the end of a server that is gone, and until what it
// said before is read: both come a moment later, and a busy machine takes its time. A
// server that closes its output or input and lives on, and what it has started and left
// behind, are not waited for.
func (p *process) awaitLastWords() {
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
