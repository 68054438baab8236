package code

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
)

type machine struct {
	audit          uint32   // its AUDIT_ARCH constant
	absent         []uint32 // calls that return ENOSYS
	clone, unshare uint32

	setsockopt, fcntl uint32
}

var machines = map[string]machine{
	"amd64": {0xc000003e, []uint32{319, 447, 29, 68, 425, 435, 278}, 56, 272, 54, 72},
	"arm64": {0xc00000b7, []uint32{279, 447, 194, 186, 425, 435, 75}, 220, 97, 208, 25},
}

// A condition compares the lower half of a system call's argument.
type condition struct {
	argument int
	code     uint16
	value    uint32
}

// BPF instructions: BPF_LD|BPF_W|BPF_ABS and so on.
const load, equal, atLeast, hasBits, answer = 0x20, 0x15, 0x35, 0x45, 0x06

// callFilter returns a filter of system calls (seccomp(2)). It denies a program memory
// that belongs to no process, because errand cannot count it. memfd_create, memfd_secret,
// shmget, msgget, vmsplice and io_uring (which bypasses filters) do not exist. Sockets and
// pipes keep their sizes. There are no user namespaces, because they allow mounts of
// in-memory file systems. clone3 does not exist, because a filter cannot read its flags.
func callFilter(arch string) ([]byte, error) {
	m, ok := machines[arch]
	if !ok {
		return nil, fmt.Errorf("errand does not know the system calls of %s", arch)
	}
	const (
		number, audit, arguments            = 0, 4, 16                     // offsets in struct seccomp_data
		allow, noSuchCall, notAllowed       = 0x7fff0000, 0x50026, 0x50001 // SECCOMP_RET_ALLOW; _ERRNO with ENOSYS and EPERM
		ignored                             = 0x50000                      // _ERRNO without an error
		otherNumbers                        = 0x40000000                   // amd64 calls of the x32 ABI
		newUser                             = 0x10000000                   // CLONE_NEWUSER
		socketLevel, sendBuffer, readBuffer = 1, 7, 8                      // SOL_SOCKET, SO_SNDBUF, SO_RCVBUF
		setPipeSize                         = 1031                         // F_SETPIPE_SZ
	)
	var b []byte
	// step appends one instruction; yes and no are the numbers of instructions to skip.
	step := func(code uint16, yes, no int, value uint32) {
		b = binary.LittleEndian.AppendUint16(b, code)
		b = binary.LittleEndian.AppendUint32(append(b, uint8(yes), uint8(no)), value)
	}
	// check makes a call return result if all conditions hold.
	check := func(call, result uint32, conditions ...condition) {
		left := 2*len(conditions) + 2
		step(equal, 0, left, call)
		for _, c := range conditions {
			left -= 2
			step(load, 0, 0, uint32(arguments+8*c.argument))
			step(c.code, 0, left-1, c.value)
		}
		step(answer, 0, 0, result)
		step(load, 0, 0, number)
	}
	step(load, 0, 0, audit)
	step(equal, 1, 0, m.audit)
	step(answer, 0, 0, noSuchCall)
	step(load, 0, 0, number)
	step(atLeast, 0, 1, otherNumbers)
	step(answer, 0, 0, noSuchCall)
	for _, call := range m.absent {
		check(call, noSuchCall)
	}
	check(m.clone, notAllowed, condition{0, hasBits, newUser})
	check(m.unshare, notAllowed, condition{0, hasBits, newUser})
	check(m.fcntl, notAllowed, condition{1, equal, setPipeSize})
	for _, option := range []uint32{sendBuffer, readBuffer} {
		check(m.setsockopt, ignored, condition{1, equal, socketLevel}, condition{2, equal, option})
	}
	step(answer, 0, 0, allow)
	return b, nil
}

func openCallFilter() (*os.File, error) {
	filter, err := callFilter(runtime.GOARCH)
	if err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	if _, err := w.Write(filter); err != nil { // the filter fits into the pipe's buffer
		r.Close()
		return nil, err
	}
	return r, nil
}
