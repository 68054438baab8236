//go:build unix

package limit

import (
	"math"
	"syscall"
)

func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 1024
	}
	return int(min(limit.Cur, math.MaxInt32))
}
