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

// errTooLong ends a download that is longer than anybody would read.
var errTooLong = errors.New("the file is longer than is taken")

// errBroken says that a file did not come, nor when it was asked for again.
// whatsmeow forgets the last error of five, and says that what it did not get is
// not authentic.
var errBroken = fmt.Errorf("it did not come: %w", io.ErrUnexpectedEOF)

// overhead is what encryption adds to a file, at most.
const overhead = 1 << 10

// open downloads and decrypts a file, by way of a file of our own: what somebody
// sends is not held in memory, and not longer than is taken.
func (l *line) open(ctx context.Context, f *file) (io.ReadCloser, error) {
	if _, err := url.Parse("https://host" + f.message.GetDirectPath()); err != nil { // it would be tried again and again
		return nil, fmt.Errorf("%w: it is said to be nowhere", intake.ErrGone)
	}
	tmp, err := os.CreateTemp("", "errand-whatsapp-*")
	if err != nil {
		return nil, fmt.Errorf("fetch a file: %w", err)
	}
	os.Remove(tmp.Name()) // it goes when it is closed, or the process dies
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

// fileError says whether a file that could not be fetched ever can be. Only what
// may be otherwise the next time is tried again: what somebody made up, down to
// the key and the address, is the same whenever it comes.
func fileError(err error, full bool, most int64) error {
	switch {
	case full:
		return fmt.Errorf("%w: %w", &intake.TooLargeError{Limit: most}, errTooLong)
	case passes(err):
		return fmt.Errorf("fetch a file: %w", err)
	}
	// Where it is said to be is its sender's word, and so in no error.
	var answer whatsmeow.DownloadHTTPError
	if errors.As(err, &answer) {
		return fmt.Errorf("%w: WhatsApp answers %d", intake.ErrGone, answer.StatusCode)
	}
	return fmt.Errorf("%w: what is there is not what was sent", intake.ErrGone)
}

// noHosts is what whatsmeow says where it could not ask where files are kept,
// which has nothing to do with the file.
const noHosts = "failed to refresh media connections"

// passes reports whether a fault may be over the next time: the network's, our
// disk's, that of WhatsApp's servers.
func passes(err error) bool {
	var answer whatsmeow.DownloadHTTPError
	if errors.As(err, &answer) {
		code := answer.StatusCode
		return code == http.StatusRequestTimeout || code == http.StatusTooEarly || code == http.StatusTooManyRequests || code >= 500
	}
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.As(err, new(net.Error)) || errors.As(err, new(*fs.PathError)) ||
		strings.Contains(err.Error(), noHosts) || strings.Contains(err.Error(), "stream error:") // of HTTP/2, which has no type for it
}

type bounded struct {
	*os.File
	most  int64
	full  bool // more came
	whole bool // all of it came
}

// Truncate is called when all is there, to cut off what authenticates it.
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

// ReadFrom is Write for whoever would go round it.
func (b *bounded) ReadFrom(r io.Reader) (int64, error) { return io.Copy(struct{ io.Writer }{b}, r) }
