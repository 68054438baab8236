package mcpclient

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/store"
)

const (
	mostText      = 2_000_000 // characters; package tools cuts texts further for models
	mostParts     = 200
	mostFiles     = 20
	mostFileBytes = 20_000_000
)

// render stores the files of a result, and returns its text with their ids, marked as the
// server's.
func (c *connection) render(ctx context.Context, call store.Call, res *mcp.CallToolResult) (string, error) {
	r := resultRenderer{c: c, call: call}
	for i, part := range res.Content {
		if i == mostParts {
			r.line("(the result has %d parts more, which are left out)", len(res.Content)-i)
			break
		}
		if err := r.part(ctx, part); err != nil {
			return "", err
		}
	}
	if r.texts == 0 && res.StructuredContent != nil {
		if raw, err := json.Marshal(res.StructuredContent); err == nil {
			r.text(string(raw))
		}
	}
	text := core.Cut(strings.TrimSpace(r.b.String()), mostText)
	if text == "" {
		text = "(it returned nothing)"
	}
	if res.IsError {
		return fmt.Sprintf("error: the MCP server %s says that the call failed:\n", c.Name) + framed(call, c.Name, text), nil
	}
	return framed(call, c.Name, text), nil
}

func framed(call store.Call, server, text string) string {
	return call.Nonce.Mark("result of the MCP server "+server+": untrusted data") + "\n" + text + "\n" + call.Nonce.Mark("end of the result")
}

type resultRenderer struct {
	c     *connection
	call  store.Call
	b     strings.Builder
	texts int
	files int
	bytes int
}

func (r *resultRenderer) line(format string, args ...any) {
	fmt.Fprintf(&r.b, format+"\n", args...)
}

func (r *resultRenderer) text(text string) {
	r.texts++
	if r.b.Len() > 4*mostText {
		return // the text is cut at the end
	}
	r.line("%s", r.c.harmless(text))
}

func (r *resultRenderer) part(ctx context.Context, part mcp.Content) error {
	switch p := part.(type) {
	case *mcp.TextContent:
		r.text(p.Text)
	case *mcp.ImageContent:
		return r.file(ctx, "image", p.Data)
	case *mcp.AudioContent:
		return r.file(ctx, "audio", p.Data)
	case *mcp.ResourceLink:
		r.line("(it points to %s: %s)", core.Cut(content.OneLine(p.Name), 200), core.Cut(content.OneLine(p.URI), 500))
	case *mcp.EmbeddedResource:
		if p.Resource == nil {
			return nil
		}
		data := p.Resource.Blob
		if data == nil {
			data = []byte(p.Resource.Text)
		}
		return r.file(ctx, nameOf(p.Resource.URI), data)
	default:
		r.line("(a part of a kind that errand does not know is left out)")
	}
	return nil
}

func (r *resultRenderer) file(ctx context.Context, name string, data []byte) error {
	r.files++
	r.bytes += len(data)
	// The content decides the type, not the server.
	kind := content.TypeOf(data)
	name = content.Name(name, kind)
	switch {
	case r.files > mostFiles || r.bytes > mostFileBytes:
		r.line("(a file of %s is left out: the result has too many)", content.Size(int64(len(data))))
		return nil
	case r.call.Key.Owner == "": // a trial call, without an agent
		r.line("(a file, %s, %s)", kind, content.Size(int64(len(data))))
		return nil
	case r.c.o.Artifacts == nil:
		return errors.New("artifacts cannot be kept")
	}
	id, err := r.c.o.Artifacts.KeepArtifact(ctx, r.call, store.NewArtifact{Name: name, Type: kind, Data: data})
	if err != nil {
		return err
	}
	r.line("[file %s: %s, %s, %s]", id, name, kind, content.Size(int64(len(data))))
	if content.IsText(kind) {
		r.line("It begins: %s", core.Cut(content.OneLine(string(data[:min(len(data), 4000)])), 500))
	}
	return nil
}

func nameOf(uri string) string {
	uri = content.OneLine(uri)
	uri = strings.TrimRight(uri, "/")
	if i := strings.LastIndexAny(uri, "/:"); i >= 0 {
		uri = uri[i+1:]
	}
	return cmp.Or(core.Cut(uri, 80), "resource")
}
