package a2aclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/fetch"
)

const (
	mostFiles      = 10
	mostFileBytes  = 8 << 20
	mostFilesBytes = 16 << 20
	fetching       = 20 * time.Second // for downloads
)

type fileKey struct{}

// finished downloads the files of a completed task into out. A file that fails carries its
// fault; it is not an error.
func (p *Peer) finished(ctx context.Context, out core.PeerTask, parts a2a.ContentParts) (core.PeerTask, error) {
	if out.State != core.Completed {
		return out, nil
	}
	fetched, end := context.WithTimeout(ctx, fetching)
	defer end()
	left, more := mostFilesBytes, 0
	for _, part := range parts {
		if !isFile(part) {
			continue
		}
		if len(out.Files) == mostFiles {
			more++
			continue
		}
		file := p.file(fetched, part, min(left, mostFileBytes))
		if err := ctx.Err(); err != nil {
			return core.PeerTask{}, err
		}
		left -= len(file.Data)
		out.Files = append(out.Files, file)
	}
	if more > 0 {
		out.Files = append(out.Files, core.PeerFile{Name: fmt.Sprintf("%d more", more), Fault: fmt.Sprintf("a result may have %d", mostFiles)})
	}
	if len(out.Files) == 0 {
		out.Text = cmp.Or(out.Text, "(The peer has said nothing.)")
	}
	return out, nil
}

func partsOf(t *a2a.Task) (parts a2a.ContentParts) {
	for _, artifact := range t.Artifacts {
		if artifact != nil {
			parts = append(parts, artifact.Parts...)
		}
	}
	if t.Status.Message != nil {
		parts = append(parts, t.Status.Message.Parts...)
	}
	return parts
}

func isFile(part *a2a.Part) bool {
	if part == nil {
		return false
	}
	switch part.Content.(type) {
	case a2a.Raw, a2a.URL:
		return true
	}
	return false
}

// file downloads one file. Its content decides its type, not the peer.
func (p *Peer) file(ctx context.Context, part *a2a.Part, most int) core.PeerFile {
	var data []byte
	var err error
	name := part.Filename
	switch at := part.Content.(type) {
	case a2a.Raw:
		if data = at; len(data) > most {
			err = errTooLarge
		}
	case a2a.URL:
		var u *url.URL
		if u, err = fetch.ParseURL(string(at)); err == nil {
			name = cmp.Or(name, path.Base(u.Path))
			data, err = p.fetch(ctx, u, most)
		}
	}
	if err != nil {
		fault := core.Cut(content.Line(err.Error()), 300)
		return core.PeerFile{Name: content.Name(name, ""), Fault: fault}
	}
	kind := content.TypeOf(data)
	return core.PeerFile{Name: content.Name(name, kind), Type: kind, Data: data}
}

var errTooLarge = fmt.Errorf("it is too large: a file may have %s, and those of a result %s", content.Size(mostFileBytes), content.Size(mostFilesBytes))

func (p *Peer) fetch(ctx context.Context, u *url.URL, most int) ([]byte, error) {
	r, err := http.NewRequestWithContext(context.WithValue(ctx, fileKey{}, true), http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	resp, err := p.http.Do(r)
	if err != nil {
		var outer *url.Error // unwrap: it repeats the address
		var refused *fetch.Refused
		switch {
		case errors.As(err, &refused):
			return nil, refused
		case errors.As(err, &outer):
			err = outer.Err
		}
		return nil, fmt.Errorf("%s: %w", u.Redacted(), err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: it is answered with %d", u.Redacted(), resp.StatusCode)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, int64(most)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", u.Redacted(), err)
	case len(data) > most:
		return nil, fmt.Errorf("%s: %w", u.Redacted(), errTooLarge)
	}
	return data, nil
}
