//go:build !linux

package sqldb

import (
	"syscall"
	"time"
)

// limitUnacknowledged does nothing: other systems rely on keepalives.
func limitUnacknowledged(syscall.RawConn, time.Duration) error { return nil }
