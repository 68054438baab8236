//go:build !linux

package sqldb

import (
	"syscall"
	"time"
)

// limitUnacknowledged leaves it to keepalives: only Linux can be told so.
func limitUnacknowledged(syscall.RawConn, time.Duration) error { return nil }
