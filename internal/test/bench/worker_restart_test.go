package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"testing"
)

// The test binary plays the worker that is killed, too.
func TestMain(m *testing.M) {
	if os.Getenv("ERRAND_BENCH_TEMPORAL") == "" {
		os.Exit(m.Run())
	}
	if err := Worker(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// TestRestarted proves that tasks which wait for an answer go on over the death of the whole
// application, each with its own answer, once.
func TestRestarted(t *testing.T) {
	const tasks = 20
	o := Options{Out: io.Discard, Waiting: tasks, Worker: []string{os.Args[0]}}
	l, err := restartWorker(t.Context(), o.withDefaults(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l.ready, l.all = 0, 0
	if want := (ledger{Asked: tasks, Answered: tasks, Told: tasks}); l != want {
		t.Errorf("%+v, want %+v", l, want)
	}
}
