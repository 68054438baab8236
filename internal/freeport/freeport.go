// Package freeport finds ports for servers that insist on opening their
// listeners themselves.
package freeport

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
)

// Ports that are looked at: below those that Linux gives to outgoing connections
// (32768 and up), one of which could take a port between finding and using it.
const (
	lowest = 20000
	number = 12000
)

// A process gets no port twice before it had all: the first time's server may not
// have opened it yet, or was killed and comes back.
var (
	first = rand.Uint64N(number) // other processes begin elsewhere
	given atomic.Uint64
)

// reserved are what this process has opened of UDP's ports, of the numbers that it has given:
// until it ends no other process is given them, whose server would be in the way of a server
// that is still to open its port.
var reserved struct {
	sync.Mutex
	ports []net.PacketConn
}

// reserve reports whether no other process has been given a port.
func reserve(address string) bool {
	c, err := net.ListenPacket("udp", address)
	if err != nil {
		return false
	}
	reserved.Lock()
	defer reserved.Unlock()
	reserved.ports = append(reserved.ports, c)
	return true
}

// Find returns n different ports of host that were free a moment ago.
func Find(host string, n int) ([]int, error) {
	var ports []int
	for try := 0; len(ports) < n; try++ {
		port := lowest + int((first+given.Add(1))%number)
		address := net.JoinHostPort(host, strconv.Itoa(port))
		l, err := net.Listen("tcp", address)
		if err != nil && try >= number {
			return nil, fmt.Errorf("find a free port: %w", err)
		}
		if err != nil {
			continue // among many that others have been given, some are open
		}
		if !reserve(address) {
			l.Close() // it is for whoever was given it
			if try >= number {
				return nil, fmt.Errorf("find a free port: other processes have all that were tried, up to %d", port)
			}
			continue
		}
		defer l.Close() // held until all are found, so that they differ
		ports = append(ports, port)
	}
	return ports, nil
}

// A test is a testing.TB, of which nothing else is asked.
type test interface {
	Helper()
	Fatal(...any)
}

// For returns a port of this machine for a test.
func For(t test) int {
	t.Helper()
	ports, err := Find("127.0.0.1", 1)
	if err != nil {
		t.Fatal(err)
	}
	return ports[0]
}
