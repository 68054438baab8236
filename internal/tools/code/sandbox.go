package code

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"
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

// A program is what is to be run.
type program struct {
	language Language
	file     string // its path
	name     string // as it is called in messages
	folder   string // the files of its conversation
	left     string // a folder for those that it leaves behind; of wasm it is folder
	uid      int    // who owns all of them
}

// An outcome is how a program ended.
type outcome struct {
	output  string // what it printed, and its errors, in their order
	exit    int
	stopped string // which limit it exceeded, in words; empty: it ended by itself
	took    time.Duration
	kept    bool     // its files are in the folder for them
	refused []string // but these, and why; the names are the program's
}

// A Host is what of errand itself runs JavaScript in WebAssembly.
type Host struct {
	Program string // this program, by its path; it hands quickjs.Argument to quickjs.Main
	Cache   string // a folder of errand's own, which is made
}

// A sandbox runs programs apart from everything else.
type sandbox interface {
	run(context.Context, program) (outcome, error)
}

// A Found says what runs programs here.
type Found struct {
	Kind      Kind // Off: nothing does
	Languages []Language
	Why       string // why it is not what was asked for, or not the first choice; for people
	options   Options
	sandbox   sandbox
}

// String is for people: "bubblewrap: python, shell".
func (f Found) String() string {
	if f.Kind == Off {
		return "no programs are run: " + f.Why
	}
	names := make([]string, len(f.Languages))
	for i, l := range f.Languages {
		names[i] = string(l)
	}
	text := string(f.Kind) + ": " + strings.Join(names, ", ")
	if f.interpreted() {
		text += " (" + slow + ")"
	}
	return text
}

// interpreted reports whether programs are slow here.
func (f Found) interpreted() bool {
	w, ok := f.sandbox.(wasm)
	return ok && w.interpreted
}

// Find looks what of o works here, by trying it. It pulls no image and takes a few
// seconds at most.
func Find(ctx context.Context, o Options, h Host) Found {
	sweep(time.Now())
	if Kind(o.Sandbox) == Off {
		return Found{Kind: Off, Why: "code.sandbox is off"}
	}
	var reasons []string
	for _, kind := range []Kind{Docker, Podman, Bubblewrap, Wasm} {
		if asked := Kind(o.Sandbox); asked != kind && asked != Auto {
			continue
		}
		s, languages, err := find(ctx, kind, o, h)
		if err == nil {
			return Found{Kind: kind, Languages: languages, Why: strings.Join(reasons, "; "), options: o, sandbox: s}
		}
		reasons = append(reasons, fmt.Sprintf("%s: %v", kind, err))
	}
	return Found{Kind: Off, Why: strings.Join(reasons, "; ")}
}

func find(ctx context.Context, kind Kind, o Options, h Host) (sandbox, []Language, error) {
	switch kind {
	case Wasm:
		return findWasm(ctx, o, h)
	case Bubblewrap:
		return findBubblewrap(ctx, o)
	}
	return findContainers(ctx, kind, o)
}

// probe has a shell in a sandbox say which languages it has. It is run by what run
// makes of a command.
func probe(ctx context.Context, run func(ctx context.Context, args ...string) *exec.Cmd) ([]Language, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	var script strings.Builder
	script.WriteString("command -v tar >/dev/null || { echo 'it has no tar, which takes files out of it' >&2; exit 1; }\n")
	for _, c := range commands {
		fmt.Fprintf(&script, "command -v %s >/dev/null && echo %s\n", c.program, c.language)
	}
	cmd := run(ctx, "sh", "-c", script.String()+":")
	defer closeExtra(cmd)
	var says strings.Builder
	cmd.Stderr = &limitedWriter{b: &says, left: 400}
	out, err := cmd.Output()
	if err != nil {
		if message := strings.TrimSpace(says.String()); message != "" {
			return nil, errors.New(message)
		}
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

type limitedWriter struct {
	b    *strings.Builder
	left int
}

func (l *limitedWriter) Write(p []byte) (int, error) {
	kept := p[:min(len(p), l.left)]
	l.left -= len(kept)
	l.b.Write(kept)
	return len(p), nil
}

func commandOf(l Language) command {
	for _, c := range commands {
		if c.language == l {
			return c
		}
	}
	return command{}
}
