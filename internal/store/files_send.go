package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"

	"errand"
)

// ErrNoChat refuses to send something where there is no chat to send it to.
var ErrNoChat = errors.New("there is no chat here")

// ErrChanged refuses to send a file whose content is not the one that was approved.
var ErrChanged = errors.New("the file has changed")

// A FileSent says what became of a file that an agent sends.
type FileSent struct {
	File  errand.SentFile `json:"file"`
	Path  string          `json:"path"`
	Route errand.Route    `json:"route"`
	// Queued says that a platform has to be called for it.
	Queued bool `json:"queued"`
}

// SendFile sends the latest version of a file to the chat that a tool call is made for,
// with a text, once for the key of the call: it is written into the outbox, and what is
// delivered is this version, however late. It fails with ErrClosed after the turn or a
// task above it has ended, and with ErrChanged if sha256 is neither empty nor that of the version.
func (s *Store) SendFile(ctx context.Context, key errand.CallKey, file, text, sha256 string) (FileSent, error) {
	clean, err := CleanFilePath(file)
	if err != nil {
		return FileSent{}, err
	}
	call, err := s.Call(ctx, key)
	if err != nil {
		return FileSent{}, err
	}
	if call.Origin.Route.Chat == "" {
		return FileSent{}, ErrNoChat
	}
	var sent FileSent
	err = s.writeOwner(ctx, key.Owner, func(t *tx) error {
		sent = FileSent{Route: call.Origin.Route}
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
		sent.File = errand.SentFile{ID: f.ID, Name: path.Base(f.Path), Type: f.Type, Size: f.Size}
		n := errand.Notification{Key: "file:" + key.String(), Route: call.Origin.Route, Session: call.Origin.SessionKey, Agent: call.Agent,
			Event: errand.EventFile, Text: text, File: &sent.File}
		turn := key.Turn
		if call.Task != nil {
			n.Task, turn = call.Task.ID, 0
		}
		rows, err := t.enqueue(n, errand.SessionOwner(call.Session), turn)
		if err != nil {
			return err
		}
		sent.Queued = len(rows) > 0
		err = t.announce(errand.Event{Type: errand.EventFile, Key: n.Session, Session: call.Session, Agent: n.Agent, Task: n.Task, Text: text, File: &sent.File})
		if err != nil {
			return err
		}
		return t.noteFileCall(key, w.ID, sent)
	})
	return sent, err
}

// FileVersion returns a version by its id, and where it is, or ErrNotFound: it was
// removed, or its session was.
func (s *Store) FileVersion(ctx context.Context, id int64) (File, string, error) {
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

func sentFileID(f *errand.SentFile) int64 {
	if f == nil {
		return 0
	}
	return f.ID
}

func sentFileText(f *errand.SentFile) string {
	if f == nil {
		return ""
	}
	b, err := json.Marshal(f)
	if err != nil {
		return "" // strings and numbers: it cannot fail
	}
	return string(b)
}

func sentFileOf(text string) (*errand.SentFile, error) {
	if text == "" {
		return nil, nil
	}
	f := &errand.SentFile{}
	if err := json.Unmarshal([]byte(text), f); err != nil {
		return nil, fmt.Errorf("file of a delivery %q: %w", text, err)
	}
	return f, nil
}
