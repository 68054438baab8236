package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"errand/internal/core"
	"errand/internal/store"
)

const bound = "content"

// A CallError says what is wrong with a call. The model reads it.
type CallError string

func (e CallError) Error() string { return string(e) }

// BoundArguments returns the canonical arguments of a call, with the stored content that
// it uses. An approval of them covers only that content. It drops any content that the
// model supplied itself. The error is a CallError if the call is wrong.
func (t Tool) BoundArguments(ctx context.Context, place, arguments string) (string, error) {
	canonical, err := core.CanonicalArguments(arguments)
	if err != nil {
		return "", CallError(err.Error())
	}
	if t.Bind == nil {
		return canonical, nil
	}
	content, err := t.Bind(ctx, place, json.RawMessage(canonical))
	if err != nil {
		return "", err
	}
	return withContent(canonical, content)
}

// IsBinding reports whether boundArguments are the canonical arguments of the call, with
// any stored content.
func (t Tool) IsBinding(boundArguments, arguments string) bool {
	canonical, err := core.CanonicalArguments(arguments)
	if err != nil || t.Bind == nil {
		return err == nil && canonical == boundArguments
	}
	want, err := withContent(canonical, nil)
	if err != nil {
		return false
	}
	got, err := withContent(boundArguments, nil)
	return err == nil && got == want
}

// withContent sets the content of canonical arguments. nil removes it.
func withContent(canonical string, content any) (string, error) {
	fields := map[string]any{}
	if err := json.Unmarshal([]byte(canonical), &fields); err != nil {
		return "", CallError(err.Error())
	}
	for key := range fields {
		if strings.EqualFold(key, bound) {
			delete(fields, key)
		}
	}
	if content != nil {
		fields[bound] = content
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		return "", err
	}
	return core.CanonicalArguments(string(raw))
}

// A FileContent is one version of a stored file.
type FileContent struct {
	Version   int    `json:"version"`
	SHA256    string `json:"sha256"`
	Size      int64  `json:"bytes"`
	Beginning string `json:"beginning,omitempty"` // if it is text
}

const maxBeginning = 1000 // characters

// Files finds and reads stored files. [*store.Store] implements it.
type Files interface {
	File(ctx context.Context, place, path string, version int) (core.File, error)
	OpenFile(context.Context, core.File) *store.FileReader
}

// LatestContent returns the latest version of a file. A missing file is a CallError.
func LatestContent(ctx context.Context, files Files, place, path string) (FileContent, error) {
	f, err := files.File(ctx, place, path, 0)
	var bad *store.FilePathError
	if errors.Is(err, store.ErrNotFound) || errors.As(err, &bad) {
		return FileContent{}, CallError(fmt.Sprintf("there is no file %q in the workspace", core.Cut(path, 100)))
	}
	if err != nil {
		return FileContent{}, err
	}
	data := make([]byte, min(f.Size, maxBeginning*utf8.UTFMax))
	if _, err := files.OpenFile(ctx, f).ReadAt(data, 0); err != nil && !errors.Is(err, io.EOF) {
		return FileContent{}, err
	}
	c := FileContent{Version: f.Version, SHA256: f.SHA256, Size: f.Size}
	if strings.HasPrefix(f.Type, "text/") || utf8.Valid(data) {
		c.Beginning = core.Cut(strings.ToValidUTF8(string(data), "\uFFFD"), maxBeginning)
	}
	return c, nil
}
