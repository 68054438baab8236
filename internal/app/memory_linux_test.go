package app

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestProgramIsUnmapped proves that the pages of the program's file leave the memory of
// the process, which goes on, and that nothing is given back that somebody can write to.
func TestProgramIsUnmapped(t *testing.T) {
	const program = "/opt/errand"
	for line, want := range map[string]bool{
		"00400000-04000000 r-xp 00000000 fe:00 247026                     /opt/errand":     true,
		"04000000-08000000 r--p 03c00000 fe:00 247026                     /opt/errand":     true,
		"08000000-08100000 rw-p 07c00000 fe:00 247026                     /opt/errand":     false,
		"7f0000000000-7f0000001000 r-xp 00000000 fe:00 1                  /opt/lib/errand": false,
		"c000000000-c000400000 rw-p 00000000 00:00 0":                                      false,
		"7f0000000000-7f0000001000 r--s 00000000 fe:00 2                  /opt/errand":     false,
	} {
		begin, length, ok := programRegion(line, program)
		if ok != want || ok && (begin == 0 || length < 1<<20) {
			t.Errorf("%s: %x, %d, %v", line, begin, length, ok)
		}
	}
	before := programPages(t)
	unmapProgram()
	if after := programPages(t); after > before/2 {
		t.Errorf("of %d pages of files %d are there still", before, after)
	}
}

// programPages is how many pages of files are resident: proc(5), the third of statm.
func programPages(t *testing.T) int {
	t.Helper()
	line, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.Fields(string(line))[2])
	if err != nil {
		t.Fatal(err)
	}
	return n
}
