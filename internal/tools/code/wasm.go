package code

import (
	"context"
	"errors"
	"math"
	"os"
	"strings"

	"errand/internal/ownprocess"
	"errand/internal/quickjs"
	"errand/internal/store"
)

// wasm runs JavaScript in QuickJS, which is WebAssembly, in a process of its own.
type wasm struct {
	options     Options
	here        Host
	interpreted bool // the system forbids this process and its children to make code
}

const slow = "interpreted, about 20 times slower: MemoryDenyWriteExecute of a systemd unit forbids to compile"

func findWasm(ctx context.Context, o Options, h Host) (wasm, error) {
	w := wasm{options: o, here: h}
	if h.Program == "" {
		return w, errors.New("errand does not know its own path, so it cannot start the process that runs JavaScript")
	}
	ctx, cancel := context.WithTimeout(ctx, start)
	defer cancel()
	probe := job{name: "probe.js", source: []byte("1"), files: &workspace{}}
	out, err := w.execute(ctx, probe, func(interpreted bool) { w.interpreted = interpreted })
	if err == nil && (out.exit != 0 || out.stopped != "") {
		err = errors.New(strings.TrimSpace(out.output + " " + out.stopped))
	}
	return w, err
}

func (w wasm) run(ctx context.Context, j job) (outcome, error) {
	o, err := w.execute(ctx, j, func(bool) {})
	o.kept = true
	return o, err
}

func (w wasm) execute(ctx context.Context, j job, started func(interpreted bool)) (outcome, error) {
	cmd := ownprocess.Command(ctx, w.here.Program, quickjs.Argument)
	p := quickjs.Program{
		Name: j.name, Source: string(j.source), Memory: w.options.Memory, Files: min(w.options.Files, store.MaxFile),
		CPU: uint64(math.Ceil(w.options.Timeout.Seconds())) + 60, Cache: w.here.Cache,
	}
	var at progress
	limits := w.options
	limits.Memory += quickjs.Overhead
	o, failed, err := limits.exchange(ctx, cmd, &at, false, func(from, to *os.File) error {
		defer to.Close() // a process that is not understood ends
		return quickjs.Serve(from, to, p, scriptFiles{j.files, p.Files}, func(interpreted bool) {
			started(interpreted)
			at.began.now()
		})
	})
	if err == nil && o.stopped == "" && o.exit == 0 {
		err = failed
	}
	return o, err
}
