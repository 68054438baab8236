package code

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/sandbox"
	"errand/internal/store"
	"errand/internal/test/storetest"
	"errand/internal/tools"
)

const noCode = "no-code"

var denyCode = func() error { return errors.ErrUnsupported }

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == sandbox.RunJavaScript {
		if filepath.Base(os.Args[0]) == noCode {
			if err := denyCode(); err != nil {
				fmt.Fprintln(os.Stderr, "no MDWE here:", err)
				os.Exit(1)
			}
		}
		code, _ := sandbox.RunJob(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
		os.Exit(code)
	}
	if len(os.Args) == 4 && os.Args[1] == runForEver {
		runsForEver(Kind(os.Args[2]), os.Args[3])
	}
	os.Exit(m.Run())
}

func host(t testing.TB) Host {
	program, err := os.Executable()
	require.NoError(t, err)
	return Host{program, filepath.Join(os.TempDir(), "errand-test-quickjs")}
}

var quick = Options{Sandbox: "auto", Timeout: 20 * time.Second, Memory: 256e6, Files: 8e6, Processes: 16}

// found is what runs programs by kind; a test is skipped where it is not there, unless
// the environment says that it has to be.
func found(t *testing.T, kind Kind, o Options) Found {
	t.Helper()
	o.Sandbox = string(kind)
	f := Find(t.Context(), o, host(t))
	if f.Kind != kind {
		if kind == Bubblewrap && os.Getenv("ERRAND_TEST_BUBBLEWRAP") == "required" {
			t.Fatal(f.Why)
		}
		t.Skip(f.Why)
	}
	return f
}

// A rig is a session of Ada's in which an agent runs programs.
type rig struct {
	t     *testing.T
	store *store.Store
	call  store.Call
	tool  tools.Tool
}

