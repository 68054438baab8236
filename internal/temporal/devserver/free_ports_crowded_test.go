package devserver

import (
	"net"
	"strconv"
	"testing"
)

// TestCrowded proves that a port is found behind many that other processes were given, some
// of which are open.
func TestCrowded(t *testing.T) {
	for i := range uint64(150) {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(lowestPort+int((firstPort+givenPorts.Load()+1+i)%numberOfPorts)))
		c, err := net.ListenPacket("udp", address)
		if err != nil {
			continue // another process has it
		}
		defer c.Close()
		if i < 120 {
			continue
		}
		if l, err := net.Listen("tcp", address); err == nil {
			defer l.Close()
		}
	}
	if _, err := FreePorts("127.0.0.1", 1); err != nil {
		t.Error(err)
	}
}
