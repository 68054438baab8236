package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"errand/api"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
)

const (
	taskScheme = "errand://tasks/"
	jsonType   = "application/json"
	// mostFile is in bytes.
	mostFile = 4 << 20
)

func (d *door) addResources(s *mcp.Server) {
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "task", Title: "A task", URITemplate: taskScheme + "{task_id}", MIMEType: jsonType,
		Description: "A task with its result, and the questions that it waits for."}, d.readTask)
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "transcript", Title: "Transcript of a task", URITemplate: taskScheme + "{task_id}/transcript", MIMEType: jsonType,
		Description: "What the agents of a task read, called and wrote while they worked on it: the latest 200 messages of each agent."}, d.readTranscript)
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "files", Title: "Files of a task", URITemplate: taskScheme + "{task_id}/files", MIMEType: jsonType,
		Description: "The files that the agents of a task keep, by path."}, d.readFiles)
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "file", Title: "A file of a task", URITemplate: taskScheme + "{task_id}/files/{+path}",
		Description: "One of these files."}, d.readFile)
}

func (d *door) readTask(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	t, err := d.taskOf(ctx, req)
	if err != nil {
		return nil, err
	}
	out, _, err := d.renderTask(ctx, t)
	if err != nil {
		return nil, d.notRead(req, err)
	}
	return asJSON(req, out)
}

func (d *door) readTranscript(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	t, err := d.taskOf(ctx, req)
	if err != nil {
		return nil, err
	}
	list, err := ops.Do(ctx, d.Runner, api.GetTaskTranscript, d.by, api.TranscriptInput{ID: string(t.ID)})
	if err != nil {
		return nil, d.notRead(req, err)
	}
	return asJSON(req, list)
}

func (d *door) readFiles(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	t, err := d.taskOf(ctx, req)
	if err != nil {
		return nil, err
	}
	list, err := ops.Do(ctx, d.Runner, api.ListFiles, d.by, api.ListFilesInput{FilesOf: api.FilesOf{Of: string(t.ID)}})
	if err != nil {
		return nil, d.notRead(req, err)
	}
	if list == nil {
		list = []core.File{}
	}
	return asJSON(req, list)
}

func (d *door) readFile(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	_, path, _ := strings.Cut(req.Params.URI, "/files/")
	path, err := url.PathUnescape(path)
	if err != nil {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	t, err := d.taskOf(ctx, req)
	if err != nil {
		return nil, err
	}
	in := api.FilePath{FilesOf: api.FilesOf{Of: string(t.ID)}, Path: path}
	f, err := ops.Do(ctx, d.Runner, api.GetFile, d.by, api.GetFileInput{FilePath: in})
	if err != nil {
		return nil, d.notRead(req, err)
	}
	if f.Size > mostFile {
		return nil, errors.New("the file is too large to read this way: " + path + " of task " + string(t.ID) + ". errand files prints it")
	}
	raw, err := io.ReadAll(f)
	if err != nil {
		return nil, d.refused(err)
	}
	out := &mcp.ResourceContents{URI: req.Params.URI, MIMEType: f.Type}
	if strings.HasPrefix(f.Type, "text/") || f.Type == jsonType {
		out.Text = string(raw)
	} else {
		out.Blob = raw
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{out}}, nil
}

func (d *door) taskOf(ctx context.Context, req *mcp.ReadResourceRequest) (core.Task, error) {
	id, _, _ := strings.Cut(strings.TrimPrefix(req.Params.URI, taskScheme), "/")
	t, err := d.find(ctx, id)
	if err != nil {
		return core.Task{}, d.notRead(req, err)
	}
	return t, nil
}

func (d *door) notRead(req *mcp.ReadResourceRequest, err error) error {
	var known *service.Error
	if errors.As(err, &known) && known.Kind == service.KindNotFound {
		return mcp.ResourceNotFoundError(req.Params.URI)
	}
	return d.refused(err)
}

func asJSON(req *mcp.ReadResourceRequest, v any) (*mcp.ReadResourceResult, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: jsonType, Text: string(raw)}}}, nil
}
