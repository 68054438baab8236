package service

import (
	"context"
	"errors"
	"io"
	"strings"
	"unicode/utf16"

	"errand"
	"errand/internal/content"
	"errand/internal/rights"
	"errand/internal/store"
)

// maxFileText is how long the text is that goes with a file: what every platform shows
// under one, in UTF-16 units.
const maxFileText = 900

// SendFileFor sends a file of the workspace to the chat that a tool call is made for,
// once for the key of the call.
func (s *Service) SendFileFor(ctx context.Context, call store.Call, path, text, sha256 string) (store.FileSent, error) {
	if err := s.may(callerOf(call, "send_file"), rights.FilesRead); err != nil {
		return store.FileSent{}, err
	}
	if n := len(utf16.Encode([]rune(text))); n > maxFileText {
		return store.FileSent{}, Refuse(KindTooLarge, "too_large", "refusal.file_text", "most", maxFileText, "number", n)
	}
	to := call.Origin.Route
	if to.Chat == "" {
		return store.FileSent{}, Refuse(KindInvalid, "no_chat", "refusal.file_no_chat")
	}
	f, err := s.Store.File(ctx, call.Place(), path, 0)
	if err != nil && !errors.Is(err, store.ErrNotFound) { // the call may have sent it before it was removed
		return store.FileSent{}, fileError(err, path)
	}
	if s.MaxFile != nil && to.Channel != errand.ChannelWeb {
		switch most := s.MaxFile(to); {
		case most == 0:
			return store.FileSent{}, Refuse(KindInvalid, "no_files_here", "refusal.file_no_way", "channel", to.Channel)
		case f.Size > most:
			return store.FileSent{}, Refuse(KindTooLarge, "too_large", "refusal.file_too_large", "file", f.Path, "channel", to.Channel, "size", content.Size(f.Size), "most", content.Size(most))
		}
	}
	sent, err := s.Store.SendFile(ctx, call.Key, path, text, sha256)
	if err != nil {
		return sent, fileError(err, path)
	}
	if sent.Queued {
		err = s.Dispatch.WakeOutbox(ctx, sent.Route)
	}
	return sent, err
}

func fileError(err error, path string) error {
	var bad *store.FilePathError
	switch {
	case errors.As(err, &bad):
		return Refuse(KindInvalid, "bad_path", "refusal.file_path", "problem", bad.Problem)
	case errors.Is(err, store.ErrNotFound):
		return Refuse(KindNotFound, "not_found", "refusal.file_missing", "file", errand.Cut(content.Line(path), 100))
	case errors.Is(err, store.ErrNoSpace), errors.Is(err, store.ErrTooLarge):
		return Refuse(KindTooLarge, "too_large", "refusal.file_room", "problem", err.Error())
	}
	return Known(err)
}

// Files of workspaces, as the store has them.
type (
	Workspace   = store.Workspace
	File        = store.File
	FileChanged = store.FileChanged
	FileFilter  = store.FileFilter
)

// A place is where files are that somebody may read.
type place struct {
	name    string // of the store's
	session errand.SessionID
	key     errand.SessionKey
	person  errand.PersonID
}

func (s *Service) placeOf(ctx context.Context, by Actor, of string) (place, error) {
	if strings.HasPrefix(of, "t-") {
		whose := by.Person
		if s.readsOthers(by) == nil {
			whose = ""
		}
		t, err := s.Store.FindTask(ctx, strings.TrimSpace(of), store.TaskFilter{Person: whose})
		if err == nil && t.Origin.SessionKey.Shared() {
			// The files are everybody's in that chat, not only theirs who asked for the task.
			if err := s.reads(by, t.Origin.SessionKey); err != nil {
				return place{}, err
			}
		}
		return place{store.TaskPlace(t), t.Origin.Session, t.Origin.SessionKey, t.Origin.Person}, Known(err)
	}
	session, err := s.resolveSession(ctx, by, of)
	return place{store.SessionPlace(session), session.ID, session.Key, session.Person}, err
}

// Workspaces returns the workspaces of a person's conversations that have files, those
// that were changed last first.
func (s *Service) Workspaces(ctx context.Context, by Actor, person errand.PersonID, p Page) ([]Workspace, error) {
	if err := s.may(by, rights.FilesRead); err != nil {
		return nil, err
	}
	whose, err := s.whose(by, person)
	if err != nil {
		return nil, err
	}
	return paged(s.Store.Workspaces(ctx, whose, p))
}

// Files returns files of the workspace of a session or task, by path.
func (s *Service) Files(ctx context.Context, by Actor, of string, f FileFilter) ([]File, error) {
	if err := s.may(by, rights.FilesRead); err != nil {
		return nil, err
	}
	at, err := s.placeOf(ctx, by, of)
	if err != nil {
		return nil, err
	}
	list, err := s.Store.Files(ctx, at.name, f)
	if err != nil {
		return nil, fileError(err, f.Folder)
	}
	return list, nil
}

// OpenFile returns a file of the workspace of a session or task, in a version or with 0
// in the latest, with what reads it.
func (s *Service) OpenFile(ctx context.Context, by Actor, of, path string, version int) (File, io.Reader, error) {
	if err := s.may(by, rights.FilesRead); err != nil {
		return File{}, nil, err
	}
	at, err := s.placeOf(ctx, by, of)
	if err != nil {
		return File{}, nil, err
	}
	f, err := s.Store.File(ctx, at.name, path, version)
	if err != nil {
		return File{}, nil, fileError(err, path)
	}
	return f, s.Store.OpenFile(ctx, f), nil
}

// OpenFileVersion returns a version that was sent, by its id, with what reads it. For
// those who may not read it, it is not there.
func (s *Service) OpenFileVersion(ctx context.Context, by Actor, id int64) (File, io.Reader, error) {
	if err := s.may(by, rights.FilesRead); err != nil {
		return File{}, nil, err
	}
	f, where, err := s.Store.FileVersion(ctx, id)
	if err == nil && s.reads(by, errand.SessionKey(where)) != nil && f.Person != by.Person {
		err = store.ErrNotFound
	}
	if err != nil {
		return File{}, nil, fileError(err, "")
	}
	return f, s.Store.OpenFile(ctx, f), nil
}

// PutFile writes a file into the workspace of a session or task, whatever is there: what
// was there stays an earlier version.
func (s *Service) PutFile(ctx context.Context, by Actor, of, path string, data []byte) (FileChanged, error) {
	if err := s.may(by, rights.FilesChange); err != nil {
		return FileChanged{}, err
	}
	at, err := s.placeToChange(ctx, by, of)
	if err != nil {
		return FileChanged{}, err
	}
	done, err := s.Store.PutFile(ctx, at.name, at.session, by.Person, path, data)
	if err != nil {
		return done, fileError(err, path)
	}
	return done, nil
}

// RemoveFile deletes a file with all its versions.
func (s *Service) RemoveFile(ctx context.Context, by Actor, of, path string) (File, error) {
	if err := s.may(by, rights.FilesChange); err != nil {
		return File{}, err
	}
	at, err := s.placeToChange(ctx, by, of)
	if err != nil {
		return File{}, err
	}
	f, err := s.Store.RemoveFile(ctx, at.name, path)
	if err != nil {
		return f, fileError(err, path)
	}
	return f, nil
}

func (s *Service) placeToChange(ctx context.Context, by Actor, of string) (place, error) {
	at, err := s.placeOf(ctx, by, of)
	if err == nil && (at.person != by.Person || at.key.Shared()) {
		err = s.changes(by, at.key)
	}
	return at, err
}
