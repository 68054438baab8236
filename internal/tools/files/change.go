package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"errand/internal/content"
	"errand/internal/store"
)

func (w workspace) write(ctx context.Context, call store.Call, raw json.RawMessage) (string, error) {
	in, err := parse(raw)
	if err != nil {
		return "error: " + err.Error(), nil
	}
	done, err := w.store.ChangeFile(ctx, call.Key, store.FileChange{Path: in.Path, Base: in.Version, Content: []byte(in.Content)})
	if err != nil {
		return w.unchanged(ctx, call, in, err)
	}
	if done.Before == 0 {
		return fmt.Sprintf("%s is written: version %d, %s.", done.Path, done.Version, content.Size(done.Size)), nil
	}
	return fmt.Sprintf("%s is written: version %d, %s, replacing version %d.", done.Path, done.Version, content.Size(done.Size), done.Before), nil
}

func (w workspace) edit(ctx context.Context, call store.Call, raw json.RawMessage) (string, error) {
	in, err := parse(raw)
	switch {
	case err != nil:
		return "error: " + err.Error(), nil
	case in.Old == "":
		return `error: "old" is missing: the text that is to be replaced. To write a whole file use write_file`, nil
	case in.Old == in.New:
		return `error: "old" and "new" are the same: nothing would change`, nil
	}
	done, err := w.store.ChangeFile(ctx, call.Key, store.FileChange{Path: in.Path, Base: in.Version, Edit: &store.FileEdit{Old: in.Old, New: in.New, All: in.All}})
	if err != nil {
		return w.unchanged(ctx, call, in, err)
	}
	times := "once"
	if done.Replaced > 1 {
		times = fmt.Sprintf("%d times", done.Replaced)
	}
	return fmt.Sprintf("%s is changed: version %d, %s; the text was replaced %s.", done.Path, done.Version, content.Size(done.Size), times), nil
}

func (w workspace) undo(ctx context.Context, call store.Call, raw json.RawMessage) (string, error) {
	in, err := parse(raw)
	if err != nil {
		return "error: " + err.Error(), nil
	}
	done, err := w.store.ChangeFile(ctx, call.Key, store.FileChange{Path: in.Path, Undo: true, To: in.Version})
	if err != nil {
		return w.unchanged(ctx, call, in, err)
	}
	return fmt.Sprintf("%s has the content of version %d again, as version %d; what was there stays version %d.", done.Path, done.Restores, done.Version, done.Undone), nil
}

func (w workspace) unchanged(ctx context.Context, call store.Call, in args, err error) (string, error) {
	var conflict *store.FileConflictError
	var edit *store.FileEditError
	switch {
	case errors.As(err, &conflict):
		return w.conflict(ctx, call, conflict)
	case errors.As(err, &edit) && edit.Found == 0:
		return fmt.Sprintf("error: the old text is not in %s as given. Read it again, and copy the text exactly, with its spaces and line ends", edit.Path), nil
	case errors.As(err, &edit):
		return fmt.Sprintf("error: the old text is %d times in %s. Give more of what is around it, or set all to replace each", edit.Found, edit.Path), nil
	case !errors.Is(err, store.ErrNotFound):
		return refused(err)
	}
	f, found := w.store.File(ctx, call.Place(), in.Path, 0)
	if found != nil {
		return missing(in.Path), nil
	}
	return fmt.Sprintf("error: %s has no such earlier version: its latest is %d, and the %d before it are kept", f.Path, f.Version, store.MaxFileVersions-1), nil
}

func (w workspace) conflict(ctx context.Context, call store.Call, c *store.FileConflictError) (string, error) {
	now := fmt.Sprintf("version %d, written by %s at %s", c.Latest.Version, by(c.Latest), stamp(c.Latest.Created))
	if c.Base == 0 {
		return fmt.Sprintf("error: nothing was changed: %s is there already (%s). Read it, and name the version that you have read", c.Path, now), nil
	}
	reason := fmt.Sprintf("error: nothing was changed: %s is no longer in version %d (now %s).", c.Path, c.Base, now)
	const then = "Look at this, and make your change again, from version %d"
	if !content.IsText(c.Latest.Type) {
		return fmt.Sprintf("%s It is %s by now", reason, c.Latest.Type), nil
	}
	base, err := w.store.File(ctx, call.Place(), c.Path, c.Base)
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Sprintf("%s Your version is not kept any more: read the file again", reason), nil
	}
	if err != nil {
		return "", err
	}
	changes, err := w.diff(ctx, base, c.Latest)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s What is different from yours:\n%s\n"+then, reason, changes, c.Latest.Version), nil
}
