package web

import (
	"context"
	"fmt"
	"io"
	"strings"

	"errand"
	"errand/internal/service"
)

func (m *memory) Workspaces(_ context.Context, by service.Actor, person errand.PersonID, p service.Page) (list []service.Workspace, err error) {
	if person, err = whose(by, person); err != nil {
		return nil, err
	}
	m.note("Workspaces", fmt.Sprintf("%s|%d", person, p.Limit))
	return nil, nil
}

func (m *memory) Files(_ context.Context, by service.Actor, of string, f service.FileFilter) ([]service.File, error) {
	m.note("Files", fmt.Sprintf("%s|%s|%s|%s|%d", by.Person, of, f.Folder, f.After, f.Limit))
	return nil, nil
}

const evil = "<script>alert(1)</script>"

func (m *memory) OpenFile(_ context.Context, by service.Actor, of, path string, version int) (service.File, io.Reader, error) {
	m.note("OpenFile", fmt.Sprintf("%s|%s|%s|%d", by.Person, of, path, version))
	return service.File{Path: "notes/f\"ü\r\n.html", Type: "text/html", Size: int64(len(evil)), Version: 3}, strings.NewReader(evil), nil
}

func (m *memory) OpenFileVersion(_ context.Context, by service.Actor, id int64) (service.File, io.Reader, error) {
	m.note("OpenFileVersion", fmt.Sprintf("%s|%d", by.Person, id))
	return service.File{Path: "a.svg", Type: "image/svg+xml", Size: int64(len(evil))}, strings.NewReader(evil), nil
}

func (m *memory) PutFile(_ context.Context, by service.Actor, of, path string, data []byte) (service.FileChanged, error) {
	m.note("PutFile", fmt.Sprintf("%s|%s|%s|%d", by.Person, of, path, len(data)))
	return service.FileChanged{File: service.File{Path: path}}, nil
}

func (m *memory) RemoveFile(_ context.Context, by service.Actor, of, path string) (service.File, error) {
	m.note("RemoveFile", fmt.Sprintf("%s|%s|%s", by.Person, of, path))
	return service.File{Path: path}, nil
}
