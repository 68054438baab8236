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

// Main runs one program that it reads from in, and returns the exit code: 0 if the
// program came to its end. What the program prints goes to errs; out and the rest of in
// are for what it asks of the process that started this one. That one's end is the end
// of this one.
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
				os.Exit(1) // nobody is there who wants to know how it ends
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
for (const name of ["std", "os", "bjson", "setTimeout", "setInterval", "clearTimeout", "clearInterval"]) delete globalThis[name];`

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
	c.SetFunc("readFile", func(this *qjs.This) (*qjs.Value, error) {
		a, err := h.ask(call{Read: true, Path: text(this, 0)})
		if err != nil {
			return nil, err
		}
		return this.Context().NewString(string(a.Text)), nil
	})
	c.SetFunc("writeFile", func(this *qjs.This) (*qjs.Value, error) {
		data := []byte(strings.ToValidUTF8(text(this, 1), "\uFFFD"))
		if int64(len(data)) > p.Files {
			return nil, TooLarge(int64(len(data)), p.Files)
		}
		_, err := h.ask(call{Write: true, Path: text(this, 0), Text: data})
		return this.Context().NewUndefined(), err
	})
	c.SetFunc("listFiles", func(this *qjs.This) (*qjs.Value, error) {
		a, err := h.ask(call{List: true})
		if err != nil {
			return nil, err
		}
		list, err := json.Marshal(append([]string{}, a.Paths...))
		if err != nil {
			return nil, err
		}
		return this.Context().ParseJSON(string(list)), nil
	})
}
