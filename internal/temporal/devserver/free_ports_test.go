package devserver_test

import (
	"net"
	"strconv"
	"testing"

	"errand/internal/temporal/devserver"
)

// TestReserved proves that a port which was given is kept from other processes until this
// one ends, though nobody has opened it: they look for what is held here.
func TestReserved(t *testing.T) {
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(devserver.FreePort(t)))
	if c, err := net.ListenPacket("udp", address); err == nil {
		c.Close()
		t.Errorf("%s is open to other processes", address)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatalf("the server that it is for cannot open it: %v", err)
	}
	l.Close()
}
