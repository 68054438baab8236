//go:build !nodevserver

package devserver

import (
	"errors"
	"fmt"
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
