package code

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// What waits in sockets and pipes is memory that belongs to no process. The call filter keeps
// their sizes, so errand counts each with the most that it can hold.
const (
	maxChannels = 256 // sockets and pipes of a program
	pipeBytes   = 64 << 10
)

var socketBytes = sync.OnceValue(func() int64 {
	text, _ := os.ReadFile("/proc/sys/net/core/wmem_default") // without /proc nothing is counted
	size, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return 2 * max(size, 212_992) // the last packet may be as large as the buffer
})

// channelsOf returns how many sockets and pipes processes have, and the memory in them. In a
// network namespace of the program's own the kernel counts the sockets: also those that are in
// no process, because they wait to be accepted or received.
func channelsOf(pids []int) (count int, memory int64) {
	host, _ := os.Readlink("/proc/self/ns/net")
	seen := map[string]bool{}
	sockets, pipes, private := 0, 0, 0
	for _, pid := range pids {
		of := filepath.Join("/proc", strconv.Itoa(pid))
		own, err := os.Readlink(of + "/ns/net")
		apart := err == nil && own != host
		if apart && private == 0 {
			var queues int64
			private, queues = socketsOf(of + "/net")
			memory += queues
		}
		files, _ := os.ReadDir(of + "/fd") // an error: it has ended
		for _, file := range files {
			target, _ := os.Readlink(filepath.Join(of, "fd", file.Name()))
			switch isPipe := strings.HasPrefix(target, "pipe:"); {
			case seen[target]:
			case isPipe:
				pipes++
			case strings.HasPrefix(target, "socket:") && !apart:
				sockets++
			}
			seen[target] = true
		}
	}
	sockets += private
	return sockets + pipes, memory + int64(sockets)*socketBytes() + int64(pipes)*pipeBytes
}

// socketsOf returns how many sockets a network namespace has, and what waits in those of TCP,
// whose buffers grow.
func socketsOf(net string) (count int, queues int64) {
	stat, _ := os.ReadFile(net + "/sockstat") // an error: the process has ended
	_, _ = fmt.Sscanf(string(stat), "sockets: used %d", &count)
	for _, protocol := range []string{"/tcp", "/tcp6"} {
		table, _ := os.ReadFile(net + protocol)
		for line := range strings.Lines(string(table)) {
			var sent, received int64
			if fields := strings.Fields(line); len(fields) > 4 {
				_, _ = fmt.Sscanf(fields[4], "%x:%x", &sent, &received) // the first line has names
			}
			queues += sent + received
		}
	}
	return count, queues
}
