package code

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"errand/internal/content"
)

const watched = 50 * time.Millisecond

// A sandbox copies files in before a program begins, and out when the program was stopped or has
// ended. A program can pretend both, so errand does not wait for ever.
const (
	start  = time.Minute
	finish = 2 * time.Minute
	silent = 30 * time.Second // without anything that comes out
)

// A progress says how far a program is.
type progress struct {
	began   moment // the program began, which its process does not say
	ended   moment // it ended, while its process finishes
	stopped moment // errand stopped it
	moved   moment // something of its files came out last
}

// A moment is when something happened, if it has. It is safe for concurrent use.
type moment struct{ at atomic.Value }

func (m *moment) now() { m.at.Store(time.Now()) }

func (m *moment) time() time.Time {
	at, _ := m.at.Load().(time.Time)
	return at
}

// exchange runs cmd with do at the other ends of its input and output, and also returns the error
// of do. To stop the program, errand closes its input if the program listens, and otherwise kills it.
func (l Options) exchange(ctx context.Context, cmd *exec.Cmd, p *progress, listens bool, do func(from, to *os.File) error) (o outcome, failed, err error) {
	in, to, err := os.Pipe()
	if err != nil {
		return o, nil, err
	}
	defer in.Close()
	defer to.Close()
	from, out, err := os.Pipe()
	if err != nil {
		return o, nil, err
	}
	defer from.Close()
	defer out.Close()
	cmd.Stdin, cmd.Stdout = in, out
	defer context.AfterFunc(ctx, func() { from.Close() })()
	done := make(chan error, 1)
	go func() { done <- do(from, to) }()
	input := io.Closer(to)
	if !listens {
		input = nil
	}
	o, err = l.run(ctx, cmd, p, input)
	in.Close()
	to.Close()
	out.Close()
	// What it has written is there. If another process has the other end, errand does not wait for it.
	defer time.AfterFunc(silent, func() { from.Close() }).Stop()
	return o, <-done, err
}

// run runs cmd until it ends or exceeds a limit. Its errors are its output, and so is its
// output unless it goes elsewhere. Closing input stops the program and leaves its process the time
// to finish; nil: errand kills it.
func (l Options) run(ctx context.Context, cmd *exec.Cmd, p *progress, input io.Closer) (outcome, error) {
	// A process ends with the thread that started it (prctl(2), PR_SET_PDEATHSIG).
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var o outcome
	var once sync.Once
	var killed atomic.Bool
	kill := func() {
		killed.Store(true)
		_ = cmd.Cancel() // one that has ended needs no more
	}
	stop := func(why string) {
		once.Do(func() {
			o.stopped = why
			p.stopped.now()
			if input == nil {
				kill()
				return
			}
			input.Close()
		})
	}
	// What takes the machine's memory or processes may have ended what would stop it.
	end := func(why string) {
		once.Do(func() { o.stopped = why })
		kill()
	}
	out := &output{most: maxOutput, full: func() { stop("it printed more than " + content.Size(maxOutput)) }}
	cmd.Stderr = out
	if cmd.Stdout == nil {
		cmd.Stdout = out
	}
	cmd.WaitDelay = time.Second
	started := time.Now()
	if err := cmd.Start(); err != nil {
		return outcome{}, err
	}
	gone := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() { l.watch(cmd.Process.Pid, p, gone, stop, end) })
	err := cmd.Wait()
	close(gone)
	watch.Wait()
	once.Do(func() {}) // what it exceeded after its end is not why it ended
	began := cmp.Or(p.began.time(), started)
	o.output, o.exit, o.took = out.String(), cmd.ProcessState.ExitCode(), max(0, cmp.Or(p.ended.time(), time.Now()).Sub(began))
	if ctx.Err() != nil {
		return o, context.Cause(ctx)
	}
	if o.exit < 0 && o.stopped == "" && !killed.Load() {
		o.stopped = fmt.Sprintf("the system ended it (%s), as it does when it has no more memory", cmd.ProcessState)
	}
	var exit *exec.ExitError
	if err != nil && o.stopped == "" && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return o, err
	}
	return o, nil
}

