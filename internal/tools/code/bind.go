package code

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"errand/internal/store"
	"errand/internal/tools"
)

// A binding identifies a program's file and the files that it can import, by path and SHA-256.
type binding struct {
	*tools.FileContent
	Imports map[string]string `json:"imports,omitzero"` // nil: it can import none
}

var pythonCode = []string{".py", ".pyc", ".so", ".js", ".mjs", ".cjs", ".node", ".sh"}

const maxListed = 50

func (r runner) bind(ctx context.Context, place string, raw json.RawMessage) (any, error) {
	in, err := tools.Parse[args](raw)
	if err != nil {
		return nil, tools.CallError(err.Error())
	}
	if wrong := r.wrong(in); wrong != "" {
		return nil, tools.CallError(wrong)
	}
	b := binding{}
	if in.File != "" {
		file, err := tools.LatestContent(ctx, r.store, place, in.File)
		if err != nil {
			return nil, err
		}
		b.FileContent = &file
	}
	if r.found.Kind == Wasm { // QuickJS cannot import files
		if b.FileContent == nil {
			return nil, nil
		}
		return b, nil
	}
	files, err := openWorkspace(ctx, r.store, place, 0)
	if err != nil {
		return nil, err
	}
	b.Imports = importable(files.sums(), in)
	return b, nil
}

func importable(sums map[string]string, in args) map[string]string {
	own, _ := store.CleanFilePath(in.File)
	found := map[string]string{}
	for name, sum := range sums {
		code := in.Language != Python || slices.Contains(pythonCode, strings.ToLower(path.Ext(name)))
		if code && !strings.EqualFold(name, own) {
			found[name] = sum
		}
	}
	if len(found) <= maxListed {
		return found
	}
	all := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(found)) {
		fmt.Fprintf(all, "%q %s\n", name, found[name])
	}
	return map[string]string{fmt.Sprintf("(%d files, together)", len(found)): hex.EncodeToString(all.Sum(nil))}
}

func (b *binding) fits(in args, files *workspace) bool {
	if b == nil {
		return true // the call needs no approval
	}
	sums := files.sums()
	if own, _ := store.CleanFilePath(in.File); in.File != "" && (b.FileContent == nil || b.SHA256 != sums[own]) {
		return false
	}
	return b.Imports == nil || maps.Equal(b.Imports, importable(sums, in))
}
