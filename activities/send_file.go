package activities

import (
	"context"
	"errors"
	"fmt"
	"io"

	"errand/internal/core"
	"errand/internal/store"
	"errand/notifiers"
)

var errFileGone = errors.New("the file has been removed")

// loadFile reads the file into memory. An account sends one file at a time.
func (d *delivery) loadFile(ctx context.Context) error {
	list := d.sendable()
	if list[0].File == nil {
		return nil
	}
	loaded, err := WithFile(ctx, d.store, list[0])
	switch {
	case errors.Is(err, store.ErrNotFound):
		return &notifiers.SendError{Outcome: notifiers.Refused, Err: errFileGone}
	case err != nil:
		return &notifiers.SendError{Outcome: notifiers.NotSent, Err: fmt.Errorf("read the file: %w", err)}
	}
	for i := range list {
		list[i].File = loaded.File
	}
	return nil
}

// WithFile returns n with the content of its file, if it has one.
func WithFile(ctx context.Context, s *store.Store, n core.Notification) (core.Notification, error) {
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
