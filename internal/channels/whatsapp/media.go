package whatsapp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"

	"go.mau.fi/whatsmeow"

	"errand/internal/intake"
)

func (l *line) attachment(id string, f *file) intake.Attachment {
	return intake.Attachment{ID: id, Name: f.name, Type: f.kind, Size: f.size, Voice: f.voiceNote,
		Open: func(ctx context.Context) (io.ReadCloser, error) { return l.open(ctx, f) }}
}

// errTooLong ends a download that exceeds the size limit.
var errTooLong = errors.New("the file is longer than is taken")

// errBroken marks a failed download as temporary. After five attempts whatsmeow hides the network
// error and reports that the file is not authentic.
var errBroken = fmt.Errorf("it did not come: %w", io.ErrUnexpectedEOF)

// overhead is the most that encryption adds to a file.
const overhead = 1 << 10

// open uses a temporary file, so that the file is not in memory and its size is limited.
func (l *line) open(ctx context.Context, f *file) (io.ReadCloser, error) {
	if _, err := url.Parse("https://host" + f.message.GetDirectPath()); err != nil { // whatsmeow would retry forever
		return nil, fmt.Errorf("%w: it is said to be nowhere", intake.ErrGone)
	}
	tmp, err := os.CreateTemp("", "errand-whatsapp-*")
	if err != nil {
		return nil, fmt.Errorf("fetch a file: %w", err)
	}
	os.Remove(tmp.Name()) // its content is freed when it is closed or the process dies
	to := &bounded{File: tmp, most: l.c.MostAttachment + overhead}
	if err := l.client.DownloadToFile(ctx, f.message, to); err != nil {
		tmp.Close()
		if errors.Is(err, whatsmeow.ErrInvalidMediaHMAC) && !to.whole {
			err = errBroken
		}
		return nil, fileError(err, to.full, l.c.MostAttachment)
	}
	if _, err := tmp.Seek(0, io.SeekStart); err != nil {
		tmp.Close()
		return nil, fmt.Errorf("fetch a file: %w", err)
	}
	return tmp, nil
}

// fileError marks an error as permanent unless a retry can help. A wrong key or path stays wrong.
func fileError(err error, full bool, most int64) error {
	switch {
	case full:
		return fmt.Errorf("%w: %w", &intake.TooLargeError{Limit: most}, errTooLong)
	case passes(err):
		return fmt.Errorf("fetch a file: %w", err)
	}
	// The path comes from the sender, so no error contains it.
	var answer whatsmeow.DownloadHTTPError
	if errors.As(err, &answer) {
		return fmt.Errorf("%w: WhatsApp answers %d", intake.ErrGone, answer.StatusCode)
	}
	return fmt.Errorf("%w: what is there is not what was sent", intake.ErrGone)
}

// noHosts is whatsmeow's error if it could not ask for the media servers. It is not about the file.
const noHosts = "failed to refresh media connections"

// passes reports errors of the network, the local disk and WhatsApp's servers.
func passes(err error) bool {
	var answer whatsmeow.DownloadHTTPError
	if errors.As(err, &answer) {
		code := answer.StatusCode
		return code == http.StatusRequestTimeout || code == http.StatusTooEarly || code == http.StatusTooManyRequests || code >= 500
	}
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.As(err, new(net.Error)) || errors.As(err, new(*fs.PathError)) ||
		strings.Contains(err.Error(), noHosts) || strings.Contains(err.Error(), "stream error:") // an HTTP/2 error without a type
}

type bounded struct {
	*os.File
	most  int64
	full  bool // the file exceeds the limit
	whole bool // the download is complete
}

// Truncate is called after the download, to cut off the authentication code.
func (b *bounded) Truncate(size int64) error {
	b.whole = true
	return b.File.Truncate(size)
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

// ReadFrom keeps io.Copy from bypassing Write.
func (b *bounded) ReadFrom(r io.Reader) (int64, error) { return io.Copy(struct{ io.Writer }{b}, r) }
