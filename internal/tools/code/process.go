package code

import (
	"context"
	"errors"
	"fmt"
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

// start is how long what runs programs may take to begin one: its files are copied in
// meanwhile.
const start = time.Minute

// A program that was stopped or has ended is waited for, and its files are taken out,
// while something comes out of it, but not without end: a program can pretend both.
const (
	silent = 30 * time.Second // for so long nothing may come
	finish = 2 * time.Minute  // for so long all of it may take
)

// hooks say more of what runs; each may be nil. Times are zero before what they are of.
type hooks struct {
	began func() time.Time // when the program began, if not with its process
	ended func() time.Time // when it ended, if not with its process
	moved func() time.Time // when something of its files came out last
	stop  func()           // ends the program, and leaves its process the time to finish
}

// A moment is when something happened. It is safe for concurrent use; its zero value is
// that it has not.
type moment struct{ at atomic.Pointer[time.Time] }

func (m *moment) now() {
	now := time.Now()
	m.at.Store(&now)
}

func (m *moment) time() time.Time {
	if at := m.at.Load(); at != nil {
		return *at
	}
	return time.Time{}
}

// run runs cmd until it ends or exceeds a limit. Its errors are its output, and so is its
// output where it goes nowhere else.
func (l Options) run(ctx context.Context, cmd *exec.Cmd, h hooks) (outcome, error) {
	// What is started ends with the thread that started it, not with the process
	// (prctl(2), PR_SET_PDEATHSIG): the thread stays until it has ended.
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
			if h.stop == nil {
				kill()
				return
			}
			h.stop()
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
	never := func() time.Time { return time.Time{} }
	if h.began == nil {
		h.began = func() time.Time { return started }
	}
	if h.ended == nil {
		h.ended = never
	}
	if h.moved == nil {
		h.moved = never
	}
	if err := cmd.Start(); err != nil {
		return outcome{}, err
	}
	gone := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		if l.watch(cmd.Process.Pid, started, h, gone, stop, end); h.stop != nil {
			l.await(cmd.Process.Pid, h, gone, kill, end)
		}
	})
	err := cmd.Wait()
	close(gone)
	watch.Wait()
	once.Do(func() {}) // what it exceeded after its end is not why it ended
	o.output, o.exit, o.took = out.String(), cmd.ProcessState.ExitCode(), time.Since(started)
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

// watch stops what takes more than it may, ends what takes more memory or processes, and
// returns then, or when it has ended. What it allocates between two looks is not seen: the
// limits of the system, where there are any, are for that. Looking takes at most a fifth of a
// processor, however many files a program has open.
func (l Options) watch(pid int, started time.Time, h hooks, gone <-chan struct{}, stop, end func(string)) {
	tick := time.NewTicker(watched)
	defer tick.Stop()
	for {
		select {
		case <-gone:
			return
		case now := <-tick.C:
			if !h.ended().IsZero() {
				return
			}
			switch at := h.began(); {
			case at.IsZero() && now.Sub(started) > start:
				end("it did not begin within " + start.String()) // it has written nothing
				return
			case !at.IsZero() && now.Sub(at) > l.Timeout:
				stop("it ran longer than " + l.Timeout.String())
				return
			}
		}
		began := time.Now()
		pids, memory := treeOf(pid)
		if why := l.exceeded(pids, memory); why != "" {
			end(why)
			return
		}
		tick.Reset(max(watched, 4*time.Since(began)))
		if usedRoom(pids, l.roomSize()) > (l.Files+l.roomSize())/2 {
			stop("its files had more than " + content.Size(l.Files))
			return
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

// await returns when what was stopped or has ended is gone, and kills it when nothing
// comes out of it any more. One that has only pretended its end is held to its limits.
func (l Options) await(pid int, h hooks, gone <-chan struct{}, kill func(), end func(string)) {
	tick := time.NewTicker(watched)
	defer tick.Stop()
	began := time.Now()
	for last := began; ; {
		select {
		case <-gone:
			return
		case now := <-tick.C:
			if at := h.moved(); at.After(last) {
				last = at
			}
			if now.Sub(last) > silent || now.Sub(began) > finish {
				kill()
				return
			}
			if why := l.exceeded(treeOf(pid)); why != "" {
				end(why)
				return
			}
		}
	}
}

// extraProcesses are the sandbox's own: two of bubblewrap's or the first of a container,
// and the shell in it with its second process.
const extraProcesses = 5

// treeOf is a process and those below it, and their memory in bytes. Where the system has
// no /proc it knows nothing.
func treeOf(pid int) (pids []int, memory int64) {
	waiting := []int{pid}
	var private, shared int64
	mapped := map[string]int64{} // what is shared is one for all who map it
	for len(waiting) > 0 && len(pids) < 10_000 {
		pid := waiting[0]
		waiting = waiting[1:]
		of := filepath.Join("/proc", strconv.Itoa(pid))
		status, err := os.ReadFile(filepath.Join(of, "status"))
		if err != nil {
			continue // it has ended
		}
		pids = append(pids, pid)
		own, with := memoryOf(string(status))
		private, shared = private+own, shared+with
		if maps, err := os.ReadFile(filepath.Join(of, "maps")); err == nil { // else it has ended
			for inode, size := range sharedIn(string(maps)) {
				mapped[inode] = max(mapped[inode], size)
			}
		}
		waiting = append(waiting, childrenOf(pid)...)
	}
	var all int64
	for _, size := range mapped {
		all += size
	}
	return pids, private + max(shared, all)
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

// memoryOf is what a process has for itself, and what it shares with those that it has
// started, by its /proc/PID/status. What it has read from files is not its own.
func memoryOf(status string) (own, shared int64) {
	for line := range strings.Lines(status) {
		name, value, _ := strings.Cut(line, ":")
		kilobytes, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64) // the kernel writes numbers
		switch name {
		case "RssAnon", "VmSwap", "VmPTE": // tables of pages that were only read are memory too
			own += kilobytes << 10
		case "RssShmem":
			shared += kilobytes << 10
		}
	}
	return own, shared
}

// sharedIn are the sizes of the shared memory in a process's /proc/PID/maps. It is there
// though the process has let go of its pages, which RssShmem does not say then.
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