// watch calls stop for a program that exceeds its time or the size of its files, and end for
// one that exceeds its memory or processes, also if the program pretends to have ended. It
// returns when the process is gone or it has called end. Between two looks it sees nothing: the
// system's limits catch what a program allocates then. Looking takes at most a fifth of a
// processor, however many files a program has open.
func (l Options) watch(pid int, p *progress, gone <-chan struct{}, stop, end func(string)) {
	tick := time.NewTicker(watched)
	defer tick.Stop()
	for started := time.Now(); ; {
		var now time.Time
		select {
		case <-gone:
			return
		case now = <-tick.C:
		}
		pids, memory := treeOf(pid)
		if why := l.exceeded(pids, memory); why != "" {
			end(why)
			return
		}
		tick.Reset(max(watched, 4*time.Since(now)))
		began, over, moved := p.began.time(), cmp.Or(p.stopped.time(), p.ended.time()), p.moved.time()
		switch {
		case !over.IsZero():
			if now.Sub(over) > finish || now.Sub(over) > silent && now.Sub(moved) > silent {
				end("")
				return
			}
		case began.IsZero() && now.Sub(started) > start:
			end("it did not begin within " + start.String()) // it has written nothing
			return
		case !began.IsZero() && now.Sub(began) > l.Timeout:
			stop("it ran longer than " + l.Timeout.String())
		case usedRoom(pids, l.roomSize()) > (l.Files+l.roomSize())/2:
			stop("its files had more than " + content.Size(l.Files))
		}
	}
}

// exceeded says what processes have more of than they may; empty: nothing.
func (l Options) exceeded(pids []int, memory int64) string {
	channels, waiting := channelsOf(pids)
	switch {
	case channels > maxChannels:
		return fmt.Sprintf("it had more than %d sockets and pipes", maxChannels)
	case memory+waiting > l.Memory:
		return "it used more than " + content.Size(l.Memory) + " of memory"
	case len(pids) > l.Processes+extraProcesses:
		return fmt.Sprintf("it had more than %d processes", l.Processes)
	}
	return ""
}

// extraProcesses are the sandbox's own: two of bubblewrap or the first of a container, and the
// shell with its second process.
const extraProcesses = 5

// treeOf returns a process and those below it, and their memory in bytes. Without /proc it returns
// nothing.
func treeOf(pid int) (pids []int, memory int64) {
	mapped := map[string]int64{} // shared memory by its inode: it counts once
	for waiting := []int{pid}; len(waiting) > 0 && len(pids) < 10_000; waiting = waiting[1:] {
		of := filepath.Join("/proc", strconv.Itoa(waiting[0]))
		status, err := os.ReadFile(filepath.Join(of, "status"))
		if err != nil {
			continue // it has ended
		}
		pids = append(pids, waiting[0])
		memory += memoryOf(string(status))
		maps, _ := os.ReadFile(filepath.Join(of, "maps")) // an error: it has ended
		for inode, size := range sharedIn(string(maps)) {
			mapped[inode] = max(mapped[inode], size)
		}
		waiting = append(waiting, childrenOf(waiting[0])...)
	}
	for _, size := range mapped {
		memory += size
	}
	return pids, memory
}

func childrenOf(pid int) (list []int) {
	threads, _ := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*", "children")) // the pattern is right
	for _, file := range threads {
		children, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		for _, child := range strings.Fields(string(children)) {
			if n, err := strconv.Atoi(child); err == nil {
				list = append(list, n)
			}
		}
	}
	return list
}

// memoryOf returns the private memory in a process's /proc/PID/status, without what it has read
// from files. Files in memory count as files.
func memoryOf(status string) (size int64) {
	for line := range strings.Lines(status) {
		switch name, value, _ := strings.Cut(line, ":"); name {
		case "RssAnon", "VmSwap", "VmPTE": // tables of pages that were only read are memory too
			kilobytes, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64) // the kernel writes numbers
			size += kilobytes << 10
		}
	}
	return size
}

// sharedIn returns the sizes of shared memory in a process's /proc/PID/maps, by inode. It exists
// though the process has let go of its pages.
func sharedIn(maps string) map[string]int64 {
	sizes := map[string]int64{}
	for line := range strings.Lines(maps) {
		if !strings.HasSuffix(line, " /dev/zero (deleted)\n") {
			continue
		}
		fields := strings.Fields(line) // addresses, rights, offset, device, inode, name
		from, to, _ := strings.Cut(fields[0], "-")
		low, err := strconv.ParseUint(from, 16, 64)
		high, err2 := strconv.ParseUint(to, 16, 64)
		if len(fields) > 5 && err == nil && err2 == nil {
			sizes[fields[4]] += int64(high - low)
		}
	}
	return sizes
}

type output struct {
	mu   sync.Mutex
	b    []byte
	most int64
	full func()
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	left := int(o.most) - len(o.b)
	o.b = append(o.b, p[:min(len(p), left)]...)
	o.mu.Unlock()
	if len(p) > left {
		o.full()
	}
	return len(p), nil
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.b)
}
