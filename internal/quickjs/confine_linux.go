package quickjs

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// nobody is whom a program runs as where errand runs as root.
const nobody = 65534

// confine takes from the process what a program must not have, should it break out of
// WebAssembly: root, new files and connections, memory and time without end.
func confine(p Program) error {
	// Where there is no more memory, the kernel ends this process and not errand, which
	// may be the larger one. Where it lets nobody say so, it goes by size.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	if os.Getuid() == 0 {
		if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody)); err != nil {
			return fmt.Errorf("become nobody: %w", err)
		}
	}
	// The change of user has undone it: this process ends with the one that started it.
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL), 0); errno != 0 {
		return fmt.Errorf("end with errand: %w", errno)
	}
	for _, limit := range []struct {
		of       string
		resource int
		most     uint64
	}{
		{"memory", syscall.RLIMIT_DATA, uint64(p.Memory + own + Overhead)},
		{"time", syscall.RLIMIT_CPU, p.CPU},
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
