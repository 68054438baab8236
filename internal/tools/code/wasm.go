package code

import (
	"context"
	"errors"
	"math"
	"strings"

	"errand/internal/core"
	"errand/internal/sandbox"
)

type wasm struct {
	options Options
	here    Host
}

const slow = "interpreted, about 20 times slower: MemoryDenyWriteExecute of a systemd unit forbids to compile"

func (w wasm) probe(ctx context.Context) (slow bool, err error) {
	if w.here.Program == "" {
		return false, errors.New("errand does not know its own path, so it cannot start the process that runs JavaScript")
	}
	ctx, cancel := context.WithTimeout(ctx, start)
	defer cancel()
	out, err := w.start(ctx, job{JavaScript, "probe.js", []byte("1"), &workspace{}}, true)
	if err == nil && (out.exit != 0 || out.stopped != "") {
		err = errors.New(strings.TrimSpace(out.output + " " + out.stopped))
	}
	return out.slow, err
}

func (w wasm) run(ctx context.Context, j job) (outcome, error) { return w.start(ctx, j, false) }

func (w wasm) start(ctx context.Context, j job, probe bool) (outcome, error) {
	size, err := j.archiveSize()
	if err != nil {
		return outcome{}, err
	}
	p := sandbox.JavaScriptProgram{
		Name: j.name, Memory: w.options.Memory, Archive: size, Files: min(w.options.Files, maxKeptBytes), File: min(w.options.Files, core.MaxFile),
		CPU: uint64(math.Ceil(w.options.Timeout.Seconds())) + 60, Cache: w.here.Cache, Probe: probe,
	}
	limits := w.options
	limits.Memory = p.Limit()
	cmd := sandbox.Command(ctx, w.here.Program, sandbox.RunJavaScript)
	cmd.Env = append(cmd.Env, p.Env())
	return limits.exchange(ctx, cmd, j, false)
}
