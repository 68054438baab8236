// Package files is the tools by which agents keep files: in the workspace of their
// conversation, which everything that is delegated from it shares.
package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"errand"
	"errand/internal/content"
	"errand/internal/store"
	"errand/internal/tools"
)

// A Store keeps the files; [*store.Store] does.
type Store interface {
	Files(ctx context.Context, place string, f store.FileFilter) ([]store.File, error)
	File(ctx context.Context, place, path string, version int) (store.File, error)
	OpenFile(context.Context, store.File) *store.FileReader
	ChangeFile(context.Context, errand.CallKey, store.FileChange) (store.FileChanged, error)
}

// Tools are those of the workspace.
func Tools(s Store) []tools.Tool {
	w := workspace{s}
	return []tools.Tool{{
		Name: "list_files",
		Description: "List the files of this conversation's workspace, with size and version. It is shared with everybody who works for this conversation, and is kept. " +
			"Long lists come in pieces.",
		Parameters: json.RawMessage(`{"type": "object", "properties": {
			"folder": {"type": "string", "description": "only what is in this folder"},
			"after": {"type": "string", "description": "go on behind this path, as the piece before says"}}}`),
		Effect: tools.ReadOnly, Doing: "doing.files", Run: w.list,
	}, {
		Name:        "read_file",
		Description: "Read a text file of the workspace. It says the version, which an edit has to name. Long files come in pieces: go on as the piece before says.",
		Parameters: json.RawMessage(`{"type": "object", "properties": {
			"path": {"type": "string", "description": "such as notes/plan.md"},
			"line": {"type": "integer", "description": "the line to begin with; 1 when left out"},
			"offset": {"type": "integer", "description": "the byte to begin with, instead of a line"},
			"version": {"type": "integer", "description": "an earlier version; the latest when left out"}}, "required": ["path"]}`),
		Effect: tools.ReadOnly, Doing: "doing.file", Run: w.read,
	}, {
		Name: "write_file",
		Description: "Write a whole text file in the workspace: a new one, or in the place of one that is there. To replace a file that somebody else wrote, name the version that you have read. " +
			"For a small change use edit_file.",
		Parameters: json.RawMessage(`{"type": "object", "properties": {
			"path": {"type": "string", "description": "such as notes/plan.md; folders are made"},
			"content": {"type": "string"},
			"version": {"type": "integer", "description": "the version that is replaced, as read_file says"}}, "required": ["path", "content"]}`),
		Effect: tools.Idempotent, Doing: "doing.write_file", Run: w.write,
	}, {
		Name: "edit_file",
		Description: "Replace a text in a file of the workspace. The old text has to be there exactly as given, with spaces and line ends, and once only unless all is true. " +
			"If somebody has changed the file since the version that you name, nothing is changed and you are shown what is different.",
		Parameters: json.RawMessage(`{"type": "object", "properties": {
			"path": {"type": "string"},
			"version": {"type": "integer", "description": "the version that you have read, as read_file says"},
			"old": {"type": "string", "description": "the text to replace"},
			"new": {"type": "string", "description": "what takes its place; empty to delete it"},
			"all": {"type": "boolean", "description": "replace it wherever it is"}}, "required": ["path", "version", "old", "new"]}`),
		Effect: tools.Idempotent, Doing: "doing.write_file", Run: w.edit,
	}, {
		Name:        "find_in_files",
		Description: "Search the text files of the workspace for a regular expression (RE2), line by line. Answers with path, line and text. Long searches come in pieces.",
		Parameters: json.RawMessage(`{"type": "object", "properties": {
			"pattern": {"type": "string", "description": "RE2, such as (?i)night train or TODO"},
			"folder": {"type": "string", "description": "only in this folder"},
			"after": {"type": "string", "description": "go on behind this path, as the piece before says"},
			"line": {"type": "integer", "description": "go on in the file after that one, at this line, as the piece before says"}}, "required": ["pattern"]}`),
		Effect: tools.ReadOnly, Doing: "doing.find_in_files", Run: w.find,
	}, {
		Name:        "undo_file",
		Description: "Put an earlier version of a file of the workspace back: the one before, and when called again the one before that; or the one you name. Nothing is lost: what was there stays a version.",
		Parameters: json.RawMessage(`{"type": "object", "properties": {
			"path": {"type": "string"},
			"version": {"type": "integer", "description": "the version to put back; the one before when left out"}}, "required": ["path"]}`),
		Effect: tools.Idempotent, Doing: "doing.write_file", Run: w.undo,
	}}
}

type workspace struct{ store Store }

type args struct {
	Path    string `json:"path"`
	Folder  string `json:"folder"`
	After   string `json:"after"`
	Line    int    `json:"line"`
	Offset  *int64 `json:"offset"`
	Version int    `json:"version"`
	Content string `json:"content"`
	Old     string `json:"old"`
	New     string `json:"new"`
	All     bool   `json:"all"`
	Pattern string `json:"pattern"`
}

// parse reads the arguments of a call. What is wrong with them is for the model to read.
func parse(raw json.RawMessage) (args, error) {
	in, err := tools.Parse[args](raw)
	if err != nil {
		return in, err
	}
	if in.Version < 0 || in.Line < 0 {
		return in, errors.New("line and version are numbers from 1 on")
	}
	return in, nil
}

const listPage = 200

func (w workspace) list(ctx context.Context, call store.Call, raw json.RawMessage) (string, error) {
	in, err := parse(raw)
	if err != nil {
		return "error: " + err.Error(), nil
	}
	found, err := w.store.Files(ctx, call.Place(), store.FileFilter{Folder: in.Folder, After: in.After, Limit: listPage + 1})
	if err != nil {
		return refused(err)
	}
	if len(found) == 0 {
		switch {
		case in.After != "":
			return "There are no more files.", nil
		case in.Folder != "":
			return fmt.Sprintf("There is no file in %s.", content.Line(in.Folder)), nil
		}
		return "The workspace is empty.", nil
	}
	var b strings.Builder
	for _, f := range found[:min(len(found), listPage)] {
		fmt.Fprintf(&b, "%s  %s  version %d  %s, %s\n", f.Path, content.Size(f.Size), f.Version, by(f), stamp(f.Created))
	}
	if len(found) > listPage {
		fmt.Fprintf(&b, "(there are more; go on with after %q)\n", found[listPage-1].Path)
	}
	return b.String(), nil
}

func by(f store.File) string {
	if f.Agent != "" {
		return string(f.Agent)
	}
	return "the person"
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// missing says that a file is not there, and what the model can do.
func missing(path string) string {
	return fmt.Sprintf("error: there is no file %q in the workspace: list_files says which there are", errand.Cut(content.Line(path), 100))
}

// refused tells the model an error that it can mend; any other says that the tool could
// not be run.
func refused(err error) (string, error) {
	var path *store.FilePathError
	if errors.As(err, &path) || errors.Is(err, store.ErrTooLarge) || errors.Is(err, store.ErrNoSpace) {
		return "error: " + err.Error(), nil
	}
	return "", err
}
