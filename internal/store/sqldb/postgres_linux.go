package sqldb

import (
	"syscall"
	"time"
)

// tcpUserTimeout is TCP_USER_TIMEOUT of tcp(7). Package syscall does not define it.
const tcpUserTimeout = 0x12

func limitUnacknowledged(c syscall.RawConn, after time.Duration) error {
	// An error only means that a lost connection ends later. That is no reason to refuse it.
	return c.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(after.Milliseconds()))
	})
}
