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

	"errand"
	"errand/internal/content"
)

// longestID bounds the ids of a peer's tasks, in bytes.
const longestID = 200

// isID reports whether a peer's task can be known by id: what is stored has no control
// characters.
func isID(id string) bool {
	return len(id) <= longestID && utf8.ValidString(id) && !strings.ContainsFunc(id, unicode.IsControl)
}

const longest = 100_000 // characters of a result

// peerTask is a task of a peer in errand's words. What the peer has not completed begins with
// who says so: no words of a peer's pass for a reason of errand's own.
func peerTask(t *a2a.Task) errand.PeerTask {
	out := errand.PeerTask{ID: string(t.ID), Context: t.ContextID, State: errand.Working}
	var message string
	if t.Status.Message != nil {
		message = partsText(t.Status.Message.Parts, t.Status.State != a2a.TaskStateCompleted)
	}
	switch t.Status.State {
	case a2a.TaskStateCompleted:
		out.State, out.Text = errand.Completed, cmp.Or(artifactsText(t.Artifacts), message)
	case a2a.TaskStateFailed:
		out.State, out.Text = errand.Failed, "The peer has failed: "+cmp.Or(message, "it does not say why")
	case a2a.TaskStateRejected:
		out.State, out.Text = errand.Rejected, "The peer has refused: "+cmp.Or(message, "it does not say why")
	case a2a.TaskStateCanceled:
		out.State, out.Canceled, out.Text = errand.Failed, true, "The task was canceled at the peer: "+cmp.Or(message, "it does not say why")
	case a2a.TaskStateInputRequired:
		out.State, out.Text, out.Word = errand.InputRequired, errand.Cut(cmp.Or(message, "(It does not say what it asks.)"), longestQuestion), word(t)
	case a2a.TaskStateAuthRequired:
		out.Login, out.Text, out.Word = true, errand.Cut(cmp.Or(message, "(It does not say where.)"), longestQuestion), word(t)
	default:
		if message != "" {
			out.Text, out.Word = errand.Cut(message, longestQuestion), word(t)
		}
	}
	return out
}

const longestQuestion = 3000 // characters

// word is the id of the message that a peer waits with, and when it has said it: a peer that
// says nothing new repeats both. It is made short, for it is stored.
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
	return errand.Cut(strings.Join(parts, "\n\n"), longest)
}

// partsText is the text of a message. Files are named in it, or not: those of a result are kept.
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
			if raw, err := json.Marshal(part.Value); err == nil { // indented, a deep one would be many times what was sent
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
	return errand.Cut(content.Clean(strings.Join(texts, "\n")), longest)
}
