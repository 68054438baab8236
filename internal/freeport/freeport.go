// Package freeport finds ports for servers that insist on opening their
// listeners themselves.
package freeport

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
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

// Find returns n different ports of host that were free a moment ago.
func Find(host string, n int) ([]int, error) {
	var ports []int
	for try := 0; len(ports) < n; try++ {
		port := lowest + int((first+given.Add(1))%number)
		l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err != nil && try >= 100 {
			return nil, fmt.Errorf("find a free port: %w", err)
		}
		if err != nil {
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
