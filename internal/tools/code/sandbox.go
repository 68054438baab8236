// Package code is the tool with which agents run programs: in a container, in bubblewrap,
// or as JavaScript in WebAssembly, but never in errand's own environment.
//
// A program sees the files of its conversation and a read-only system. It cannot see
// errand's environment or folders. It has no network unless the configuration allows it.
// Its time, memory, processes, files and output are limited.
package code

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"errand/internal/core"
)

// A Kind is a kind of sandbox.
type Kind string

// The kinds.
const (
	Auto       Kind = "auto" // the first of the others that works
	Docker     Kind = "docker"
	Podman     Kind = "podman"
	Bubblewrap Kind = "bubblewrap"
	Wasm       Kind = "wasm" // JavaScript only
	Off        Kind = "off"  // no programs
)

// A Language is a programming language.
type Language string

// The languages.
const (
	Python     Language = "python"
	JavaScript Language = "javascript"
	Shell      Language = "shell"
)

type command struct {
	line   []string // goes before the path of the file
	suffix string
}

var commands = map[Language]command{
	Python:     {[]string{"python3", "-I", "-B", "-c", startPython}, ".py"},
	JavaScript: {[]string{"node"}, ".mjs"},
	Shell:      {[]string{"sh"}, ".sh"},
}

// startPython starts Python in isolated mode (-I), so that no file of the workspace runs
// by itself. The workspace comes last in the module path, so its files never replace the
// standard library.
const startPython = `import sys as _s; _s.path.append("` + inside + `"); _s.argv.pop(0); __file__ = _s.argv[0]; del _s; ` +
	`exec(compile(open(__file__, "rb").read(), __file__, "exec"))`

// Options configure the sandbox and its limits.
type Options struct {
	Sandbox   string // a [Kind]
	Image     string // of containers; empty: containers are not used
	Network   bool
	Timeout   time.Duration
	Memory    int64 // bytes
	Files     int64 // bytes of the program's folder
	Processes int
}

// maxOutput is in bytes.
const maxOutput = 1_000_000

type job struct {
	language Language
	name     string // the file name for messages
	source   []byte
	files    *workspace
}

type outcome struct {
	output  string // standard output and errors, interleaved
	exit    int
	stopped string // the limit that it exceeded, in words; empty: none
	took    time.Duration
	kept    bool // all of its files are in the workspace
	slow    bool // it was interpreted
}

// A Host runs JavaScript in WebAssembly, in a process of errand.
type Host struct {
	Program string // path of this executable; it calls [sandbox.RunJob]
	Cache   string // a folder; it is created if missing
}

// A commandSandbox makes commands that have an in-memory file system at the path inside.
// The caller closes their extra files.
type commandSandbox interface {
	command(ctx context.Context, args ...string) *exec.Cmd
}

type engine interface {
	run(context.Context, job) (outcome, error)
}

// nobody is the user id for commands that need no files.
const nobody = 65534

// A Found is the sandbox that works here.
type Found struct {
	Kind      Kind // Off: none
	Languages []Language
	Why       string // why it is not the requested or the first choice; for people
	slow      bool   // programs are interpreted
	options   Options
	engine    engine
}

// String describes the sandbox for people: "bubblewrap: python, shell".
func (f Found) String() string {
	if f.Kind == Off {
		return "no programs are run: " + f.Why
	}
	text := f.languages()
	if f.slow {
		text += " (" + slow + ")"
	}
	return string(f.Kind) + ": " + text
}

func (f Found) languages() string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(f.Languages), "[]"), " ", ", ")
}

// Find returns the first sandbox allowed by o that works here. It pulls no image and takes
// a few seconds at most.
func Find(ctx context.Context, o Options, h Host) Found {
	if Kind(o.Sandbox) == Off {
		return Found{Kind: Off, Why: "code.sandbox is off"}
	}
	var reasons []string
	for _, kind := range []Kind{Docker, Podman, Bubblewrap, Wasm} {
		if asked := Kind(o.Sandbox); asked != kind && asked != Auto {
			continue
		}
		f := Found{Kind: kind, Why: strings.Join(reasons, "; "), options: o}
		err := f.find(ctx, h)
		if err == nil {
			return f
		}
		reasons = append(reasons, fmt.Sprintf("%s: %v", kind, err))
	}
	return Found{Kind: Off, Why: strings.Join(reasons, "; ")}
}

func (f *Found) find(ctx context.Context, h Host) (err error) {
	var b boxed
	switch f.Kind {
	case Wasm:
		w := wasm{f.options, h}
		f.engine, f.Languages = w, []Language{JavaScript}
		f.slow, err = w.probe(ctx)
		return err
	case Bubblewrap:
		b, err = findBubblewrap(f.options)
	default:
		b, err = findContainers(ctx, f.Kind, f.options)
	}
	if err != nil {
		return err
	}
	f.engine = b
	f.Languages, err = probe(ctx, b.sandbox)
	return err
}

func probe(ctx context.Context, s commandSandbox) ([]Language, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	script := "command -v tar >/dev/null || { echo 'it has no tar, which takes files into it and out of it' >&2; exit 1; }\n"
	for _, l := range []Language{Python, JavaScript, Shell} {
		script += fmt.Sprintf("command -v %s >/dev/null && echo %s\n", commands[l].line[0], l)
	}
	cmd := s.command(ctx, "sh", "-c", script+":")
	defer closeExtra(cmd)
	out, err := cmd.Output() // the error includes the start and end of stderr
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(bytes.TrimSpace(exit.Stderr)) > 0 {
		return nil, errors.New(core.Cut(string(bytes.TrimSpace(exit.Stderr)), 400))
	}
	if err != nil {
		return nil, err
	}
	var found []Language
	for _, line := range strings.Fields(string(out)) {
		found = append(found, Language(line))
	}
	if len(found) == 0 {
		return nil, errors.New("it has no language to run")
	}
	return found, nil
}

func closeExtra(cmd *exec.Cmd) {
	for _, f := range cmd.ExtraFiles {
		f.Close()
	}
}