func newRig(t *testing.T, f Found) *rig {
	t.Helper()
	ctx := t.Context()
	s, err := store.Open(ctx, store.Options{SQLite: storetest.File(t)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	_, err = s.EnsurePerson(ctx, "ada", "Ada", core.Partner)
	require.NoError(t, err)
	key := core.NewSessionKey(core.WebRoute("main"), "ada")
	session, err := s.Rehydrate(ctx, key, "finn")
	require.NoError(t, err)
	_, err = s.PutFile(ctx, string(key), session.Session, "ada", "in/numbers.txt", []byte("1\n2\n3\n"))
	require.NoError(t, err)
	_, err = s.Accept(ctx, store.InboxMessage{Route: core.WebRoute("main"), Person: "ada", Role: core.Partner, MessageID: "1", Text: "please"})
	require.NoError(t, err)
	step := core.StepKey{Owner: core.SessionOwner(session.Session), Turn: 1, Step: 1}
	b, err := s.BeginStep(ctx, store.BeginStep{Key: step, Session: key, Rows: store.ClaimAll})
	require.NoError(t, err)
	_, err = s.CommitStep(ctx, store.CommitStep{Step: b, Calls: []core.ToolCall{{ID: "1", Name: Name, Arguments: "{}"}},
		Planned: []store.PlannedCall{{By: store.ByActivity, Tool: Name}}})
	require.NoError(t, err)
	call, err := s.Call(ctx, core.CallKey{StepKey: step, Index: 1})
	require.NoError(t, err)
	list := Tools(s, f)
	require.Len(t, list, 1)
	return &rig{t, s, call, list[0]}
}

func (r *rig) write(path, text string) {
	r.t.Helper()
	_, err := r.store.PutFile(r.t.Context(), r.call.Place(), r.call.Session, "ada", path, []byte(text))
	require.NoError(r.t, err)
}

func (r *rig) run(language Language, source string) string {
	r.t.Helper()
	return r.with(r.t.Context(), map[string]any{"language": language, "code": source})
}

func (r *rig) with(ctx context.Context, args map[string]any) string {
	r.t.Helper()
	raw, err := json.Marshal(args)
	require.NoError(r.t, err)
	text, err := r.tool.Run(ctx, r.call, raw)
	require.NoError(r.t, err)
	return text
}

// base makes a folder that others may pass through: those of package testing are closed
// to everybody else.
func base(t testing.TB) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "errand-test-code-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(folder)) })
	return folder
}

// TestBubblewrap proves what programs can do in bubblewrap, and what they cannot.
func TestBubblewrap(t *testing.T) {
	f := found(t, Bubblewrap, quick)
	r := newRig(t, f)
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("the key"), 0o600))
	t.Setenv("OPENAI_API_KEY", "sk-the-key")
	for _, tt := range []struct{ name, script, want, not string }{
		{"it prints", "echo hello; echo wrong >&2; exit 3", "hello\nwrong\n", ""},
		{"how it ended", "exit 3", "exit status 3", ""},
		{"what it is run by", ":", "[shell in bubblewrap, ", ""},
		{"the workspace", "cat in/numbers.txt", "1\n2\n3\n", ""},
		{"nothing of the host", "cat " + secret + "; ls /root /home /var /etc", "No such file", "the key"},
		{"no environment", "env; cat /proc/*/environ | tr '\\0' '\\n'", "PATH=", "sk-the-key"},
		{"a system that it cannot write", "touch /usr/x && echo written", "ead-only", "written"},
		{"no network", "cat /proc/net/dev | tail -n +3 | grep -v lo: ; echo none", "none", "eth"},
		{"nobody", "id -u", "65534", ""},
		{"the first to be ended where memory is short", "cat /proc/self/oom_score_adj", "1000\n", ""},
		{"no other processes", "[ $(ls /proc | grep -c '^[0-9]') -lt 10 ] && echo alone", "alone\n", ""},
		{"binary and odd", `printf 'a\000b\377c'`, "ab\uFFFDc", ""},
		{"unseen", `printf '  a\342\200\213b'`, "  ab", ""},
		{"nothing", ":", "(it printed nothing)", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r.t = t
			got := r.run(Shell, tt.script)
			require.Contains(t, got, tt.want)
			if tt.not != "" {
				require.NotContains(t, got, tt.not)
			}
		})
	}
}

// TestBubblewrapFolder proves that no other user of the machine, and no other program, can read
// the files of a program that runs: they are nowhere on its disk, and where errand is root each
// program is a user of its own.
func TestBubblewrapFolder(t *testing.T) {
	t.Setenv("TMPDIR", base(t))
	f := found(t, Bubblewrap, quick)
	seen := map[string]bool{}
	for range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		seconds := ofThisTest("5")
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = f.engine.run(ctx, jobOf(Shell, "exec sleep "+seconds))
		}()
		require.Eventually(t, func() bool { return len(sleeping(seconds)) > 0 }, time.Minute, 10*time.Millisecond)
		status, err := os.ReadFile("/proc/" + sleeping(seconds)[0] + "/status")
		require.NoError(t, err)
		_, users, _ := strings.Cut(string(status), "\nUid:\t")
		user, _, _ := strings.Cut(users, "\t")
		list, err := os.ReadDir(os.TempDir())
		require.NoError(t, err)
		require.Empty(t, list)
		require.NotEqual(t, "65534", user)
		require.False(t, seen[user] && os.Getuid() == 0, "two programs have one user")
		seen[user] = true
		cancel()
		<-ended
		require.Eventually(t, func() bool { return len(sleeping(seconds)) == 0 }, 20*time.Second, 10*time.Millisecond)
	}
}

