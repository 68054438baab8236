// Package ownprocesstest has the program of a test do jobs of errand's, as errand does: in
// processes of its own.
package ownprocesstest

import (
	"os"
	"testing"
)

// Main is a TestMain: it does the job if the process was started for that, and else runs
// the tests.
func Main(m *testing.M, argument string, job func() int) {
	if len(os.Args) == 2 && os.Args[1] == argument {
		os.Exit(job())
	}
	os.Exit(m.Run())
}

// Program is the path of this test's program.
func Program(t testing.TB) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
