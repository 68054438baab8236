package telegram

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/go-telegram/bot/models"

	"errand/internal/intake"
)

// mostFile is the limit of getFile (https://core.telegram.org/bots/api#getfile). A self-hosted Bot
// API server provides larger files only as paths on its own disk.
const mostFile = 20_000_000

func (c *Channel) attachments(m *models.Message) []intake.Attachment {
	a := intake.Attachment{}
	switch {
	case len(m.Photo) > 0:
		p := largest(m.Photo)
		a = intake.Attachment{ID: p.FileID, Name: "photo.jpg", Type: "image/jpeg", Size: int64(p.FileSize)}
	case m.Animation != nil: // Telegram also sets Document, for older clients
		a = intake.Attachment{ID: m.Animation.FileID, Name: m.Animation.FileName, Type: m.Animation.MimeType, Size: int64(m.Animation.FileSize)}
	case m.Document != nil:
		a = intake.Attachment{ID: m.Document.FileID, Name: m.Document.FileName, Type: m.Document.MimeType, Size: int64(m.Document.FileSize)}
	case m.Video != nil:
		a = intake.Attachment{ID: m.Video.FileID, Name: m.Video.FileName, Type: m.Video.MimeType, Size: int64(m.Video.FileSize)}
	case m.VideoNote != nil:
		a = intake.Attachment{ID: m.VideoNote.FileID, Name: "video.mp4", Type: "video/mp4", Size: int64(m.VideoNote.FileSize)}
	case m.Voice != nil:
		a = intake.Attachment{ID: m.Voice.FileID, Name: "voice.ogg", Type: m.Voice.MimeType, Size: int64(m.Voice.FileSize), Voice: true}
	case m.Audio != nil:
		a = intake.Attachment{ID: m.Audio.FileID, Name: m.Audio.FileName, Type: m.Audio.MimeType, Size: int64(m.Audio.FileSize)}
	default:
		return nil
	}
	a.Most = mostFile
	a.Open = func(ctx context.Context) (io.ReadCloser, error) { return c.open(ctx, a.ID) }
	return []intake.Attachment{a}
}

func largest(sizes []models.PhotoSize) models.PhotoSize {
	best := sizes[0]
	for _, p := range sizes[1:] {
		if p.Width*p.Height >= best.Width*best.Height {
			best = p
		}
	}
	return best
}

func (c *Channel) open(ctx context.Context, id string) (io.ReadCloser, error) {
	var file struct {
		Path string `json:"file_path"`
	}
	if err := c.client.Call(ctx, "getFile", map[string]any{"file_id": id}, &file); err != nil {
		return nil, fileError(err)
	}
	if file.Path == "" || strings.HasPrefix(file.Path, "/") {
		return nil, fmt.Errorf("getFile: the file is not offered for download: %w", intake.ErrGone)
	}
	body, err := c.client.Download(ctx, file.Path)
	if err != nil {
		return nil, fileError(err)
	}
	return body, nil
}

func fileError(err error) error {
	var no *Error
	if !errors.As(err, &no) {
		return err
	}
	switch text := strings.ToLower(no.Text); {
	case strings.Contains(text, "too big"):
		return &intake.TooLargeError{Limit: mostFile}
	case no.Code == http.StatusBadRequest && !strings.Contains(text, "temporarily"), no.Method == "download" && (no.Code == http.StatusNotFound || no.Code == http.StatusGone):
		return fmt.Errorf("%w: %w", intake.ErrGone, err)
	}
	return err
}
