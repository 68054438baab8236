package sandbox

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/fastschema/qjs"
)

// A JavaScriptProgram describes a program to run, and its limits.
type JavaScriptProgram struct {
	Name    string // for messages
	Memory  int64  // limit in bytes
	Archive int64  // size of its archive in bytes
	Files   int64  // limit of bytes written
	File    int64  // limit of bytes in one text that it reads or writes
	CPU     uint64 // seconds
	Cache   string // a folder for the compiled QuickJS; empty: no cache
	Probe   bool   // finds out only whether this machine compiles, and runs nothing
}

// engineOverhead is in bytes: QuickJS, its compiler or interpreter, and texts in transit.
const engineOverhead = 256<<20 + RaceDetector

// Limit returns the memory limit of the process, including its files, in bytes.
func (p JavaScriptProgram) Limit() int64 {
	return p.Memory + engineMemory + engineOverhead + p.Archive + p.Files
}

const programVariable = "ERRAND_PROGRAM"

// Env returns the environment variable that passes p to its process.
func (p JavaScriptProgram) Env() string {
	text, _ := json.Marshal(p) // strings and numbers always marshal
	return programVariable + "=" + string(text)
}

// The process of a program writes one of these lines first.
const (
	JavaScriptBegan       = "began\n"
	JavaScriptBeganSlowly = "began interpreted\n" // about 20 times slower
)

// runJavaScript runs the program that its environment describes, and returns the exit code:
// 0 if the program finished. in begins with an archive of the program and its workspace. The
// process ends when in ends. The program prints to errs, and its files go to out.
func runJavaScript(in io.Reader, out, errs io.Writer) int {
	IgnoreInterrupts()
	// One thread for the program, one that waits for the end of in.
	runtime.GOMAXPROCS(max(2, runtime.GOMAXPROCS(0)))
	f := programFiles{texts: map[string][]byte{}, written: map[string]int64{}, out: tar.NewWriter(out)}
	if err := json.Unmarshal([]byte(os.Getenv(programVariable)), &f.JavaScriptProgram); err != nil {
		return 1
	}
	if err := f.run(in, out, errs); err != nil {
		fmt.Fprintln(errs, err)
		return 1
	}
	return 0
}

func (f *programFiles) run(in io.Reader, out, errs io.Writer) error {
	debug.SetMemoryLimit(f.Limit() - engineOverhead/2)
	began := JavaScriptBegan
	o, err := loadQuickJS(f.JavaScriptProgram, true)
	if err != nil {
		began = JavaScriptBeganSlowly
		if o, err = loadQuickJS(f.JavaScriptProgram, false); err != nil {
			return err
		}
	}
	limits := Limits{Memory: uint64(f.Limit()), CPU: time.Duration(f.CPU) * time.Second, Nobody: true}
	if err := Confine(limits); err != nil {
		return err
	}
	source, err := f.unpack(io.LimitReader(in, f.Archive))
	if err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(io.Discard, in)
		os.Exit(1) // the parent process has ended
	}()
	if _, err := io.WriteString(out, began); err != nil {
		return err
	}
	if f.Probe {
		return nil
	}
	return f.eval(o, source, errs)
}

const consoleScript = `globalThis.print = (...a) => __print(a.map(x => typeof x === "string" ? x :
	x instanceof Error ? String(x.stack ? x + "\n" + x.stack : x) : (typeof x === "object" && x !== null ? JSON.stringify(x) : String(x))).join(" "));
globalThis.console = {log: print, info: print, debug: print, warn: print, error: print};
{
	const ask = __ask;
	globalThis.readFile = (path = "") => ask("read", path);
	globalThis.writeFile = (path = "", text = "") => { ask("write", path, text) };
	globalThis.listFiles = () => JSON.parse(ask("list"));
}
for (const name of ["__ask", "std", "os", "bjson", "setTimeout", "setInterval", "clearTimeout", "clearInterval"]) delete globalThis[name];`

// eval runs the source. It recovers from panics of the library, which a broken module causes.
func (f *programFiles) eval(o qjs.Option, source string, errs io.Writer) (err error) {
	defer func() {
		if r := recover(); r != nil {
			said, _, _ := strings.Cut(fmt.Sprint(r), "\n")
			err = errors.New(said)
		}
	}()
	o.Stdout, o.Stderr = errs, errs
	rt, err := qjs.New(o)
	if err != nil {
		return err
	}
	text := func(this *qjs.This, i int) string {
		if args := this.Args(); i < len(args) {
			return args[i].String()
		}
		return ""
	}
	rt.Context().SetFunc("__print", func(this *qjs.This) (*qjs.Value, error) {
		_, err := io.WriteString(errs, text(this, 0)+"\n")
		return this.Context().NewUndefined(), err
	})
	rt.Context().SetFunc("__ask", func(this *qjs.This) (*qjs.Value, error) {
		answer, err := f.ask(text(this, 0), text(this, 1), strings.ToValidUTF8(text(this, 2), "\uFFFD"))
		if err != nil {
			return nil, err
		}
		return this.Context().NewString(answer), nil
	})
	if _, err := rt.Eval("errand.js", qjs.Code(consoleScript)); err != nil {
		return err
	}
	_, err = rt.Eval(f.Name, qjs.Code(source), qjs.TypeModule())
	return err
}
