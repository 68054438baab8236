// Package files is the tools with which agents keep files in the workspace of their
// conversation. Tasks that are delegated from it share the workspace.
package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/tools"
)

// A Store keeps the files. [*store.Store] implements it.
type Store interface {
	Files(ctx context.Context, place string, f store.FileFilter) ([]core.File, error)
	File(ctx context.Context, place, path string, version int) (core.File, error)
	OpenFile(context.Context, core.File) *store.FileReader
	ChangeFile(context.Context, core.CallKey, store.FileChange) (core.FileChanged, error)
}

// Tools returns the workspace tools.
func Tools(s Store) []tools.Tool {
	w := workspace{s}
	return []tools.Tool{{
		Name: "list_files",
		Description: "List the files in the workspace of this conversation with size and version. All agents of the conversation share the workspace, and it persists. " +
			"Long lists come in pieces.",
		Parameters: json.RawMessage(`{"type": "object", "properties": {
			"folder": {"type": "string", "description": "only this folder"},
			"after": {"type": "string", "description": "continue after this path, as the last piece says"}}}`),
		Effect: tools.ReadOnly, Doing: "doing.files", Run: w.list,
	}, {
		Name:        "read_file",
		Description: "Read a text file of the workspace. The result has its version, which an edit needs. Long files come in pieces: continue as the last piece says.",
		Parameters: json.RawMessage(`{"type": "object", "properties": {
			"path": {"type": "string", "description": "such as notes/plan.md"},
			"line": {"type": "integer", "description": "the first line; default 1"},
			"offset": {"type": "integer", "description": "the first byte, instead of line"},
			"version": {"type": "integer", "description": "default: the latest"}}, "required": ["path"]}`),
		Effect: tools.ReadOnly, Doing: "doing.file", Run: w.read,
	}, {
		Name: "write_file",
		Description: "Write a whole text file in the workspace, new or replaced. To replace a file that somebody else wrote, pass the version that you have read. " +
			"For a small change use edit_file.",
		Parameters: json.RawMessage(`{"type": "object", "properties": {
			"path": {"type": "string", "description": "such as notes/plan.md; missing folders are created"},
			"content": {"type": "string"},
			"version": {"type": "integer", "description": "the version to replace, from read_file"}}, "required": ["path", "content"]}`),
		Effect: tools.Idempotent, Doing: "doing.write_file", Run: w.write,
	}, {
		Name: "edit_file",
		Description: "Replace text in a file of the workspace. The old text must match exactly, including spaces and line ends, and must occur exactly once, unless all is true. " +
			"If the file has changed since the version that you pass, nothing is changed and you see the differences.",
		Parameters: json.RawMessage(`{"type": "object", "properties": {
			"path": {"type": "string"},
			"version": {"type": "integer", "description": "the version that you have read, from read_file"},
			"old": {"type": "string", "description": "the text to replace"},
			"new": {"type": "string", "description": "the new text; empty deletes it"},
			"all": {"type": "boolean", "description": "replace every occurrence"}}, "required": ["path", "version", "old", "new"]}`),
		Effect: tools.Idempotent, Doing: "doing.write_file", Run: w.edit,
	}, {
		Name:        "find_in_files",
		Description: "Search the text files of the workspace line by line for a regular expression (RE2). The result has path, line and text. Long results come in pieces.",
		Parameters: json.RawMessage(`{"type": "object", "properties": {
			"pattern": {"type": "string", "description": "RE2, such as (?i)night train or TODO"},
			"folder": {"type": "string", "description": "only this folder"},
			"after": {"type": "string", "description": "continue after this path, as the last piece says"},
			"line": {"type": "integer", "description": "the line to continue at, from the last piece"}}, "required": ["pattern"]}`),
		Effect: tools.ReadOnly, Doing: "doing.find_in_files", Run: w.find,
	}, {
		Name:        "undo_file",
		Description: "Restore an earlier version of a file of the workspace: the previous one, or a version that you name. Call it again to go back further. Nothing is lost: the replaced content stays a version.",
		Parameters: json.RawMessage(`{"type": "object", "properties": {
			"path": {"type": "string"},
			"version": {"type": "integer", "description": "default: the previous version"}}, "required": ["path"]}`),
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

// parse returns errors that the model can read.
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
		fmt.Fprintf(&b, "(there are more; continue with after %q)\n", found[listPage-1].Path)
	}
	return b.String(), nil
}

func by(f core.File) string {
	if f.Agent != "" {
		return string(f.Agent)
	}
	return "the user"
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

func missing(path string) string {
	return fmt.Sprintf("error: there is no file %q in the workspace: list_files says which there are", core.Cut(content.Line(path), 100))
}

// refused turns errors that the model can correct into text.
func refused(err error) (string, error) {
	var path *store.FilePathError
	if errors.As(err, &path) || errors.Is(err, store.ErrTooLarge) || errors.Is(err, store.ErrNoSpace) {
		return "error: " + err.Error(), nil
	}
	return "", err
}
