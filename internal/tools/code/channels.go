package code

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// Data that waits in sockets and pipes uses memory that belongs to no process. The system
// call filter fixes their sizes, so errand counts each at its maximum.
const (
	maxChannels = 256 // sockets and pipes per program
	pipeBytes   = 64 << 10
)

var socketBytes = sync.OnceValue(func() int64 {
	text, _ := os.ReadFile("/proc/sys/net/core/wmem_default") // without /proc nothing is counted
	size, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return 2 * max(size, 212_992) // the last packet may be as large as the buffer
})

// channelsOf counts the sockets and pipes of a program, and the memory that they may use.
// If the program has its own network namespace, the kernel counts its sockets there. This
// includes sockets that no process holds, because they wait to be accepted or received.
func channelsOf(pids []int) (count int, memory int64) {
	host, _ := os.Readlink("/proc/self/ns/net")
	seen := map[string]bool{}
	sockets, pipes, private := 0, 0, 0
	for _, pid := range pids {
		of := filepath.Join("/proc", strconv.Itoa(pid))
		if own, err := os.Readlink(of + "/ns/net"); err == nil && own != host && private == 0 {
			private, memory = socketsOf(of + "/net")
		}
		files, _ := os.ReadDir(of + "/fd") // on an error, the process has ended
		for _, file := range files {
			target, _ := os.Readlink(filepath.Join(of, "fd", file.Name()))
			switch {
			case seen[target]:
			case strings.HasPrefix(target, "pipe:"):
				pipes++
			case strings.HasPrefix(target, "socket:"):
				sockets++
			}
			seen[target] = true
		}
	}
	sockets = max(sockets, private)
	return sockets + pipes, memory + int64(sockets)*socketBytes() + int64(pipes)*pipeBytes
}

// socketsOf counts the sockets in use, and the bytes that wait in TCP sockets, because
// their buffers grow.
func socketsOf(net string) (count int, queues int64) {
	stat, _ := os.ReadFile(net + "/sockstat") // on an error, the process has ended
	_, _ = fmt.Sscanf(string(stat), "sockets: used %d", &count)
	for _, protocol := range []string{"/tcp", "/tcp6"} {
		table, _ := os.ReadFile(net + protocol)
		for line := range strings.Lines(string(table)) {
			var sent, received int64
			if fields := strings.Fields(line); len(fields) > 4 {
				// The first line is the header.
				_, _ = fmt.Sscanf(fields[4], "%x:%x", &sent, &received)
			}
			queues += sent + received
		}
	}
	return count, queues
}
