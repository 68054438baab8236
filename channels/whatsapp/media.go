package whatsapp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"go.mau.fi/whatsmeow"

	"errand/gateway"
)

// attachment is a file of a message, to be fetched when the sender was let in.
func (l *line) attachment(id string, f *file) gateway.Attachment {
	return gateway.Attachment{ID: id, Name: f.name, Type: f.kind, Size: f.size, Voice: f.voice,
		Open: func(ctx context.Context) (io.ReadCloser, error) { return l.open(ctx, f) }}
}

// errTooLong ends a download that is longer than anybody would read.
var errTooLong = errors.New("the file is longer than is taken")

// overhead is what encryption adds to a file, at most.
const overhead = 1 << 10

// open downloads and decrypts a file, by way of a file of our own: what somebody
// sends is not held in memory, and not longer than is taken.
func (l *line) open(ctx context.Context, f *file) (io.ReadCloser, error) {
	tmp, err := os.CreateTemp("", "errand-whatsapp-*")
	if err != nil {
		return nil, fmt.Errorf("fetch a file: %w", err)
	}
	os.Remove(tmp.Name()) // it goes when it is closed, or the process dies
	to := &bounded{File: tmp, most: l.c.MostAttachment + overhead}
	if err := l.client.DownloadToFile(ctx, f.message, to); err != nil {
		tmp.Close()
		return nil, fileError(err, to.full, l.c.MostAttachment)
	}
	if _, err := tmp.Seek(0, io.SeekStart); err != nil {
		tmp.Close()
		return nil, fmt.Errorf("fetch a file: %w", err)
	}
	return tmp, nil
}

// fileError says whether a file that could not be fetched ever can be.
func fileError(err error, full bool, most int64) error {
	var http whatsmeow.DownloadHTTPError
	switch {
	case full:
		return fmt.Errorf("%w: %w", &gateway.TooLargeError{Limit: most}, errTooLong)
	case errors.As(err, &http) && (http.StatusCode == 403 || http.StatusCode == 404 || http.StatusCode == 410):
		return fmt.Errorf("%w: WhatsApp has it no more (%d)", gateway.ErrGone, http.StatusCode)
	case errors.Is(err, whatsmeow.ErrNoURLPresent), errors.Is(err, whatsmeow.ErrUnknownMediaType), errors.Is(err, whatsmeow.ErrTooShortFile),
		errors.Is(err, whatsmeow.ErrInvalidMediaHMAC), errors.Is(err, whatsmeow.ErrInvalidMediaEncSHA256),
		errors.Is(err, whatsmeow.ErrInvalidMediaSHA256), errors.Is(err, whatsmeow.ErrInvalidUnencryptedMediaSHA256):
		return fmt.Errorf("%w: what is there is not what was sent", gateway.ErrGone)
	}
	return fmt.Errorf("fetch a file: %w", err)
}

// bounded is a file that takes so much and no more.
type bounded struct {
	*os.File
	most int64
	full bool
}

func (b *bounded) Write(p []byte) (int, error) {
	at, err := b.File.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, err
	}
	if at+int64(len(p)) > b.most {
		b.full = true
		return 0, errTooLong
	}
	return b.File.Write(p)
}

// ReadFrom is Write for whoever would go round it.
func (b *bounded) ReadFrom(r io.Reader) (int64, error) { return io.Copy(struct{ io.Writer }{b}, r) }