// TestPythonIsolated proves that no file of the workspace runs by itself in a Python program or
// stands for a module of the standard library, and that programs still import their own modules.
func TestPythonIsolated(t *testing.T) {
	r := newRig(t, found(t, Bubblewrap, quick))
	r.write("sitecustomize.py", "print('by itself')")
	r.write("json.py", "print('shadow')")
	r.write("helper.py", "word = 'own module'")
	got := r.run(Python, "import json, helper, sys\nprint(json.dumps([helper.word, __name__, sys.argv]))\nprint(__file__)")
	require.Contains(t, got, `["own module", "__main__", ["/tmp/main.py"]]`+"\n/tmp/main.py\n")
	require.NotContains(t, got, "by itself")
	require.NotContains(t, got, "shadow")
	require.Contains(t, r.run(Python, "\n1/0"), `File "/tmp/main.py", line 2`)
}

// TestApprovedProgram proves that a call that was approved runs only with the file, and with
// the files that it can import, that its question showed.
func TestApprovedProgram(t *testing.T) {
	r := newRig(t, found(t, Bubblewrap, quick))
	r.write("a.py", "import helper\nprint('first ' + helper.word)")
	r.write("helper.py", "word = 'helper'")
	approve := func(args string) string {
		t.Helper()
		bound, err := r.tool.BoundArguments(t.Context(), r.call.Place(), args)
		require.NoError(t, err)
		return bound
	}
	runs := func(bound string) string {
		t.Helper()
		got, err := r.tool.Run(t.Context(), r.call, json.RawMessage(bound))
		require.NoError(t, err)
		return got
	}
	const refused = "error: it was not run: its files have changed since they were approved."
	const file, text = `{"language": "python", "file": "a.py", "CONTENT": {"sha256": "forged"}}`, `{"language": "python", "code": "import helper\nprint(helper.word)"}`
	first, code := approve(file), approve(text)
	for _, part := range []string{`"beginning": "import helper\nprint('first ' + helper.word)"`, `"version": 1`, `"sha256": "`, `"helper.py": "`} {
		require.Contains(t, first, part, "what the question shows")
	}
	require.NotContains(t, first, "forged")
	require.Equal(t, first, approve(file), "the same content has the same arguments")
	require.Contains(t, runs(first), "first helper")
	require.Contains(t, runs(code), "helper")

	r.write("notes.txt", "no program")
	require.Contains(t, runs(first), "first helper")
	r.write("helper.py", "word = 'changed'")
	require.Contains(t, runs(first), refused, "a module has changed")
	require.Contains(t, runs(code), refused, "a module of a program that is given as text has changed")
	require.NotEqual(t, code, approve(text), "it is asked about again")
	first = approve(file)
	r.write("a.py", "print('second')")
	require.Contains(t, runs(first), refused, "the program has changed")
	require.NotEqual(t, first, approve(file), "it is asked about again")
	first = approve(file)
	r.write("random.py", "")
	require.Contains(t, runs(first), refused, "there is another module")
	r.call.Again = true
	require.Contains(t, runs(first), "error: outcome unknown", "the call may have changed the files itself")
	r.call.Again = false
	_, err := r.tool.BoundArguments(t.Context(), r.call.Place(), `{"language": "python", "file": "none.py"}`)
	require.ErrorContains(t, err, `there is no file "none.py"`)
	require.False(t, r.tool.MayAllowForSession(), "each content is asked about")
}

// TestBindsCode proves that an approval names every file that a program can use as code: a
// shell and Node read files of any name, and Python imports by extension, in any case.
func TestBindsCode(t *testing.T) {
	sums := map[string]string{"a.sh": "1", "env": "2", "package.json": "3", "lib.PY": "4", "notes.txt": "5"}
	for _, tt := range []struct {
		in   args
		want []string
	}{
		{args{Language: Shell, Code: ". ./env"}, []string{"a.sh", "env", "lib.PY", "notes.txt", "package.json"}},
		{args{Language: Shell, File: "a.sh"}, []string{"env", "lib.PY", "notes.txt", "package.json"}},
		{args{Language: JavaScript, Code: "require('./env')"}, []string{"a.sh", "env", "lib.PY", "notes.txt", "package.json"}},
		{args{Language: Python, Code: "import lib"}, []string{"a.sh", "lib.PY"}},
	} {
		if got := slices.Sorted(maps.Keys(importable(sums, tt.in))); !slices.Equal(got, tt.want) {
			t.Errorf("a call in %s names %q, want %q", tt.in.Language, got, tt.want)
		}
	}
}

