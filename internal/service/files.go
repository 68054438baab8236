package service

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"path"
	"strings"
	"unicode/utf16"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/store"
	"errand/internal/temporal/dispatch"
)

// maxFileText is the longest text that every platform shows under a file, in UTF-16 units.
const maxFileText = 900

// Files has the operations on files: those that agents keep for conversations, and those that
// people sent.
type Files struct {
	*Env
	dispatch *dispatch.Dispatcher
	maxSent  func(core.Route) int64 // see [Deps.MaxFile]
}

func (f *Files) bind(r *ops.Runner) {
	ops.Bind(r, api.ListWorkspaces, f.workspaces)
	ops.Bind(r, api.ListFiles, f.list)
	ops.Bind(r, api.GetFile, f.get)
	ops.Bind(r, api.PutFile, f.put)
	ops.Bind(r, api.DeleteFile, f.remove)
	ops.Bind(r, api.GetFileVersion, f.version)
	ops.Bind(r, api.GetArtifact, f.artifact)
	ops.Bind(r, api.SendFileByTool, f.sendByTool)
}

// workspaces lists the workspaces of a person's conversations that have files, the last changed
// first.
func (f *Files) workspaces(ctx context.Context, by actor.Actor, in api.ListWorkspacesInput) (out api.List[core.Workspace], err error) {
	after, err := ParseCursor(api.ListWorkspaces.Name, in.After.After)
	if err != nil {
		return out, err
	}
	whose, err := f.whose(by, in.Person.Person)
	if err != nil {
		return out, err
	}
	list, err := paged(f.Store.Workspaces(ctx, whose, Page{After: after, Limit: in.Limit}))
	return page(api.ListWorkspaces.Name, in.Limit, list, store.PositionOfWorkspace), err
}

func (f *Files) list(ctx context.Context, by actor.Actor, in api.ListFilesInput) ([]core.File, error) {
	at, err := f.placeOf(ctx, by, in.Of)
	if err != nil {
		return nil, err
	}
	list, err := f.Store.Files(ctx, at.name, store.FileFilter{Folder: in.Folder, After: in.After, Limit: in.Limit})
	return list, fileError(err, in.Folder)
}

func (f *Files) get(ctx context.Context, by actor.Actor, in api.GetFileInput) (api.File, error) {
	at, err := f.placeOf(ctx, by, in.Of)
	if err != nil {
		return api.File{}, err
	}
	file, err := f.Store.File(ctx, at.name, in.Path, in.Version)
	if err != nil {
		return api.File{}, fileError(err, in.Path)
	}
	return f.open(ctx, file), nil
}

func (f *Files) open(ctx context.Context, file core.File) api.File {
	return api.File{Reader: f.Store.OpenFile(ctx, file), Name: content.Name(path.Base(file.Path), file.Type), Type: file.Type, Size: file.Size, Version: file.Version}
}

// version returns a version that was sent. Actors who may not read it get not_found.
func (f *Files) version(ctx context.Context, by actor.Actor, in api.GetFileVersionInput) (api.File, error) {
	file, where, err := f.Store.FileVersion(ctx, in.ID)
	if err == nil && f.reads(by, core.SessionKey(where)) != nil && file.Person != by.Person {
		err = store.ErrNotFound
	}
	if err != nil {
		return api.File{}, fileError(err, "")
	}
	return f.open(ctx, file), nil
}

// artifact returns a file to the person who sent it, and to actors who may read other people's
// things. Other actors get not_found.
func (f *Files) artifact(ctx context.Context, by actor.Actor, in api.GetArtifactInput) (api.File, error) {
	a, err := f.Store.Artifact(ctx, core.ArtifactID(strings.ToLower(string(in.ID))))
	if err == nil && a.Person != by.Person && f.readsOthers(by) != nil {
		err = store.ErrNotFound
	}
	if err != nil {
		return api.File{}, Known(err)
	}
	data, err := f.Store.ArtifactData(ctx, a.ID)
	return api.File{Reader: bytes.NewReader(data), Name: cmp.Or(a.Name, string(a.ID)), Type: a.Type, Size: int64(len(data))}, Known(err)
}

func (f *Files) put(ctx context.Context, by actor.Actor, in api.PutFileInput) (core.FileChanged, error) {
	at, err := f.placeToChange(ctx, by, in.Of)
	if err != nil {
		return core.FileChanged{}, err
	}
	data, err := in.Body.Bytes()
	if err != nil {
		return core.FileChanged{}, err
	}
	done, err := f.Store.PutFile(ctx, at.name, at.session, by.Person, in.Path, data)
	return done, fileError(err, in.Path)
}

