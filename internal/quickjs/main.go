// Package quickjs runs programs of JavaScript in QuickJS, each in a process of its own.
//
// QuickJS is WebAssembly here: a program has its own memory, no system calls except the clock,
// and no folder. WebAssembly does not limit the time that it sleeps and the memory of its host.
// So errand calls itself for each program: without its environment, with limits of the system,
// and without more files than it was started with. The process that started it gives it files
// of the conversation.
package quickjs

import (
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

	"errand/internal/ownprocess"
)

// Main runs one program that it reads from in, and returns the exit code: 0 if the program came
// to its end. What the program prints goes to errs; out and the rest of in are for what it asks
// of the process that started this one. This process ends when in does.
func Main(in io.Reader, out, errs io.Writer) int {
	ownprocess.IgnoreInterrupts()
	runtime.GOMAXPROCS(max(2, runtime.GOMAXPROCS(0))) // one of them notices the end of in
	from := json.NewDecoder(in)
	var p Program
	if err := from.Decode(&p); err != nil {
		return 1
	}
	compiles := mayCompile() == nil
	debug.SetMemoryLimit(p.Memory + Overhead/2)
	ctx, err := load(p, compiles)
	if err != nil {
		return code(errs, err)
	}
	limits := ownprocess.Limits{Memory: uint64(p.Memory + own + Overhead), CPU: time.Duration(p.CPU) * time.Second, Nobody: true}
	if err := ownprocess.Confine(limits); err != nil {
		return code(errs, err)
	}
	answers := make(chan answer)
	go func() {
		for {
			var a answer
			if from.Decode(&a) != nil {
				os.Exit(1) // the process that started this one has ended
			}
			answers <- a
		}
	}()
	to := json.NewEncoder(out)
	if err := to.Encode(call{Ready: true, Interpreted: !compiles}); err != nil {
		return 1
	}
	return code(errs, eval(ctx, p, host{to, answers}, errs))
}

func code(errs io.Writer, err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(errs, err)
	return 1
}

// A host asks the process that started this one.
type host struct {
	to      *json.Encoder
	answers <-chan answer
}

func (h host) ask(c call) (answer, error) {
	if err := h.to.Encode(c); err != nil {
		return answer{}, err
	}
	a := <-h.answers
	if a.Error != "" {
		return a, errors.New(a.Error)
	}
	return a, nil
}

const console = `globalThis.print = (...a) => __print(a.map(x => typeof x === "string" ? x :
	x instanceof Error ? String(x.stack ? x + "\n" + x.stack : x) : (typeof x === "object" && x !== null ? JSON.stringify(x) : String(x))).join(" "));
globalThis.console = {log: print, info: print, debug: print, warn: print, error: print};
{
	const ask = __ask;
	globalThis.readFile = (path = "") => ask("read", path);
	globalThis.writeFile = (path = "", text = "") => { ask("write", path, text) };
	globalThis.listFiles = () => JSON.parse(ask("list"));
}
for (const name of ["__ask", "std", "os", "bjson", "setTimeout", "setInterval", "clearTimeout", "clearInterval"]) delete globalThis[name];`

// eval runs one program. The library panics when its module has broken.
func eval(o qjs.Option, p Program, h host, errs io.Writer) (err error) {
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
	functions(rt.Context(), p, h, errs)
	if _, err := rt.Eval("errand.js", qjs.Code(console)); err != nil {
		return err
	}
	_, err = rt.Eval(p.Name, qjs.Code(p.Source), qjs.TypeModule())
	return err
}

func functions(c *qjs.Context, p Program, h host, errs io.Writer) {
	text := func(this *qjs.This, i int) string {
		if args := this.Args(); i < len(args) {
			return args[i].String()
		}
		return ""
	}
	c.SetFunc("__print", func(this *qjs.This) (*qjs.Value, error) {
		_, err := io.WriteString(errs, text(this, 0)+"\n")
		return this.Context().NewUndefined(), err
	})
	c.SetFunc("__ask", func(this *qjs.This) (*qjs.Value, error) {
		do, data := text(this, 0), []byte(strings.ToValidUTF8(text(this, 2), "\uFFFD"))
		if int64(len(data)) > p.Files {
			return nil, TooLarge(int64(len(data)), p.Files)
		}
		a, err := h.ask(call{Read: do == "read", Write: do == "write", List: do == "list", Path: text(this, 1), Text: data})
		if err != nil {
			return nil, err
		}
		if do == "list" {
			a.Text, err = json.Marshal(append([]string{}, a.Paths...))
		}
		return this.Context().NewString(string(a.Text)), err
	})
}
