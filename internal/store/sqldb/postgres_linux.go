package sqldb

import (
	"syscall"
	"time"
)

// tcpUserTimeout is TCP_USER_TIMEOUT of tcp(7), which package syscall does not name.
const tcpUserTimeout = 0x12

// limitUnacknowledged ends a connection whose peer has acknowledged nothing for
// that long, however much there is to send.
func limitUnacknowledged(c syscall.RawConn, after time.Duration) error {
	// Without it, the connection ends later: that is no reason to have none.
	return c.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(after.Milliseconds()))
	})
}