// TestLimits proves that a program which takes more than it may is stopped, and why is
// told.
func TestLimits(t *testing.T) {
	short := quick
	short.Timeout = 2 * time.Second
	limited, ample := found(t, Bubblewrap, short), found(t, Bubblewrap, quick)
	for _, tt := range []struct{ name, script, want string }{
		{"time, with signals ignored", "trap '' TERM INT HUP; while :; do sleep 1; done", "stopped: it ran longer than 2s"},
		{"output", "yes", "stopped: it printed more than 1 MB"},
		{"processes", "for i in $(seq 40); do sleep 60 & done; wait", ""}, // each is there until the limit is met
		{"processes that multiply", "f() { f | f & }; f; wait", ""},       // the first may end before they are too many
		{"disk", "i=0; while :; do head -c 1000000 /dev/zero > f$i; i=$((i+1)); done", "stopped: its files had more than 8 MB"},
		{"disk, by deleted files", "for i in 1 2 3 4; do (exec 9> f$i; rm f$i; while head -c 1000000 /dev/zero; do :; done >&9; sleep 100) & done; wait", "stopped: its files had more than 8 MB"},
		{"disk, in /tmp and /dev/shm together", "for f in /tmp/f /dev/shm/f f; do head -c 4000000 /dev/zero > $f; done; sleep 100", "stopped: its files had more than 8 MB"},
		{"empty files", "cd /tmp; i=0; while :; do i=$((i+1)); : > $i; done", "stopped: its files had more than 8 MB"},
		{"disk, beside its folder", "for d in / /dev /usr /in /proc /run; do echo x > $d/f && echo written; done; echo none", "none\n"},
		{"one large file", "head -c 100000000 /dev/zero > f; echo ended $?", "ended"},
		{"memory", "x=x; while :; do x=$x$x; done", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := ample
			if strings.HasPrefix(tt.name, "time") {
				f = limited
			}
			r := newRig(t, f)
			began := time.Now()
			got := r.run(Shell, tt.script)
			require.Contains(t, got, tt.want)
			t.Log(core.Cut(got, 200), time.Since(began))
			if tt.name == "disk, beside its folder" {
				require.NotContains(t, got, "written")
			}
			if tt.name == "memory" {
				require.NotContains(t, got, "ran longer", "its own limit ends it, not the time")
				require.NotContains(t, got, "exit status 0")
			}
			if tt.name == "processes" && !strings.Contains(got, "Cannot fork") {
				require.Contains(t, got, "stopped: it had more than 16 processes")
			}
		})
	}
}

// TestKept proves that what a program writes is kept once for its call, that nothing
// leads out of its folder, and what is not kept.
func TestKept(t *testing.T) {
	r := newRig(t, found(t, Bubblewrap, quick))
	got := r.run(Shell, `echo 6 > sum.txt; echo 8 > soft.txt; ln soft.txt hard.txt; echo more >> in/numbers.txt; ln -s /etc/passwd link; mkdir -p .git; echo x > .git/x; head -c 30 /dev/zero > "bad
name"; rm -f nothing`)
	require.Contains(t, got, "[kept: sum.txt, version 1, 2 bytes]")
	require.Contains(t, got, "[kept: in/numbers.txt, version 2, ")
	require.Contains(t, got, "[kept: hard.txt, version 1, 2 bytes]\n[kept: in/", "a hard link is a file of its own")
	require.Contains(t, got, "[kept: soft.txt, version 1, 2 bytes]")
	require.Contains(t, got, "[not kept: link (it is a link)]")
	require.NotContains(t, got, ".git")
	require.Contains(t, got, "[not kept: ")
	again := r.run(Shell, `echo 7 > sum.txt`)
	require.Contains(t, again, "[kept: sum.txt, version 1, 2 bytes]", "a second run of the same call changes nothing")
	file, err := r.store.File(t.Context(), r.call.Place(), "sum.txt", 0)
	require.NoError(t, err)
	require.Equal(t, 1, file.Version)
	require.Contains(t, r.with(t.Context(), map[string]any{"language": "shell", "file": "in/numbers.txt"}), "not found")
}

