package a2aclient

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"errand/internal/content"
	"errand/internal/core"
)

// longestID is in bytes.
const longestID = 200

// isID refuses control characters, because the store keeps the id.
func isID(id string) bool {
	return len(id) <= longestID && utf8.ValidString(id) && !strings.ContainsFunc(id, unicode.IsControl)
}

const longest = 100_000 // characters of a result

// peerTask converts a task. It marks the peer's words, so that they never look like errand's
// own.
func peerTask(t *a2a.Task) core.PeerTask {
	out := core.PeerTask{ID: string(t.ID), Context: t.ContextID, State: core.Working}
	var message string
	if t.Status.Message != nil {
		message = partsText(t.Status.Message.Parts, t.Status.State != a2a.TaskStateCompleted)
	}
	switch t.Status.State {
	case a2a.TaskStateCompleted:
		out.State, out.Text = core.Completed, cmp.Or(artifactsText(t.Artifacts), message)
	case a2a.TaskStateFailed:
		out.State, out.Text = core.Failed, "The peer has failed: "+cmp.Or(message, "it does not say why")
	case a2a.TaskStateRejected:
		out.State, out.Text = core.Rejected, "The peer has refused: "+cmp.Or(message, "it does not say why")
	case a2a.TaskStateCanceled:
		out.State, out.Canceled, out.Text = core.Failed, true, "The task was canceled at the peer: "+cmp.Or(message, "it does not say why")
	case a2a.TaskStateInputRequired:
		out.State, out.Text, out.Word = core.InputRequired, core.Cut(cmp.Or(message, "(It does not say what it asks.)"), longestQuestion), word(t)
	case a2a.TaskStateAuthRequired:
		out.Login, out.Text, out.Word = true, core.Cut(cmp.Or(message, "(It does not say where.)"), longestQuestion), word(t)
	default:
		if message != "" {
			out.Text, out.Word = core.Cut(message, longestQuestion), word(t)
		}
	}
	return out
}

const longestQuestion = 3000 // characters

// word returns a short hash of the peer's message and its time. It stays the same while the
// peer has nothing new.
func word(t *a2a.Task) string {
	hash := sha256.New()
	if t.Status.Message != nil {
		fmt.Fprintf(hash, "%q", t.Status.Message.ID)
	}
	if t.Status.Timestamp != nil {
		fmt.Fprintf(hash, "%d", t.Status.Timestamp.UnixNano())
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}

func artifactsText(artifacts []*a2a.Artifact) string {
	var parts []string
	for _, artifact := range artifacts {
		if artifact == nil {
			continue
		}
		if text := partsText(artifact.Parts, false); text != "" {
			parts = append(parts, text)
		}
	}
	return core.Cut(strings.Join(parts, "\n\n"), longest)
}

// partsText joins the texts of parts. If named is set it also mentions files; the files of
// a result are kept elsewhere.
func partsText(parts a2a.ContentParts, named bool) string {
	var texts []string
	for _, p := range parts {
		if p == nil {
			continue
		}
		switch part := p.Content.(type) {
		case a2a.Text:
			texts = append(texts, string(part))
		case a2a.Data:
			// Not indented: indentation can multiply the size of deep data.
			if raw, err := json.Marshal(part.Value); err == nil {
				texts = append(texts, string(raw))
			}
		case a2a.URL:
			if named {
				texts = append(texts, fmt.Sprintf("(a file: %s)", part))
			}
		case a2a.Raw:
			if named {
				texts = append(texts, fmt.Sprintf("(a file that was not kept: %s, %d bytes)", cmp.Or(p.Filename, "without a name"), len(part)))
			}
		}
	}
	return core.Cut(content.Clean(strings.Join(texts, "\n")), longest)
}
