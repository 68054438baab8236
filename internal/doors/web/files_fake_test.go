package web

import (
	"context"
	"fmt"
	"io"
	"strings"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
)

// bindFiles binds operations that note what they are asked for.
func (m *memory) bindFiles(r *ops.Runner) {
	ops.Bind(r, api.ListWorkspaces, func(_ context.Context, by actor.Actor, in api.ListWorkspacesInput) (list api.List[core.Workspace], err error) {
		m.note("Workspaces", fmt.Sprintf("%s|%d", in.Person.Person, in.Limit))
		return list, err
	})
	ops.Bind(r, api.ListFiles, func(_ context.Context, by actor.Actor, in api.ListFilesInput) ([]core.File, error) {
		m.note("Files", fmt.Sprintf("%s|%s|%s|%s|%d", by.Person, in.Of, in.Folder, in.After, in.Limit))
		return nil, nil
	})
	ops.Bind(r, api.GetFile, func(_ context.Context, by actor.Actor, in api.GetFileInput) (api.File, error) {
		m.note("GetFile", fmt.Sprintf("%s|%s|%s|%d", by.Person, in.Of, in.Path, in.Version))
		return evil(`f"ü.html`, "text/html"), nil
	})
	ops.Bind(r, api.GetFileVersion, func(_ context.Context, by actor.Actor, in api.GetFileVersionInput) (api.File, error) {
		m.note("GetFileVersion", fmt.Sprintf("%s|%d", by.Person, in.ID))
		return evil("a.svg", "image/svg+xml"), nil
	})
	ops.Bind(r, api.GetArtifact, func(_ context.Context, by actor.Actor, in api.GetArtifactInput) (api.File, error) {
		m.note("GetArtifact", string(by.Person)+"|"+string(in.ID))
		return evil(`f"ü.html`, "text/html"), nil
	})
	ops.Bind(r, api.PutFile, func(_ context.Context, by actor.Actor, in api.PutFileInput) (core.FileChanged, error) {
		data, err := io.ReadAll(in.Body)
		m.note("PutFile", fmt.Sprintf("%s|%s|%s|%d", by.Person, in.Of, in.Path, len(data)))
		return core.FileChanged{File: core.File{Path: in.Path}}, err
	})
	ops.Bind(r, api.DeleteFile, func(_ context.Context, by actor.Actor, in api.FilePath) (core.File, error) {
		m.note("DeleteFile", fmt.Sprintf("%s|%s|%s", by.Person, in.Of, in.Path))
		return core.File{Path: in.Path}, nil
	})
}

// evil is a file that must not be shown as a page.
func evil(name, typ string) api.File {
	const script = "<script>alert(1)</script>"
	return api.File{Reader: strings.NewReader(script), Name: name, Type: typ, Size: int64(len(script))}
}
