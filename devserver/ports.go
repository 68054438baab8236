//go:build !nodevserver

package devserver

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"syscall"
)

// listen takes host:port, or says who needs it and what to do.
func listen(host string, port int, purpose string) (net.Listener, error) {
	address := net.JoinHostPort(host, strconv.Itoa(port))
	l, err := net.Listen("tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, &PortInUseError{Address: address, Purpose: purpose, Err: err}
	}
	if err != nil {
		return nil, fmt.Errorf("listen for %s: %w", purpose, err)
	}
	return l, nil
}

// probe finds out whether host:port can be listened on, and lets go of it: the
// Temporal server insists on opening its listeners itself.
func probe(host string, port int, purpose string) error {
	l, err := listen(host, port, purpose)
	if err != nil {
		return err
	}
	return l.Close()
}

// Ports for freePorts: below those that Linux gives to outgoing connections
// (32768 and up), one of which could take a port between finding and using it.
const (
	lowestFreePort = 20000
	freePortRange  = 12000
)

// freePorts returns n different ports that were free a moment ago. The server's
// services talk to each other on them.
func freePorts(host string, n int) ([]int, error) {
	var ports []int
	for try := 0; len(ports) < n; try++ {
		port := lowestFreePort + rand.IntN(freePortRange)
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