func (f *Files) remove(ctx context.Context, by actor.Actor, in api.FilePath) (core.File, error) {
	at, err := f.placeToChange(ctx, by, in.Of)
	if err != nil {
		return core.File{}, err
	}
	file, err := f.Store.RemoveFile(ctx, at.name, in.Path)
	return file, fileError(err, in.Path)
}

// sendByTool sends a file of the workspace to the chat of a tool call, once per key.
func (f *Files) sendByTool(ctx context.Context, by actor.Actor, in api.SendFileByToolInput) (core.FileDelivery, error) {
	if n := len(utf16.Encode([]rune(in.Text))); n > maxFileText {
		return core.FileDelivery{}, Refuse(KindTooLarge, "too_large", "refusal.file_text", "most", maxFileText, "number", n)
	}
	call, err := f.Store.Call(ctx, in.Key)
	if err == nil && call.Person != by.Person {
		err = store.ErrNotFound
	}
	if err != nil {
		return core.FileDelivery{}, err
	}
	if err := f.maySend(ctx, call, in.Path); err != nil {
		return core.FileDelivery{}, err
	}
	sent, err := f.Store.SendFile(ctx, call.Key, in.Path, in.Text, in.SHA256)
	if err != nil {
		return sent, fileError(err, in.Path)
	}
	if sent.Queued {
		err = f.dispatch.WakeOutbox(ctx, sent.Route)
	}
	return sent, err
}

// maySend returns an error if the chat of a tool call cannot receive the file at path.
func (f *Files) maySend(ctx context.Context, call store.Call, path string) error {
	to := call.Origin.Route
	if to.Chat == "" {
		return Refuse(KindInvalid, "no_chat", "refusal.file_no_chat")
	}
	file, err := f.Store.File(ctx, call.Place(), path, 0)
	if err != nil && !errors.Is(err, store.ErrNotFound) { // an earlier run of the call may have sent it before it was removed
		return fileError(err, path)
	}
	if f.maxSent == nil || to.Channel == core.ChannelWeb {
		return nil
	}
	switch most := f.maxSent(to); {
	case most == 0:
		return Refuse(KindInvalid, "no_files_here", "refusal.file_no_way", "channel", to.Channel)
	case file.Size > most:
		return Refuse(KindTooLarge, "too_large", "refusal.file_too_large", "file", file.Path, "channel", to.Channel, "size", content.Size(file.Size), "most", content.Size(most))
	}
	return nil
}

func fileError(err error, path string) error {
	var bad *store.FilePathError
	switch {
	case errors.As(err, &bad):
		return Refuse(KindInvalid, "bad_path", "refusal.file_path", "problem", bad.Problem)
	case errors.Is(err, store.ErrNotFound):
		return Refuse(KindNotFound, "not_found", "refusal.file_missing", "file", core.Cut(content.Line(path), 100))
	case errors.Is(err, store.ErrNoSpace), errors.Is(err, store.ErrTooLarge):
		return Refuse(KindTooLarge, "too_large", "refusal.file_room", "problem", err.Error())
	}
	return Known(err)
}

type place struct {
	name    string
	session core.SessionID
	key     core.SessionKey
	person  core.PersonID
}

func (f *Files) placeOf(ctx context.Context, by actor.Actor, of string) (place, error) {
	if strings.HasPrefix(of, "t-") {
		whose := by.Person
		if f.readsOthers(by) == nil {
			whose = ""
		}
		t, err := f.Store.FindTask(ctx, strings.TrimSpace(of), store.TaskFilter{Person: whose})
		if err == nil && t.Origin.SessionKey.Shared() {
			// The files belong to all people in that chat, not only to the task's person.
			if err := f.reads(by, t.Origin.SessionKey); err != nil {
				return place{}, err
			}
		}
		return place{store.TaskPlace(t), t.Origin.Session, t.Origin.SessionKey, t.Origin.Person}, Known(err)
	}
	session, err := f.resolveSession(ctx, by, of)
	return place{store.SessionPlace(session), session.ID, session.Key, session.Person}, err
}

func (f *Files) placeToChange(ctx context.Context, by actor.Actor, of string) (place, error) {
	at, err := f.placeOf(ctx, by, of)
	if err == nil && (at.person != by.Person || at.key.Shared()) {
		err = f.changes(by, at.key)
	}
	return at, err
}
