package pdftext

import (
	"math"
	"syscall"
)

// confine bounds memory that is written to, time of the processor, and open files.
func confine() error {
	for resource, most := range map[int]uint64{
		syscall.RLIMIT_DATA: maxMemory,
		syscall.RLIMIT_CPU:  uint64(math.Ceil(longest.Seconds())),
		syscall.RLIMIT_CORE: 0,
	} {
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			return err
		}
	}
	return nil
}
