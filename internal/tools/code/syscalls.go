package code

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
)

// A machine is what its kernel calls system calls.
type machine struct {
	audit          uint32   // AUDIT_ARCH_ of it
	absent         []uint32 // said not to be there
	clone, unshare uint32
}

var machines = map[string]machine{
	"amd64": {0xc000003e, []uint32{319, 447, 29, 68, 425, 435}, 56, 272},
	"arm64": {0xc00000b7, []uint32{279, 447, 194, 186, 425, 435}, 220, 97},
}

// callFilter is a filter of system calls (seccomp(2)) for the machine called arch. Programs
// under it have no memory that belongs to no process, which nobody could count:
// memfd_create, memfd_secret, shmget and msgget are not there, nor is io_uring, which
// goes around filters. They make no namespace of users, in which they could mount file
// systems in memory; clone3 is not there, because a filter does not see its flags.
func callFilter(arch string) ([]byte, error) {
	m, ok := machines[arch]
	if !ok {
		return nil, fmt.Errorf("errand does not know the system calls of %s", arch)
	}
	const (
		load, equal, atLeast, hasBits, give = 0x20, 0x15, 0x35, 0x45, 0x06 // BPF_LD|BPF_W|BPF_ABS and so on
		number, audit, firstArgument        = 0, 4, 16                     // offsets in struct seccomp_data
		allow, noSuchCall, notAllowed       = 0x7fff0000, 0x50026, 0x50001 // SECCOMP_RET_ALLOW; _ERRNO with ENOSYS and EPERM
		otherNumbers                        = 0x40000000                   // of amd64 with short pointers
		newUser                             = 0x10000000                   // CLONE_NEWUSER
	)
	var b []byte
	// step is one instruction; yes and no are how many are skipped.
	step := func(code uint16, yes, no uint8, value uint32) {
		b = binary.LittleEndian.AppendUint16(b, code)
		b = binary.LittleEndian.AppendUint32(append(b, yes, no), value)
	}
	step(load, 0, 0, audit)
	step(equal, 1, 0, m.audit)
	step(give, 0, 0, noSuchCall)
	step(load, 0, 0, number)
	step(atLeast, 0, 1, otherNumbers)
	step(give, 0, 0, noSuchCall)
	for _, call := range m.absent {
		step(equal, 0, 1, call)
		step(give, 0, 0, noSuchCall)
	}
	step(equal, 2, 0, m.clone)
	step(equal, 1, 0, m.unshare)
	step(give, 0, 0, allow)
	step(load, 0, 0, firstArgument)
	step(hasBits, 0, 1, newUser)
	step(give, 0, 0, notAllowed)
	step(give, 0, 0, allow)
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
	if _, err := w.Write(filter); err != nil { // a pipe holds far more
		r.Close()
		return nil, err
	}
	return r, nil
}
