package app

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// unmapProgram gives back the pages of the program's own file that this process has
// looked at: most were for its start. They stay in the system's cache, and each that is
// needed again is mapped again when it is.
func unmapProgram() {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer maps.Close()
	var regions [][2]uintptr
	lines := bufio.NewScanner(maps)
	for lines.Scan() {
		if begin, length, ok := programRegion(lines.Text(), program); ok {
			regions = append(regions, [2]uintptr{begin, length})
		}
	}
	for _, r := range regions {
		// What the system does not take back, stays.
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, r[0], r[1], syscall.MADV_DONTNEED)
	}
}

// programRegion reads a line of proc(5)'s maps: a part of the program's file that nobody
// can write to. One that has been written to would lose that.
func programRegion(line, program string) (begin, length uintptr, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < 6 || !strings.HasSuffix(line, " "+program) || fields[1] != "r-xp" && fields[1] != "r--p" {
		return 0, 0, false
	}
	from, to, _ := strings.Cut(fields[0], "-")
	first, err1 := strconv.ParseUint(from, 16, 64)
	end, err2 := strconv.ParseUint(to, 16, 64)
	if err1 != nil || err2 != nil || end <= first {
		return 0, 0, false
	}
	return uintptr(first), uintptr(end - first), true
}
