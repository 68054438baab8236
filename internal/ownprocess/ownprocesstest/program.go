// Package ownprocesstest has the program of a test do jobs of errand's, as errand does: in
// processes of its own.
package ownprocesstest

import (
	"os"
	"slices"
	"testing"
)

// Main is a TestMain: it does the job if the process was started with one of the arguments,
// and else runs the tests.
func Main(m *testing.M, job func(argument string) int, arguments ...string) {
	if len(os.Args) == 2 && slices.Contains(arguments, os.Args[1]) {
		os.Exit(job(os.Args[1]))
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
