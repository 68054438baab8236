package activities

import (
	"context"
	"errors"
	"fmt"
	"io"

	"errand"
	"errand/internal/store"
	"errand/notifiers"
)

// errFileGone says that a file was removed before it was sent.
var errFileGone = errors.New("the file has been removed")

// loadFile reads the file that candidates of one notification are sent with. It is in
// memory for as long as it is being sent: an account sends one at a time.
func (a *Activities) loadFile(ctx context.Context, candidates []errand.Notification) error {
	if candidates[0].File == nil {
		return nil
	}
	loaded, err := WithFile(ctx, a.Store, candidates[0])
	switch {
	case errors.Is(err, store.ErrNotFound):
		return &notifiers.SendError{Outcome: notifiers.Refused, Err: errFileGone}
	case err != nil:
		return &notifiers.SendError{Outcome: notifiers.NotSent, Err: fmt.Errorf("read the file: %w", err)}
	}
	for i := range candidates {
		candidates[i].File = loaded.File
	}
	return nil
}

// WithFile is a notification with the content of the file that it sends, if it does.
func WithFile(ctx context.Context, s *store.Store, n errand.Notification) (errand.Notification, error) {
	if n.File == nil {
		return n, nil
	}
	file := *n.File
	var err error
	file.Data, err = readVersion(ctx, s, file.ID)
	n.File = &file
	return n, err
}

func readVersion(ctx context.Context, s *store.Store, id int64) ([]byte, error) {
	f, _, err := s.FileVersion(ctx, id)
	if err != nil {
		return nil, err
	}
	data := make([]byte, f.Size)
	_, err = io.ReadFull(s.OpenFile(ctx, f), data)
	return data, err
}