// TestStopped proves that a program ends when the person stops the turn.
func TestStopped(t *testing.T) {
	f := found(t, Bubblewrap, quick)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seconds := ofThisTest("1")
	ended := make(chan error, 1)
	go func() {
		_, err := f.engine.run(ctx, jobOf(Shell, "exec sleep "+seconds))
		ended <- err
	}()
	require.Eventually(t, func() bool { return len(sleeping(seconds)) > 0 }, time.Minute, 10*time.Millisecond)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	// The first process of a namespace is gone before the kernel has ended the others.
	require.Eventually(t, func() bool { return len(sleeping(seconds)) == 0 }, 20*time.Second, 10*time.Millisecond)
}

// ofThisTest is a time of many years, in seconds, by which nobody sleeps but this test:
// others may run beside it.
func ofThisTest(first string) string { return fmt.Sprintf("%s%09d", first, os.Getpid()) }

func jobOf(language Language, source string) job {
	return job{language, "main" + commands[language].suffix, []byte(source), newWorkspace()}
}

func newWorkspace() *workspace {
	return &workspace{before: map[string]core.File{}, written: map[string][]byte{}, max: maxKeptBytes}
}

func sleeping(seconds string) (pids []string) {
	list, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is right
	for _, path := range list {
		if text, err := os.ReadFile(path); err == nil && string(text) == "sleep\x00"+seconds+"\x00" {
			pids = append(pids, filepath.Base(filepath.Dir(path)))
		}
	}
	return pids
}

// TestStoppedKeeps proves that what a program has written is kept though it was stopped,
// and that it is said where it could not be.
func TestStoppedKeeps(t *testing.T) {
	r := newRig(t, found(t, Bubblewrap, quick))
	got := r.run(Shell, "echo half > half.txt; yes")
	require.Contains(t, got, "stopped: it printed more than 1 MB")
	require.Contains(t, got, "[kept: half.txt, version 1, 5 bytes]")
	got = r.run(Shell, "echo lost > lost.txt; kill -9 -1; kill -9 $PPID")
	require.Contains(t, got, "[not kept: other files: ")
	require.NotContains(t, got, "[kept: lost.txt")
}

// TestWasm proves what JavaScript can do where nothing else runs programs, and that it
// reaches nothing of the host.
func TestWasm(t *testing.T) {
	small := quick
	small.Memory = 64e6
	r := newRig(t, found(t, Wasm, small))
	small.Timeout = 2 * time.Second
	limited := newRig(t, found(t, Wasm, small))
	for _, tt := range []struct{ name, source, want string }{
		{"it prints", `console.log("a", 1, {b: [2]}, null); console.error("e")`, `a 1 {"b":[2]} null` + "\ne\n"},
		{"it fails", `throw new Error("no good")`, "no good"},
		{"what it cannot parse", `const = 1`, "SyntaxError"},
		{"modules and promises", `const x = await Promise.resolve(4); console.log(x)`, "4\n"},
		{"files", `writeFile("sums/a.txt", String(readFile("in/numbers.txt").split("\n").length)); console.log(JSON.stringify(listFiles()))`,
			`["in/numbers.txt","sums/a.txt"]`},
		{"no file of the host", `try { console.log(readFile("../../../etc/passwd")) } catch (e) { console.log("refused") }`, "refused"},
		{"nothing of the system", `console.log(typeof std, typeof os); for (const m of ["qjs:std", "qjs:os", "std", "os"]) try { const x = await import(m); console.log(typeof x.loadFile, typeof x.symlink, typeof x.exec) } catch (e) {}`, "undefined undefined\n"},
		{"time", `while (true) {}`, "stopped: it ran longer than 2s"},
		{"output", `for (;;) console.log("x".repeat(1000))`, "stopped: it printed more than 1 MB"},
		{"asleep", `const os = await import("qjs:os"); os.sleep(3600e3)`, "stopped: it ran longer than 2s"},
		{"memory", `const a = []; for (;;) a.push("x".repeat(100000) + a.length)`, "out of memory"},
		{"a large file", `try { writeFile("f", "x".repeat(9e6)) } catch (e) { console.log(String(e)) }`, "is more than the 8000000 that there may be"},
		{"many files", `try { for (let i = 0; ; i++) writeFile("f" + i, "x".repeat(1e6)) } catch (e) { console.log(String(e)) }`, "its files have more than 8 MB"},
		{"depth", `function f() { f() }; f()`, "exit status 1"},
		{"after all that", `console.log(1 + 1)`, "2\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := r
			if tt.name == "time" || tt.name == "asleep" {
				r = limited
			}
			r.t = t
			require.Contains(t, r.run(JavaScript, tt.source), tt.want)
		})
	}
}

