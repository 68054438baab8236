package whatsapp

import (
	"context"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"google.golang.org/protobuf/proto"

	"errand/internal/core"
	"errand/notifiers"
)

// MaxFile is the size limit of a file. Phones accept more, but the file is encrypted in memory as a
// whole.
func (w *Notifier) MaxFile() int64 { return 64 << 20 }

// document uploads the file. An upload alone sends nothing, so it may be repeated.
func (w *Notifier) document(ctx context.Context, t target, n core.Notification) (*waE2E.Message, error) {
	up, err := t.client.Upload(ctx, n.File.Data, whatsmeow.MediaDocument)
	if err != nil {
		send := t.explain(err)
		if send.Outcome == notifiers.Unknown { // nothing was sent yet
			send = notifiers.NotSentf(send.RetryAfter, "upload the file: %w", err)
		}
		return nil, send
	}
	d := &waE2E.DocumentMessage{FileName: &n.File.Name, Title: &n.File.Name, Mimetype: &n.File.Type, URL: &up.URL, DirectPath: &up.DirectPath,
		MediaKey: up.MediaKey, FileEncSHA256: up.FileEncSHA256, FileSHA256: up.FileSHA256, FileLength: &up.FileLength}
	m := &waE2E.Message{DocumentMessage: d}
	if body := n.Body(); body != "" {
		n.Text = core.Cut(n.Text, 1000)
		d.Caption = proto.String(render(n)[0])
		m = &waE2E.Message{DocumentWithCaptionMessage: &waE2E.FutureProofMessage{Message: m}}
	}
	return m, nil
}
