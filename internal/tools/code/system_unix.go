//go:build unix

package code

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

const nobody = 65534

// runAs has root start a command as another user. To the system a program is the user that
// started its sandbox, and root has no limit of processes. Other users keep their own id.
func runAs(cmd *exec.Cmd, uid int) {
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	}
}

// lock locks a folder until it is released or this process has ended.
func lock(folder string) (release func(), err error) {
	f, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { f.Close() }, nil // what could be wrong with that changes nothing
}
