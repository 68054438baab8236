// Package code is the tool with which agents run programs: in a container, in bubblewrap, or as
// JavaScript in WebAssembly, and never beside errand itself.
//
// A program sees the files of its conversation, a system that it cannot write, and nothing of
// errand: neither its environment nor its folders. It has no network unless the configuration
// gives it one, and limits on time, memory, processes, files and output.
package code

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"errand"
)

// A Kind says what keeps programs apart.
type Kind string

// The kinds.
const (
	Auto       Kind = "auto" // the first of the others that works here
	Docker     Kind = "docker"
	Podman     Kind = "podman"
	Bubblewrap Kind = "bubblewrap"
	Wasm       Kind = "wasm" // JavaScript alone
	Off        Kind = "off"  // nothing is run
)

// A Language is what programs are written in.
type Language string

// The languages.
const (
	Python     Language = "python"
	JavaScript Language = "javascript"
	Shell      Language = "shell"
)

// A command is what runs programs of a language.
type command struct {
	language Language
	program  string
	args     []string // before the path of the file
	suffix   string
}

var commands = []command{
	{Python, "python3", []string{"-I", "-B", "-c", startPython}, ".py"},
	{JavaScript, "node", nil, ".mjs"},
	{Shell, "sh", nil, ".sh"},
}

func (c command) line(file string) []string {
	return slices.Concat([]string{c.program}, c.args, []string{file})
}

// startPython runs a file as the main program. Python starts isolated (-I), so no file of the
// workspace runs by itself, such as sitecustomize.py. The workspace is the last place where
// modules are looked for: none of its files can stand for one of the standard library.
const startPython = `import sys as _s; _s.path.append("` + inside + `"); _s.argv.pop(0); __file__ = _s.argv[0]; del _s; ` +
	`exec(compile(open(__file__, "rb").read(), __file__, "exec"))`

// Options are how programs are run, and what ends them.
type Options struct {
	Sandbox   string // a [Kind]
	Image     string // of containers; without one containers are not used
	Network   bool
	Timeout   time.Duration
	Memory    int64 // bytes
	Files     int64 // bytes of what a program has in its folder
	Processes int
}

// maxOutput is what a program may print, in bytes.
const maxOutput = 1_000_000

// A job is a program to run.
type job struct {
	language Language
	name     string // of its file, in messages
	source   []byte
	files    *workspace
}

// An outcome is how a program ended.
type outcome struct {
	output  string // what it printed, and its errors, in their order
	exit    int
	stopped string // which limit it exceeded, in words; empty: it ended by itself
	took    time.Duration
	kept    bool // all of its files are in the workspace
}

// A Host is the part of errand that runs JavaScript in WebAssembly.
type Host struct {
	Program string // this program, by its path; it hands quickjs.Argument to quickjs.Main
	Cache   string // a folder that errand makes
}

// A sandbox keeps commands apart from everything else: command returns one that runs args there.
// It has a file system in memory at the path inside, and extra files that the caller closes.
type sandbox interface {
	command(ctx context.Context, args ...string) *exec.Cmd
}

// An engine runs programs.
type engine interface {
	run(context.Context, job) (outcome, error)
}

// nobody is the user of commands that need no files.
const nobody = 65534

// A Found is the sandbox that runs programs here.
type Found struct {
	Kind      Kind // Off: nothing does
	Languages []Language
	Why       string // why it is not what was asked for, or not the first choice; for people
	options   Options
	engine    engine
}

// String is for people: "bubblewrap: python, shell".
func (f Found) String() string {
	if f.Kind == Off {
		return "no programs are run: " + f.Why
	}
	text := f.languages()
	if f.interpreted() {
		text += " (" + slow + ")"
	}
	return string(f.Kind) + ": " + text
}

func (f Found) languages() string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(f.Languages), "[]"), " ", ", ")
}

// interpreted reports whether programs are slow here.
func (f Found) interpreted() bool {
	w, ok := f.engine.(wasm)
	return ok && w.interpreted
}

// Find tries which sandbox of o works here. It pulls no image and takes a few seconds at most.
func Find(ctx context.Context, o Options, h Host) Found {
	if Kind(o.Sandbox) == Off {
		return Found{Kind: Off, Why: "code.sandbox is off"}
	}
	var reasons []string
	for _, kind := range []Kind{Docker, Podman, Bubblewrap, Wasm} {
		if asked := Kind(o.Sandbox); asked != kind && asked != Auto {
			continue
		}
		e, languages, err := find(ctx, kind, o, h)
		if err == nil {
			return Found{Kind: kind, Languages: languages, Why: strings.Join(reasons, "; "), options: o, engine: e}
		}
		reasons = append(reasons, fmt.Sprintf("%s: %v", kind, err))
	}
	return Found{Kind: Off, Why: strings.Join(reasons, "; ")}
}

func find(ctx context.Context, kind Kind, o Options, h Host) (engine, []Language, error) {
	var b boxed
	var err error
	switch kind {
	case Wasm:
		w, err := findWasm(ctx, o, h)
		return w, []Language{JavaScript}, err
	case Bubblewrap:
		b, err = findBubblewrap(o)
	default:
		b, err = findContainers(ctx, kind, o)
	}
	if err != nil {
		return nil, nil, err
	}
	languages, err := probe(ctx, b.sandbox)
	return b, languages, err
}

// probe has a shell in a sandbox print which languages it has.
func probe(ctx context.Context, s sandbox) ([]Language, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	script := "command -v tar >/dev/null || { echo 'it has no tar, which takes files into it and out of it' >&2; exit 1; }\n"
	for _, c := range commands {
		script += fmt.Sprintf("command -v %s >/dev/null && echo %s\n", c.program, c.language)
	}
	cmd := s.command(ctx, "sh", "-c", script+":")
	defer closeExtra(cmd)
	out, err := cmd.Output() // the error has the beginning and the end of what it prints
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(bytes.TrimSpace(exit.Stderr)) > 0 {
		return nil, errors.New(errand.Cut(string(bytes.TrimSpace(exit.Stderr)), 400))
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

func commandOf(l Language) command {
	for _, c := range commands {
		if c.language == l {
			return c
		}
	}
	return command{}
}
