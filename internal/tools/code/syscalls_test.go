package code

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

func decide(t *testing.T, filter []byte, audit, number uint32, arguments ...uint32) uint32 {
	t.Helper()
	var have uint32
	for at := 0; ; at++ {
		step := filter[8*at:]
		value := binary.LittleEndian.Uint32(step[4:])
		jump := func(yes bool) {
			if at += int(step[3]); yes {
				at += int(step[2]) - int(step[3])
			}
		}
		switch code := binary.LittleEndian.Uint16(step); code {
		case 0x20:
			have = map[uint32]uint32{0: number, 4: audit}[value]
			if at := int(value)/8 - 2; at >= 0 && at < len(arguments) {
				have = arguments[at]
			}
		case 0x15:
			jump(have == value)
		case 0x35:
			jump(have >= value)
		case 0x45:
			jump(have&value != 0)
		case 0x06:
			return value
		default:
			t.Fatalf("%#x is no instruction that is used", code)
		}
	}
}

// TestCallFilter proves which system calls programs have, by the numbers of linux/unistd.h.
func TestCallFilter(t *testing.T) {
	const allow, absent, notAllowed, ignored = 0x7fff0000, 0x50026, 0x50001, 0x50000
	const amd64, arm64, i386 = 0xc000003e, 0xc00000b7, 0x40000003
	filter := map[uint32][]byte{}
	for arch, audit := range map[string]uint32{"amd64": amd64, "arm64": arm64} {
		f, err := callFilter(arch)
		require.NoError(t, err)
		filter[audit] = f
	}
	for _, tt := range []struct {
		name          string
		audit, number uint32
		first         uint32
		want          uint32
		second, third uint32
	}{
		{"read", amd64, 0, 0, allow, 0, 0},
		{"memfd_create", amd64, 319, 0, absent, 0, 0},
		{"memfd_secret", amd64, 447, 0, absent, 0, 0},
		{"shmget", amd64, 29, 0, absent, 0, 0},
		{"msgget", amd64, 68, 0, absent, 0, 0},
		{"io_uring_setup", amd64, 425, 0, absent, 0, 0},
		{"clone3", amd64, 435, 0, absent, 0, 0},
		{"fork by clone", amd64, 56, 0x1200011, allow, 0, 0},
		{"clone with a namespace", amd64, 56, 0x10000011, notAllowed, 0, 0},
		{"unshare of files", amd64, 272, 0x400, allow, 0, 0},
		{"unshare with a namespace", amd64, 272, 0x10020000, notAllowed, 0, 0},
		{"short pointers", amd64, 0x40000000 + 319, 0, absent, 0, 0},
		{"vmsplice", amd64, 278, 0, absent, 0, 0},
		{"SO_SNDBUF", amd64, 54, 3, ignored, 1, 7},
		{"SO_RCVBUF", amd64, 54, 3, ignored, 1, 8},
		{"SO_KEEPALIVE", amd64, 54, 3, allow, 1, 9},
		{"TCP_SYNCNT", amd64, 54, 3, allow, 6, 7},
		{"F_SETPIPE_SZ", amd64, 72, 3, notAllowed, 1031, 0},
		{"F_GETPIPE_SZ", amd64, 72, 3, allow, 1032, 0},
		{"vmsplice", arm64, 75, 0, absent, 0, 0},
		{"SO_SNDBUF", arm64, 208, 3, ignored, 1, 7},
		{"F_SETPIPE_SZ", arm64, 25, 3, notAllowed, 1031, 0},
		{"a call of another machine", i386, 356, 0, absent, 0, 0},
		{"read", arm64, 63, 0, allow, 0, 0},
		{"memfd_create", arm64, 279, 0, absent, 0, 0},
		{"memfd_secret", arm64, 447, 0, absent, 0, 0},
		{"shmget", arm64, 194, 0, absent, 0, 0},
		{"msgget", arm64, 186, 0, absent, 0, 0},
		{"io_uring_setup", arm64, 425, 0, absent, 0, 0},
		{"clone3", arm64, 435, 0, absent, 0, 0},
		{"clone with a namespace", arm64, 220, 0x10000011, notAllowed, 0, 0},
		{"unshare with a namespace", arm64, 97, 0x10000000, notAllowed, 0, 0},
	} {
		f, ok := filter[tt.audit]
		if !ok {
			f = filter[amd64]
		}
		require.Equal(t, tt.want, decide(t, f, tt.audit, tt.number, tt.first, tt.second, tt.third), tt.name)
	}
	_, err := callFilter("mips")
	require.ErrorContains(t, err, "errand does not know the system calls of mips")
}
