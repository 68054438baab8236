package picture

import (
	"os"
	"syscall"
	"time"
)

// confine bounds memory that is written to, and time of the processor.
func confine(l limits) error {
	// Where memory is short, the kernel is to end this process and not the one that
	// started it. Without /proc it chooses for itself.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	for resource, most := range map[int]uint64{
		syscall.RLIMIT_DATA: l.Memory + detector,
		syscall.RLIMIT_CPU:  uint64(l.CPU / time.Second),
		syscall.RLIMIT_CORE: 0,
	} {
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			return err
		}
	}
	return nil
}
