package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"errand"
	"errand/internal/content"
	"errand/store"
)

// artifactPage is how much of a text one call reads, in characters.
const artifactPage = 16_000

// Artifacts are the tools that read what a person sent besides text.
func Artifacts(st *store.Store) []Tool {
	return []Tool{{
		Name: "read_artifact",
		Description: "Read a file that the person sent in this conversation, by the id that stands behind [attached: …]. Text only (plain text, JSON, HTML, CSV …). " +
			"Long ones come in pieces: call again with the offset that the piece before names.",
		Parameters: json.RawMessage(`{"type": "object", "properties": {"id": {"type": "string", "description": "a-…"},
			"offset": {"type": "integer", "description": "where to go on, in characters; from the beginning when left out"}}, "required": ["id"]}`),
		Effect: ReadOnly, Doing: "reading a file", Run: artifactTools{st}.read,
	}}
}

type artifactTools struct{ store *store.Store }

func (t artifactTools) read(ctx context.Context, call store.Call, args json.RawMessage) (string, error) {
	in, err := parse[struct {
		ID     string `json:"id"`
		Offset int    `json:"offset"`
	}](args)
	if err != nil {
		return "error: " + err.Error(), nil
	}
	id := errand.ArtifactID(strings.ToLower(strings.TrimSpace(in.ID)))
	a, err := t.store.Artifact(ctx, id)
	// What was sent in another conversation is not there, for whoever asks here:
	// others may read along.
	if errors.Is(err, store.ErrNotFound) || err == nil && (a.Key == "" || a.Key != call.Origin.SessionKey) {
		return fmt.Sprintf("error: there is no file %q in this conversation", errand.Cut(string(id), 40)), nil
	}
	if err != nil {
		return "", err
	}
	if !content.IsText(a.Type) {
		return fmt.Sprintf("error: %s (%s) is %s, %s: only text can be read", a.ID, content.Line(a.Name), a.Type, content.Size(a.Size)), nil
	}
	data, err := t.store.ArtifactData(ctx, a.ID)
	if errors.Is(err, store.ErrNotFound) {
		return "error: " + err.Error(), nil
	}
	if err != nil {
		return "", err
	}
	return page(content.Text(data), in.Offset), nil
}

// page returns the piece of a text at offset, and says what follows it.
func page(text string, offset int) string {
	runes := []rune(text)
	if offset < 0 || offset > len(runes) || offset == len(runes) && offset > 0 {
		return fmt.Sprintf("error: the text has %d characters; offset %d is not in it", len(runes), offset)
	}
	if len(runes) == 0 {
		return "(the file is empty)"
	}
	end := min(offset+artifactPage, len(runes))
	piece := string(runes[offset:end])
	if end < len(runes) {
		piece += fmt.Sprintf("\n(characters %d to %d of %d; go on with offset %d)", offset, end, len(runes), end)
	}
	return piece
}
