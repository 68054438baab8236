package sandbox

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

const nobody = 65534 // the user of a process without root's rights

func endsWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

// Confine limits this process for its job. The limits are irreversible.
func Confine(l Limits) error {
	// If memory runs out, the kernel ends this process and not the one that started it.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	if l.Nobody && os.Getuid() == 0 {
		if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody)); err != nil {
			return fmt.Errorf("become nobody: %w", err)
		}
	}
	// The change of user has reset the Pdeathsig that endsWithParent set.
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL), 0); errno != 0 {
		return fmt.Errorf("end with errand: %w", errno)
	}
	for _, limit := range []struct {
		of       string
		resource int
		most     uint64
	}{
		{"memory", syscall.RLIMIT_DATA, l.Memory},
		{"time", syscall.RLIMIT_CPU, uint64((l.CPU + time.Second - 1) / time.Second)},
		{"core files", syscall.RLIMIT_CORE, 0},
		{"file sizes", syscall.RLIMIT_FSIZE, 0},
		{"open files", syscall.RLIMIT_NOFILE, 0},
	} {
		if err := syscall.Setrlimit(limit.resource, &syscall.Rlimit{Cur: limit.most, Max: limit.most}); err != nil {
			return fmt.Errorf("limit its %s: %w", limit.of, err)
		}
	}
	return nil
}
