package devserver

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
)

// The range of ports is below those that Linux uses for outgoing connections (32768 and up). An
// outgoing connection could take a port before the server opens it.
const (
	lowestPort    = 20000
	numberOfPorts = 12000
)

// A process does not return a port twice before it has returned all of them: the first server may
// not have opened its port yet, or may be restarting.
var (
	firstPort  = rand.Uint64N(numberOfPorts) // so that processes begin at different ports
	givenPorts atomic.Uint64
)

// reservedPorts are UDP listeners with the numbers of all ports that this process has returned.
// Until it ends, no other process returns these ports.
var reservedPorts struct {
	sync.Mutex
	ports []net.PacketConn
}

func reservePort(address string) bool {
	c, err := net.ListenPacket("udp", address)
	if err != nil {
		return false
	}
	reservedPorts.Lock()
	defer reservedPorts.Unlock()
	reservedPorts.ports = append(reservedPorts.ports, c)
	return true
}

// FreePorts returns n different ports of host that were free a moment ago, for servers that open
// their listeners themselves.
func FreePorts(host string, n int) ([]int, error) {
	var ports []int
	for try := 0; len(ports) < n; try++ {
		port := lowestPort + int((firstPort+givenPorts.Add(1))%numberOfPorts)
		address := net.JoinHostPort(host, strconv.Itoa(port))
		l, err := net.Listen("tcp", address)
		if err != nil && try >= numberOfPorts {
			return nil, fmt.Errorf("find a free port: %w", err)
		}
		if err != nil {
			continue // other callers' servers have opened some ports by now
		}
		if !reservePort(address) {
			l.Close() // another process has reserved it
			if try >= numberOfPorts {
				return nil, fmt.Errorf("find a free port: other processes have all that were tried, up to %d", port)
			}
			continue
		}
		defer l.Close() // close it only when all are found, so that they differ
		ports = append(ports, port)
	}
	return ports, nil
}

// testingT is the part of testing.TB that FreePort needs.
type testingT interface {
	Helper()
	Fatal(...any)
}

// FreePort returns a free port of this machine for a test.
func FreePort(t testingT) int {
	t.Helper()
	ports, err := FreePorts("127.0.0.1", 1)
	if err != nil {
		t.Fatal(err)
	}
	return ports[0]
}
