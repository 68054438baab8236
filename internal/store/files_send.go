package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"

	"errand/internal/core"
)

// ErrNoChat refuses to send a file because the call was not made for a chat.
var ErrNoChat = errors.New("there is no chat here")

// ErrChanged refuses to send a file because its content is not the approved content.
var ErrChanged = errors.New("the file has changed")

// SendFile queues the latest version of a file, with a text, for the chat of a tool call, once
// per key. This version is delivered, even if the file changes before the delivery. It fails
// with ErrClosed after the turn or a task above it has ended, and with ErrChanged if sha256 is
// set and does not match.
func (s *Store) SendFile(ctx context.Context, key core.CallKey, file, text, sha256 string) (core.FileDelivery, error) {
	clean, err := CleanFilePath(file)
	if err != nil {
		return core.FileDelivery{}, err
	}
	call, err := s.Call(ctx, key)
	if err != nil {
		return core.FileDelivery{}, err
	}
	if call.Origin.Route.Chat == "" {
		return core.FileDelivery{}, ErrNoChat
	}
	var sent core.FileDelivery
	err = s.writeOwner(ctx, key.Owner, func(t *tx) error {
		sent = core.FileDelivery{Route: call.Origin.Route}
		done, err := t.fileCall(key, &sent)
		if err != nil || done {
			return err
		}
		place, err := t.callPlace(key)
		if err != nil {
			return err
		}
		w, found, err := workspaceAt(t, place)
		if err == nil && !found {
			err = fmt.Errorf("file %s: %w", clean, ErrNotFound)
		}
		if err != nil {
			return err
		}
		f, err := fileAt(t, w.ID, clean, 0)
		if err != nil {
			return err
		}
		if sha256 != "" && f.SHA256 != sha256 {
			return ErrChanged
		}
		sent.Path = f.Path
		sent.File = core.SentFile{ID: f.ID, Name: path.Base(f.Path), Type: f.Type, Size: f.Size}
		n := core.Notification{Key: "file:" + key.String(), Route: call.Origin.Route, Session: call.Origin.SessionKey, Agent: call.Agent,
			Event: core.EventFile, Text: text, File: &sent.File}
		turn := key.Turn
		if call.Task != nil {
			n.Task, turn = call.Task.ID, 0
		}
		rows, err := t.enqueue(n, core.SessionOwner(call.Session), turn)
		if err != nil {
			return err
		}
		sent.Queued = len(rows) > 0
		err = t.announce(core.Event{Type: core.EventFile, Key: n.Session, Session: call.Session, Agent: n.Agent, Task: n.Task, Text: text, File: &sent.File})
		if err != nil {
			return err
		}
		return t.noteFileCall(key, w.ID, sent)
	})
	return sent, err
}

// FileVersion returns a version by its id, and the place of its workspace. It fails with
// ErrNotFound if the version or its session was deleted.
func (s *Store) FileVersion(ctx context.Context, id int64) (core.File, string, error) {
	var row struct {
		versionRow
		Place string
	}
	found, err := s.read(ctx).Row(&row, `SELECT v.id, v.workspace, v.file, f.path, v.version, v.restores, v.latest, v.size, v.type, v.sha256, v.agent, v.person, v.owner, v.created, w.place
		FROM file_versions v JOIN files f ON f.id = v.file JOIN workspaces w ON w.id = v.workspace WHERE v.id = ? AND w.place <> ''`, id)
	if err == nil && !found {
		err = fmt.Errorf("version of a file: %w", ErrNotFound)
	}
	return row.filed(), row.Place, err
}

func sentFileID(f *core.SentFile) int64 {
	if f == nil {
		return 0
	}
	return f.ID
}

func sentFileText(f *core.SentFile) string {
	if f == nil {
		return ""
	}
	b, err := json.Marshal(f)
	if err != nil {
		return "" // cannot fail: strings and numbers
	}
	return string(b)
}

func sentFileOf(text string) (*core.SentFile, error) {
	if text == "" {
		return nil, nil
	}
	f := &core.SentFile{}
	if err := json.Unmarshal([]byte(text), f); err != nil {
		return nil, fmt.Errorf("file of a delivery %q: %w", text, err)
	}
	return f, nil
}