// TestWasmProbe proves that errand's start does not wait until QuickJS is compiled, which the first
// program does.
func TestWasmProbe(t *testing.T) {
	h, o := host(t), quick
	h.Cache, o.Sandbox = t.TempDir(), string(Wasm)
	f := Find(t.Context(), o, h)
	if f.slow {
		t.Skip("this machine does not compile")
	}
	compiled := func() (size int64) {
		require.NoError(t, filepath.WalkDir(h.Cache, func(_ string, d fs.DirEntry, err error) error {
			if info, of := d.Info(); of == nil && !d.IsDir() {
				size += info.Size()
			}
			return err
		}))
		return size
	}
	require.Less(t, compiled(), int64(10_000))
	require.Contains(t, newRig(t, f).run(JavaScript, `console.log(1 + 1)`), "2\n")
	require.Greater(t, compiled(), int64(1_000_000))
}

// TestWasmTexts proves how large a text may be that a program reads or writes: no larger
// than a file that is kept, and never more than its files together.
func TestWasmTexts(t *testing.T) {
	o := quick
	o.Files, o.Memory, o.Timeout = 256e6, 512e6, time.Minute
	r := newRig(t, found(t, Wasm, o))
	require.Contains(t, r.run(JavaScript, `writeFile("a.txt", "\u0001".repeat(20e6)); console.log(readFile("a.txt").length);
		try { writeFile("b.txt", "x".repeat(20e6 + 1)) } catch (e) { console.log(String(e)) }`),
		"\n20000000\nError: a file of 20000001 bytes is more than the 20000000 that there may be\n")
	small := newRig(t, found(t, Wasm, quick))
	_, err := small.store.PutFile(t.Context(), small.call.Place(), small.call.Session, "ada", "in/large.txt", make([]byte, 9e6))
	require.NoError(t, err)
	require.Contains(t, small.run(JavaScript, `try { readFile("in/large.txt") } catch (e) { console.log(String(e)) }`),
		"\nError: a file of 9000000 bytes is more than the 8000000 that there may be\n")
}

// TestWasmKeeps proves that what a program writes in WebAssembly is kept, also where it is stopped.
func TestWasmKeeps(t *testing.T) {
	o := quick
	o.Timeout = 2 * time.Second
	got := newRig(t, found(t, Wasm, o)).run(JavaScript, `writeFile("a.txt", "4"); writeFile("a.txt", "half"); for (;;) {}`)
	require.Contains(t, got, "stopped: it ran longer than 2s")
	require.Contains(t, got, "[kept: a.txt, version 1, 4 bytes]")
	require.NotContains(t, got, "not kept")
}

