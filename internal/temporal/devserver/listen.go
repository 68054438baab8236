//go:build !nodevserver

package devserver

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"
)

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

func probe(host string, port int, purpose string) error {
	l, err := listen(host, port, purpose)
	if err != nil {
		return err
	}
	return l.Close()
}
