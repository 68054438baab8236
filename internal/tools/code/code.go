package code

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/tools"
)

const maxCode = 200_000 // bytes of a program in the call itself

// Name is the name of the tool that runs programs.
const Name = "run_code"

// Tools returns the tool that runs programs, or none if there is no sandbox.
func Tools(s Store, f Found) []tools.Tool {
	if f.Kind == Off || f.engine == nil {
		return nil
	}
	r, o := runner{s, f, make(places, maxAtOnce)}, f.options
	effect := tools.Idempotent // it changes only files, once per call
	network := "It has no network."
	if o.Network && f.Kind != Wasm {
		effect, network = tools.Once, "It has network access."
	}
	how := "It runs in a copy of this conversation's workspace; files that it writes there are kept as new versions."
	if f.Kind == Wasm {
		how = "There is no Node, only the language, console.log, and readFile(path), writeFile(path, text) and listFiles() for this conversation's workspace."
		if f.slow {
			how += " It is slow here: avoid long calculations."
		}
	}
	languages, _ := json.Marshal(f.Languages) // strings always marshal
	return []tools.Tool{{
		Name: Name,
		Description: fmt.Sprintf("Run a program and read its output, for example to calculate, to try code, or to work on files. %s %s Limits: %s, %s of memory. "+
			"You see only what the program prints.", how, network, o.Timeout, content.Size(o.Memory)),
		Parameters: json.RawMessage(fmt.Sprintf(`{"type": "object", "properties": {
			"language": {"type": "string", "enum": %s},
			"code": {"type": "string", "description": "the program"},
			"file": {"type": "string", "description": "a program file in the workspace, instead of code"}}, "required": ["language"]}`, languages)),
		Effect: effect, Doing: "doing.code", Timeout: waits*o.Timeout + runs(o), Bind: r.bind, Run: r.run,
	}}
}

type runner struct {
	store  Store
	found  Found
	places places
}

type args struct {
	Language Language `json:"language"`
	Code     string   `json:"code"`
	File     string   `json:"file"`
	Content  *binding `json:"content"` // the approved content; nil: the call needed no approval
}

func (r runner) run(ctx context.Context, call store.Call, raw json.RawMessage) (string, error) {
	in, err := tools.Parse[args](raw)
	if err != nil {
		return "error: " + err.Error(), nil
	}
	if wrong := r.wrong(in); wrong != "" {
		return "error: " + wrong, nil
	}
	leave, err := r.places.take(ctx, waits*r.found.options.Timeout)
	if errors.Is(err, errNoPlace) {
		return "error: it was not run: " + err.Error(), nil
	}
	if err != nil {
		return "", err
	}
	defer leave()
	ctx, cancel := context.WithTimeoutCause(ctx, runs(r.found.options), errOverrun)
	defer cancel()
	room := int64(maxKeptBytes)
	if r.found.Kind == Wasm {
		room = min(room, r.found.options.Files)
	}
	files, err := openWorkspace(ctx, r.store, call.Place(), room)
	if err != nil {
		return "", err
	}
	j := job{in.Language, "main" + commands[in.Language].suffix, []byte(in.Code), files}
	if in.File != "" {
		path, _ := store.CleanFilePath(in.File)
		file, ok := files.before[path]
		if !ok {
			return fmt.Sprintf("error: there is no file %q in the workspace", content.Line(in.File)), nil
		}
		j.name = in.File
		if j.source, err = io.ReadAll(files.open(file)); err != nil {
			return "", err
		}
	}
	if !in.Content.fits(in, files) {
		if call.Again {
			return "error: outcome unknown: errand was interrupted while this ran, and its files have changed since they were approved. " +
				"It may have changed them itself. Look at the files before you call it again.", nil
		}
		return "error: it was not run: its files have changed since they were approved. Call it again to request approval of the new files.", nil
	}
	o, err := r.found.engine.run(ctx, j)
	if err != nil {
		return "", err
	}
	return r.result(ctx, call, in, o, files)
}

func (r runner) wrong(in args) string {
	switch {
	case !slices.Contains(r.found.Languages, in.Language):
		return fmt.Sprintf("%q cannot be run here: language is one of %s", content.Line(string(in.Language)), r.found.languages())
	case in.Code == "" && in.File == "":
		return `"code" or "file" is missing`
	case in.Code != "" && in.File != "":
		return `give "code" or "file", not both`
	case len(in.Code) > maxCode:
		return fmt.Sprintf("the program has %s, and may have %s: write it to a file of the workspace", content.Size(int64(len(in.Code))), content.Size(maxCode))
	}
	return ""
}

func (r runner) result(ctx context.Context, call store.Call, in args, o outcome, files *workspace) (string, error) {
	var b strings.Builder
	how := fmt.Sprintf("exit status %d", o.exit)
	if o.stopped != "" {
		how = "stopped: " + o.stopped
	}
	fmt.Fprintf(&b, "[%s in %s, %s, %s]\n", in.Language, r.found.Kind, o.took.Round(10*time.Millisecond), how)
	text := content.Visible(o.output)
	if strings.TrimSpace(text) == "" {
		text = "(it printed nothing)\n"
	}
	b.WriteString(call.Nonce.Mark("output: untrusted data") + "\n" + text)
	if !strings.HasSuffix(text, "\n") {
		b.WriteByte('\n')
	}
	b.WriteString(call.Nonce.Mark("end of output") + "\n")
	kept, err := r.keep(ctx, call, o, files)
	if err == nil && kept != "" {
		// The program chose the names.
		b.WriteString(call.Nonce.Mark("files: names are untrusted data") + "\n" + kept + call.Nonce.Mark("end of files") + "\n")
	}
	return b.String(), err
}

func (r runner) keep(ctx context.Context, call store.Call, o outcome, files *workspace) (string, error) {
	var b strings.Builder
	changes := files.changes()
	not := files.notes
	if !o.kept {
		not = append(not, "other files: it was ended before all of them were copied")
	}
	if len(changes) > 0 {
		results, err := r.store.ChangeFiles(ctx, call.Key, changes)
		if err != nil {
			return "", err
		}
		for _, f := range results {
			if f.Refused != "" {
				not = append(not, fileNote(f.Path, f.Refused))
				continue
			}
			fmt.Fprintf(&b, "[kept: %s, version %d, %s]\n", core.Cut(content.Line(f.Path), 200), f.Version, content.Size(f.Size))
		}
	}
	for _, what := range not {
		fmt.Fprintf(&b, "[not kept: %s]\n", what)
	}
	return b.String(), nil
}