// TestWrongCalls proves that a model is told what is wrong with a call.
func TestWrongCalls(t *testing.T) {
	r := newRig(t, found(t, Wasm, quick))
	for want, args := range map[string]map[string]any{
		`"cobol" cannot be run here: language is one of javascript`: {"language": "cobol", "code": "x"},
		`"code" or "file" is missing`:                               {"language": "javascript"},
		`give "code" or "file", not both`:                           {"language": "javascript", "code": "1", "file": "a.js"},
		`there is no file "a.js" in the workspace`:                  {"language": "javascript", "file": "a.js"},
		`there is no file "../../etc/passwd" in the workspace`:      {"language": "javascript", "file": "../../etc/passwd"},
		`the arguments are not the JSON object`:                     {"language": 5},
		`and may have 200 kB`:                                       {"language": "javascript", "code": strings.Repeat("x", maxCode+1)},
	} {
		require.Contains(t, r.with(t.Context(), args), want)
	}
}

// TestContainers proves how a container is run, on a stand-in for docker and podman that does
// what it is asked without one.
func TestContainers(t *testing.T) {
	for _, kind := range []Kind{Docker, Podman} {
		t.Run(string(kind), func(t *testing.T) {
			folder := t.TempDir()
			said := filepath.Join(folder, "said")
			engine := fmt.Sprintf("#!/bin/sh\necho \"$@\" >> %s\ncase \"$1\" in image) echo id;; kill) ;; *) while [ \"$1\" != img ]; do shift; done; shift; case \"$3\" in *command\\ -v\\ python3*) echo python shell;; *) echo ran;; esac;; esac\n", said)
			require.NoError(t, os.WriteFile(filepath.Join(folder, string(kind)), []byte(engine), 0o755))
			t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
			o := quick
			o.Image = "img"
			f := found(t, kind, o)
			require.Equal(t, string(kind)+": python, shell", f.String())
			r := newRig(t, f)
			require.Contains(t, r.run(Python, "print(1)"), "[python in "+string(kind)+", ")
			text, err := os.ReadFile(said)
			require.NoError(t, err)
			for _, want := range []string{"--rm", "--init", "--network none", "--read-only", "--cap-drop ALL", "--security-opt no-new-privileges", "--pids-limit 21",
				"--memory 256000000 --memory-swap 256000000", "--pull never", "--tmpfs /tmp:size=8000000", "--tmpfs /work:exec,mode=1777,size=9048576", "--interactive",
				"--entrypoint  img sh -c", "timeout -s KILL 25", "/tmp/main.py"} {
				require.Contains(t, string(text), want)
			}
			require.NotContains(t, string(text), "--volume", "it sees nothing of the machine")
		})
	}
	require.Equal(t, Off, Find(t.Context(), Options{Sandbox: "docker"}, Host{}).Kind)
	require.Contains(t, Find(t.Context(), Options{Sandbox: "docker"}, Host{}).String(), "code.image names no image")
}

// TestUserOfContainers proves that programs in containers are never root, and that two of them
// are not one user if errand is root.
func TestUserOfContainers(t *testing.T) {
	user := func(uid int) string {
		args := containers{"/usr/bin/docker", quick, uid, 100}.command(t.Context(), "sh").Args
		return args[slices.Index(args, "--user")+1]
	}
	require.Equal(t, "1000:100", user(1000))
	require.NotContains(t, []string{"0:0", "0:100"}, user(0))
	if programUser() != nobody {
		require.NotEqual(t, user(0), user(0))
	}
}

// BenchmarkStart is what it costs to start a program, beside the program alone.
func BenchmarkStart(b *testing.B) {
	for _, kind := range []Kind{Bubblewrap, Wasm} {
		o := quick
		o.Sandbox = string(kind)
		f := Find(b.Context(), o, host(b))
		if f.Kind != kind {
			continue
		}
		language := f.Languages[len(f.Languages)-1]
		b.Run(string(kind), func(b *testing.B) {
			for b.Loop() {
				if _, err := f.engine.run(b.Context(), jobOf(language, "")); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("sh alone", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command("sh", "-c", "").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
