package code

import (
	"cmp"
	"context"
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

// Time limits around a program. They are needed because a program can pretend that its
// files are still being copied.
const (
	start  = time.Minute
	finish = 2 * time.Minute
	silent = 30 * time.Second // without any output
)

type progress struct {
	began   moment // the program began; its process does not report this
	ended   moment // the program ended; its process is still finishing
	stopped moment // errand stopped the program
	moved   moment // the latest output of its files
}

// A moment is the time of an event, or zero before it. It is safe for concurrent use.
type moment struct{ at atomic.Value }

func (m *moment) now() { m.at.Store(time.Now()) }

func (m *moment) time() time.Time {
	at, _ := m.at.Load().(time.Time)
	return at
}

// run runs cmd and do. It returns do's error separately, as failed. To stop a program, it
// closes the input of one that listens, which gives it time to finish, and kills any other.
func (l Options) run(ctx context.Context, cmd *exec.Cmd, p *progress, listens bool, do func(from *io.PipeReader, to io.WriteCloser) error) (o outcome, failed, err error) {
	// A process ends with the thread that started it (prctl(2), PR_SET_PDEATHSIG).
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	input, err := cmd.StdinPipe()
	if err != nil {
		return o, nil, err
	}
	defer input.Close()
	var once sync.Once
	var killed atomic.Bool
	// Kill at once: a program that exhausts memory or processes may have ended the process
	// that would stop it.
	end := func(why string) {
		once.Do(func() { o.stopped = why })
		killed.Store(true)
		_ = cmd.Cancel() // fails only if it has ended
	}
	stop := func(why string) {
		if !listens {
			end(why)
			return
		}
		once.Do(func() {
			o.stopped = why
			p.stopped.now()
			input.Close()
		})
	}
	from, to := io.Pipe()
	printed := &output{most: maxOutput, full: func() { stop("it printed more than " + content.Size(maxOutput)) }}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = to, printed, 5*time.Second
	started := time.Now()
	if err := cmd.Start(); err != nil {
		return o, nil, err
	}
	done := make(chan error, 1)
	go func() { done <- do(from, input) }()
	gone := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() { l.watch(cmd.Process.Pid, p, gone, stop, end) })
	err = cmd.Wait()
	close(gone)
	watch.Wait()
	to.Close()
	failed = <-done
	once.Do(func() {}) // a limit exceeded after the end is not the reason for it
	began := cmp.Or(p.began.time(), started)
	o.output, o.exit, o.took = printed.String(), cmd.ProcessState.ExitCode(), max(0, cmp.Or(p.ended.time(), time.Now()).Sub(began))
	if ctx.Err() != nil {
		return o, failed, context.Cause(ctx)
	}
	if o.exit < 0 && o.stopped == "" && !killed.Load() {
		o.stopped = fmt.Sprintf("the system ended it (%s), as it does when it has no more memory", cmd.ProcessState)
	}
	return o, failed, nil
}

// watch calls stop if the program exceeds its time or the size of its files, and end if it
// exceeds its memory or processes. Between two checks, the system's limits apply. Checks
// use at most a fifth of a processor.
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

// extraProcesses are those of the sandbox: two of bubblewrap or one of a container,
// and two shells.
const extraProcesses = 5

// treeOf returns a process and its descendants, with their memory in bytes. Without /proc
// it returns nothing.
func treeOf(pid int) (pids []int, memory int64) {
	mapped := map[string]int64{} // shared memory by inode, so that it counts once
	for waiting := []int{pid}; len(waiting) > 0 && len(pids) < 10_000; waiting = waiting[1:] {
		of := filepath.Join("/proc", strconv.Itoa(waiting[0]))
		status, err := os.ReadFile(filepath.Join(of, "status"))
		if err != nil {
			continue // it has ended
		}
		pids = append(pids, waiting[0])
		memory += memoryOf(string(status))
		maps, _ := os.ReadFile(filepath.Join(of, "maps")) // on an error, it has ended
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
	// The pattern is valid.
	threads, _ := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*", "children"))
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

// memoryOf reads /proc/PID/status. It does not count pages that were read from files, or
// files in memory, which count as files.
func memoryOf(status string) (size int64) {
	for line := range strings.Lines(status) {
		switch name, value, _ := strings.Cut(line, ":"); name {
		// Page tables use memory even for pages that were only read.
		case "RssAnon", "VmSwap", "VmPTE":
			// The kernel writes numbers.
			kilobytes, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			size += kilobytes << 10
		}
	}
	return size
}

// sharedIn reads the shared memory in /proc/PID/maps. It counts memory even if its
// pages were released.
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
