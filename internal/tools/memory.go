package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"errand/internal/store"
)

// Memory returns the tools of an agent's working memory. Notes are kept per person and
// agent, or per chat and agent if the people of a chat share a session.
func Memory(st *store.Store) []Tool {
	m := memoryTools{st}
	return []Tool{{
		Name:        "remember",
		Description: "Store a short note about the user under a key. It is kept for later conversations.",
		Parameters: json.RawMessage(`{"type": "object", "properties": {"key": {"type": "string"}, "value": {"type": "string"},
			"ttl": {"type": "string", "description": "how long to keep it, such as 90m, 24h or 30d; default: forever"}}, "required": ["key", "value"]}`),
		Effect: Idempotent, Doing: "doing.note", Run: m.remember,
	}, {
		Name:        "recall",
		Description: "Read the note that is stored under a key. notifications/index lists results that came late or were delivered without you.",
		Parameters:  json.RawMessage(`{"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]}`),
		Effect:      ReadOnly, Doing: "doing.notes", Run: m.recall,
	}, {
		Name:        "list_working_memory",
		Description: "List the notes whose key begins with prefix; without prefix, all notes.",
		Parameters:  json.RawMessage(`{"type": "object", "properties": {"prefix": {"type": "string"}}}`),
		Effect:      ReadOnly, Doing: "doing.notes", Run: m.list,
	}}
}

type memoryTools struct{ store *store.Store }

type noteArgs struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	TTL    string `json:"ttl"`
	Prefix string `json:"prefix"`
}

func (m memoryTools) remember(ctx context.Context, call store.Call, args json.RawMessage) (string, error) {
	in, err := Parse[noteArgs](args)
	if err != nil {
		return "error: " + err.Error(), nil
	}
	note := store.Note{Key: strings.TrimSpace(in.Key), Value: in.Value, Session: call.Session}
	if strings.HasPrefix(note.Key, store.NotificationsPrefix) {
		return fmt.Sprintf("error: keys that begin with %s hold results that were delivered without you, not notes: choose another key", store.NotificationsPrefix), nil
	}
	if in.TTL != "" {
		ttl, err := parseTTL(in.TTL)
		if err != nil {
			return "error: " + err.Error(), nil
		}
		note.Expires = time.Now().Add(ttl)
	}
	if err := m.store.Remember(ctx, call.NotedFor(), call.Agent, note); err != nil {
		// The model can correct a note that is too long, or too many notes.
		return "error: " + err.Error(), nil
	}
	return "Noted.", nil
}

func (m memoryTools) recall(ctx context.Context, call store.Call, args json.RawMessage) (string, error) {
	in, err := Parse[noteArgs](args)
	if err != nil {
		return "error: " + err.Error(), nil
	}
	if id, ok := strings.CutPrefix(strings.TrimSpace(in.Key), store.NotificationsPrefix); ok {
		switch late, ok := strings.CutPrefix(id, "a2a/"); {
		case ok:
			return m.lateAnswer(ctx, call, late)
		case id == "index":
			return m.index(ctx, call)
		}
		return m.notification(ctx, call, id)
	}
	note, err := m.store.Recall(ctx, call.NotedFor(), call.Agent, in.Key)
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Sprintf("Nothing is noted under %q.", in.Key), nil
	}
	return note.Value, err
}

func (m memoryTools) list(ctx context.Context, call store.Call, args json.RawMessage) (string, error) {
	in, err := Parse[noteArgs](args)
	if err != nil {
		return "error: " + err.Error(), nil
	}
	notes, err := m.store.Notes(ctx, store.NoteFilter{Person: call.NotedFor(), Agent: call.Agent, Prefix: in.Prefix})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := m.unread(ctx, call, in.Prefix, &b); err != nil {
		return "", err
	}
	if len(notes) == 0 && b.Len() == 0 {
		return "Nothing is noted.", nil
	}
	for _, n := range notes {
		fmt.Fprintf(&b, "%s: %s\n", n.Key, n.Value)
	}
	return b.String(), nil
}

func (m memoryTools) unread(ctx context.Context, call store.Call, prefix string, b *strings.Builder) error {
	if call.Task != nil {
		return nil // a sub-agent keeps only its own notes
	}
	tasks, err := m.store.Unread(ctx, call)
	if err != nil {
		return err
	}
	for _, t := range tasks {
		if key := store.NotificationsPrefix + t.MemoryKey(); strings.HasPrefix(key, prefix) {
			fmt.Fprintf(b, "%s: %s, %s: %s\n", key, t.AgentList(), t.State, t.Title)
		}
	}
	return nil
}

func (m memoryTools) notification(ctx context.Context, call store.Call, id string) (string, error) {
	task, err := m.store.FindTask(ctx, id, call.Sees())
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrAmbiguous) {
		return "error: " + err.Error(), nil
	}
	if err != nil {
		return "", err
	}
	return task.Report(call.Nonce), m.store.MarkRead(ctx, task.ID)
}

func parseTTL(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(strings.TrimSpace(s), "d"); ok {
		s = days + "h"
		d, err := time.ParseDuration(s)
		if err != nil || d <= 0 {
			return 0, fmt.Errorf("ttl %q: want something like 30d", days+"d")
		}
		return 24 * d, nil
	}
	d, err := time.ParseDuration(strings.TrimSpace(s))
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("ttl %q: want something like 90m, 24h or 30d", s)
	}
	return d, nil
}
