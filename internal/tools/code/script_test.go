package code

import (
	"archive/tar"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// inShell runs a script of the test's in place of a sandbox.
func inShell(ctx context.Context, o Options, script string) (outcome, error) {
	return boxed{shell(script), o, o.limited}.run(ctx, jobOf(Shell, ""))
}

type shell string

func (s shell) command(ctx context.Context, _ ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "sh", "-c", string(s))
}

const emptyArchive = "tar -cf - -T /dev/null"

// TestTimeBeginsWithProgram proves that a program has its time to itself: to copy its
// files may take longer than that.
func TestTimeBeginsWithProgram(t *testing.T) {
	o := quick
	o.Timeout = time.Second
	got, err := inShell(t.Context(), o, "sleep 3; echo began; echo ended 7; "+emptyArchive)
	require.NoError(t, err)
	require.Empty(t, got.stopped)
	require.Equal(t, 7, got.exit)
	require.True(t, got.kept)
}

// TestNeverBegun proves that a sandbox which ends before its program begins is not said
// to have lost files.
func TestNeverBegun(t *testing.T) {
	got, err := inShell(t.Context(), quick, "echo no room >&2; exit 125")
	require.NoError(t, err)
	require.Equal(t, outcome{output: "no room\n", exit: 125, kept: true, took: got.took}, got)
}

// TestHeldArchive proves that a run ends though somebody else has what it wrote its files
// to: with its files where they are there, and otherwise with the turn.
func TestHeldArchive(t *testing.T) {
	seconds := ofThisTest("3")
	for _, tt := range []struct {
		name, script string
		stops        bool
	}{
		{"all files are there", "echo began; echo ended 0; " + emptyArchive + "; ", false},
		{"the turn is stopped", "echo began; ", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			t.Cleanup(func() {
				for _, pid := range sleeping(seconds) {
					if n, err := strconv.Atoi(pid); err == nil {
						p, _ := os.FindProcess(n) // never fails on Unix
						_ = p.Kill()
					}
				}
			})
			var got outcome
			ended := make(chan error, 1)
			go func() {
				o, err := inShell(ctx, quick, tt.script+"sleep "+seconds+" 2>/dev/null & exit 0")
				got = o
				ended <- err
			}()
			if tt.stops {
				require.Eventually(t, func() bool { return len(sleeping(seconds)) > 0 }, time.Minute, 10*time.Millisecond)
				cancel()
			}
			select {
			case err := <-ended:
				if tt.stops {
					require.ErrorIs(t, err, context.Canceled)
					return
				}
				require.NoError(t, err)
				require.True(t, got.kept)
			case <-time.After(time.Minute):
				t.Fatal("it waits for whoever holds the archive")
			}
		})
	}
}

// TestAwait proves for how long what was stopped or has ended is waited for: as long as
// something comes, but not without end, nor with much memory.
func TestAwait(t *testing.T) {
	const never = time.Hour
	for _, tt := range []struct {
		name  string
		moves time.Duration // for so long something comes
		gone  time.Duration
		pid   int
		want  time.Duration // when it is killed; 0: it is not
	}{
		{"it ends by itself", 0, 20 * time.Second, 0, 0},
		{"nothing comes", 0, never, 0, silent},
		{"its files come slowly", 80 * time.Second, 100 * time.Second, 0, 0},
		{"its files come no more", 20 * time.Second, never, 0, 20*time.Second + silent},
		{"its files never end", never, never, 0, finish},
		{"it still has memory", never, never, os.Getpid(), watched},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.pid > 0 {
				if _, memory := treeOf(tt.pid); memory == 0 {
					t.Skip("the system does not say what memory a process has")
				}
			}
			synctest.Test(t, func(t *testing.T) {
				began, killed := time.Now(), time.Duration(0)
				var p progress
				p.ended.now()
				over := make(chan struct{})
				defer close(over)
				go func() {
					for time.Since(began) < tt.moves {
						p.moved.now()
						select {
						case <-over:
							return
						case <-time.After(watched):
						}
					}
				}()
				gone := make(chan struct{})
				timer := time.AfterFunc(tt.gone, func() { close(gone) })
				defer timer.Stop()
				Options{}.watch(tt.pid, &p, gone, nil, func(string) { killed = time.Since(began) })
				require.InDelta(t, tt.want, killed, float64(2*watched))
			})
		})
	}
}

// TestReceive proves what is believed of what a sandbox writes: a program can write there
// too.
func TestReceive(t *testing.T) {
	var files bytes.Buffer
	w := tar.NewWriter(&files)
	require.NoError(t, w.WriteHeader(&tar.Header{Name: "./sums/a.txt", Mode: 0o600, Size: 2}))
	_, err := w.Write([]byte("6\n"))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	for _, tt := range []struct {
		name, text             string
		began, ended, complete bool
		files                  int
	}{
		{"all of it", "began\nended 3\n" + files.String(), true, true, true, 1},
		{"a part of a file", "began\nended 3\n" + files.String()[:513], true, true, false, 0},
		{"a part of the files, to the end of one", "began\nended 3\n" + files.String()[:1024], true, true, false, 1},
		{"no archive", "began\nended 3\n", true, true, false, 0},
		{"no end", "began\n", true, false, false, 0},
		{"an end that is none", "began\nended well\n", true, false, false, 0},
		{"an end without a beginning", "ended 3\n" + files.String(), false, false, false, 0},
		{"nothing", "", false, false, false, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := receiver{ends: true}
			files := newWorkspace()
			r.receive(strings.NewReader(tt.text), files, 1<<20)
			require.Len(t, files.written, tt.files, "a file is there whole or not at all")
			require.Equal(t, []bool{tt.began, tt.ended, tt.complete}, []bool{!r.began.time().IsZero(), !r.ended.time().IsZero(), r.complete})
			require.Equal(t, tt.ended && tt.name != "no archive", !r.moved.time().IsZero())
		})
	}
}

// TestLineWithoutEnd proves that a line without end is not taken into memory.
func TestLineWithoutEnd(t *testing.T) {
	for _, before := range []string{"", "began\n"} {
		endless := &io.LimitedReader{R: zeros{}, N: 64 << 20}
		r := receiver{ends: true}
		r.receive(io.MultiReader(strings.NewReader(before), endless), newWorkspace(), 1<<20)
		require.Greater(t, endless.N, int64(63<<20))
	}
}
