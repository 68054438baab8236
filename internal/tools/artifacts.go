package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/store"
)

// artifactPage is in bytes. A file is never wholly in memory.
const artifactPage = 16_000

// Artifacts returns the tools that read files from people and long results of other tools.
func Artifacts(st *store.Store) []Tool {
	return []Tool{{
		Name: "read_artifact",
		Description: "Read a file that the user sent in this conversation (its id, a-…, is in the line that errand adds to the message), or the rest of a long tool result (its id is in the result). It reads only text, such as plain text, JSON, HTML or CSV. It cannot read PDF, Office files or pictures. " +
			"Long files come in pieces: call again with the offset that the piece names.",
		Parameters: json.RawMessage(`{"type": "object", "properties": {"id": {"type": "string", "description": "a-…"},
			"offset": {"type": "integer", "description": "in bytes; default: the beginning"}}, "required": ["id"]}`),
		Effect: ReadOnly, Doing: "doing.file", Run: artifactTools{st}.read,
	}}
}

type artifactTools struct{ store *store.Store }

func (t artifactTools) read(ctx context.Context, call store.Call, args json.RawMessage) (string, error) {
	in, err := Parse[struct {
		ID     string `json:"id"`
		Offset int64  `json:"offset"`
	}](args)
	if err != nil {
		return "error: " + err.Error(), nil
	}
	id := core.ArtifactID(strings.ToLower(strings.TrimSpace(in.ID)))
	a, err := t.store.Artifact(ctx, id)
	// Files of other conversations do not exist here, even if the same person sent them:
	// others may read along.
	if errors.Is(err, store.ErrNotFound) || err == nil && !a.Within(call.Origin) {
		return fmt.Sprintf("error: there is no file %q in this conversation", core.Cut(string(id), 40)), nil
	}
	if err != nil {
		return "", err
	}
	if !content.IsText(a.Type) {
		return fmt.Sprintf("error: %s (%s) is %s, %s: only text can be read", a.ID, content.Line(a.Name), a.Type, content.Size(a.Size)), nil
	}
	return t.page(ctx, a, in.Offset)
}

func (t artifactTools) page(ctx context.Context, a core.Artifact, offset int64) (string, error) {
	switch {
	case a.Size == 0:
		return "(the file is empty)", nil
	case offset < 0 || offset >= a.Size:
		return fmt.Sprintf("error: the file has %d bytes; offset %d is not in it", a.Size, offset), nil
	}
	piece, err := t.store.ArtifactPart(ctx, a.ID, offset, artifactPage)
	head := piece
	if err == nil && offset > 0 {
		head, err = t.store.ArtifactPart(ctx, a.ID, 0, 3) // the byte order mark
	}
	if errors.Is(err, store.ErrNotFound) {
		return "error: " + err.Error(), nil
	}
	if err != nil {
		return "", err
	}
	text, used := content.Part(head, piece, offset, offset+int64(len(piece)) >= a.Size)
	if end := offset + int64(used); end < a.Size {
		text += fmt.Sprintf("\n(bytes %d to %d of %d; continue with offset %d)", offset, end, a.Size, end)
	}
	return text, nil
}
