package code

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"errand/internal/content"
	"errand/internal/ownprocess"
	"errand/internal/quickjs"
	"errand/internal/store"
)

// wasm runs JavaScript in QuickJS, which is WebAssembly, in a process of its own. Files
// it reaches by three functions.
type wasm struct {
	options     Options
	here        Host
	interpreted bool // this process may not make code, and neither may those that it starts
}

const slow = "interpreted, about 20 times slower: MemoryDenyWriteExecute of a systemd unit forbids to compile"

func findWasm(ctx context.Context, o Options, h Host) (sandbox, []Language, error) {
	if h.Program == "" {
		return nil, nil, errors.New("errand does not know its own path, by which it starts what runs JavaScript")
	}
	w := wasm{options: o, here: h}
	ctx, cancel := context.WithTimeout(ctx, start)
	defer cancel()
	p := w.program("probe.js", "1")
	out, err := w.execute(ctx, p, &rootFiles{}, func(interpreted bool) { w.interpreted = interpreted })
	if err == nil && (out.exit != 0 || out.stopped != "") {
		err = errors.New(strings.TrimSpace(out.output + " " + out.stopped))
	}
	return w, []Language{JavaScript}, err
}

func (w wasm) run(ctx context.Context, p program) (outcome, error) {
	source, err := os.ReadFile(p.file)
	if err != nil {
		return outcome{}, err
	}
	root, err := os.OpenRoot(p.folder)
	if err != nil {
		return outcome{}, err
	}
	defer root.Close()
	q := w.program(p.name, string(source))
	o, err := w.execute(ctx, q, &rootFiles{intake{root, w.options.Files}, q.Files, w.options.Files}, func(bool) {})
	o.kept = true
	return o, err
}

func (w wasm) program(name, source string) quickjs.Program {
	return quickjs.Program{
		Name: name, Source: source, Memory: w.options.Memory, Files: min(w.options.Files, store.MaxFile),
		CPU: uint64(math.Ceil(w.options.Timeout.Seconds())) + 60, Cache: w.here.Cache,
	}
}

func (w wasm) execute(ctx context.Context, p quickjs.Program, files quickjs.Files, started func(interpreted bool)) (outcome, error) {
	cmd := ownprocess.Command(ctx, w.here.Program, quickjs.Argument)
	in, answers, err := os.Pipe()
	if err != nil {
		return outcome{}, err
	}
	defer answers.Close()
	defer in.Close()
	calls, out, err := os.Pipe()
	if err != nil {
		return outcome{}, err
	}
	defer calls.Close()
	defer out.Close()
	cmd.Stdin, cmd.Stdout = in, out
	defer context.AfterFunc(ctx, func() { calls.Close() })()
	var began moment
	served := make(chan error, 1)
	go func() {
		served <- quickjs.Serve(calls, answers, p, files, func(interpreted bool) {
			started(interpreted)
			began.now()
		})
		answers.Close() // a process that is not understood ends
	}()
	limits := w.options
	limits.Memory += quickjs.Overhead
	o, err := limits.run(ctx, cmd, hooks{began: began.time})
	if at := began.time(); !at.IsZero() {
		o.took = time.Since(at)
	}
	out.Close()
	answers.Close()
	// What it has asked is there. Who else has the other end is not waited for.
	defer time.AfterFunc(silent, func() { calls.Close() }).Stop()
	if failed := <-served; err == nil && o.stopped == "" && o.exit == 0 {
		err = failed
	}
	return o, err
}

// rootFiles are the files of a folder, of which a program may read one of so many bytes
// and write so many in all.
type rootFiles struct {
	intake
	text, most int64
}

func (f *rootFiles) Read(path string) ([]byte, error) {
	name, err := cleanPath(path)
	if err != nil {
		return nil, err
	}
	info, err := f.root.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.Size() > f.text {
		return nil, quickjs.TooLarge(info.Size(), f.text)
	}
	data, err := f.root.ReadFile(name)
	return bytes.ToValidUTF8(data, []byte("\uFFFD")), err
}

func (f *rootFiles) Write(path string, text []byte) error {
	to, err := f.create(path, int64(len(text)))
	if errors.Is(err, errNoRoom) {
		return fmt.Errorf("its files have more than %s", content.Size(f.most))
	}
	if err != nil {
		return err
	}
	_, err = to.Write(text)
	return errors.Join(err, to.Close())
}

func (f *rootFiles) List() (list []string, err error) {
	for file, err := range filesIn(f.root) {
		if err != nil {
			return nil, err
		}
		list = append(list, file.path)
	}
	return list, nil
}
