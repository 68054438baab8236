package whatsapp

import (
	"context"
	"errors"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"google.golang.org/protobuf/proto"
)

// SendImage is the person sending a picture.
func (p *Person) SendImage(ctx context.Context, to types.JID, mime string, data []byte, caption string) (string, error) {
	m, err := p.Image(ctx, mime, data, caption)
	if err != nil {
		return "", err
	}
	return p.Send(ctx, to, m)
}

// Image uploads a picture and returns the message that shows it, for those who
// want to say something else of it than what is so.
func (p *Person) Image(ctx context.Context, mime string, data []byte, caption string) (*waE2E.Message, error) {
	f, err := p.phone.Upload(ctx, data, whatsmeow.MediaImage)
	if err != nil {
		return nil, err
	}
	return &waE2E.Message{ImageMessage: &waE2E.ImageMessage{Mimetype: &mime, Caption: optional(caption), URL: &f.URL, DirectPath: &f.DirectPath,
		MediaKey: f.MediaKey, FileEncSHA256: f.FileEncSHA256, FileSHA256: f.FileSHA256, FileLength: &f.FileLength}}, nil
}

// SendOnce is the person sending a picture that may be seen once. Linked devices
// are only told that there was one.
func (p *Person) SendOnce(ctx context.Context, to types.JID, mime string, data []byte) (string, error) {
	f, err := p.phone.Upload(ctx, data, whatsmeow.MediaImage)
	if err != nil {
		return "", err
	}
	id := p.phone.GenerateMessageID()
	p.s.mu.Lock()
	p.s.once[id] = true
	p.s.mu.Unlock()
	picture := &waE2E.ImageMessage{Mimetype: &mime, ViewOnce: proto.Bool(true), URL: &f.URL, DirectPath: &f.DirectPath,
		MediaKey: f.MediaKey, FileEncSHA256: f.FileEncSHA256, FileSHA256: f.FileSHA256, FileLength: &f.FileLength}
	return p.sendAs(ctx, to, id, &waE2E.Message{ViewOnceMessageV2: &waE2E.FutureProofMessage{Message: &waE2E.Message{ImageMessage: picture}}})
}

// SendVideo is the person sending a film.
func (p *Person) SendVideo(ctx context.Context, to types.JID, mime string, data []byte, caption string) (string, error) {
	f, err := p.phone.Upload(ctx, data, whatsmeow.MediaVideo)
	if err != nil {
		return "", err
	}
	return p.Send(ctx, to, &waE2E.Message{VideoMessage: &waE2E.VideoMessage{Mimetype: &mime, Caption: optional(caption), URL: &f.URL, DirectPath: &f.DirectPath,
		MediaKey: f.MediaKey, FileEncSHA256: f.FileEncSHA256, FileSHA256: f.FileSHA256, FileLength: &f.FileLength}})
}

// SendDocument is the person sending a file under a name. With a caption, phones
// wrap the message, and so does this.
func (p *Person) SendDocument(ctx context.Context, to types.JID, name, mime string, data []byte, caption string) (string, error) {
	f, err := p.phone.Upload(ctx, data, whatsmeow.MediaDocument)
	if err != nil {
		return "", err
	}
	m := &waE2E.Message{DocumentMessage: &waE2E.DocumentMessage{FileName: &name, Title: &name, Mimetype: &mime, Caption: optional(caption), URL: &f.URL, DirectPath: &f.DirectPath,
		MediaKey: f.MediaKey, FileEncSHA256: f.FileEncSHA256, FileSHA256: f.FileSHA256, FileLength: &f.FileLength}}
	if caption != "" {
		m = &waE2E.Message{DocumentWithCaptionMessage: &waE2E.FutureProofMessage{Message: m}}
	}
	return p.Send(ctx, to, m)
}

// SendVoice is the person sending what they have said.
func (p *Person) SendVoice(ctx context.Context, to types.JID, data []byte, seconds uint32) (string, error) {
	f, err := p.phone.Upload(ctx, data, whatsmeow.MediaAudio)
	if err != nil {
		return "", err
	}
	return p.Send(ctx, to, &waE2E.Message{AudioMessage: &waE2E.AudioMessage{PTT: proto.Bool(true), Seconds: &seconds, Mimetype: proto.String("audio/ogg; codecs=opus"),
		URL: &f.URL, DirectPath: &f.DirectPath, MediaKey: f.MediaKey, FileEncSHA256: f.FileEncSHA256, FileSHA256: f.FileSHA256, FileLength: &f.FileLength}})
}

// SendSticker is the person sending a sticker.
func (p *Person) SendSticker(ctx context.Context, to types.JID, data []byte) (string, error) {
	f, err := p.phone.Upload(ctx, data, whatsmeow.MediaImage)
	if err != nil {
		return "", err
	}
	return p.Send(ctx, to, &waE2E.Message{StickerMessage: &waE2E.StickerMessage{Mimetype: proto.String("image/webp"), URL: &f.URL, DirectPath: &f.DirectPath,
		MediaKey: f.MediaKey, FileEncSHA256: f.FileEncSHA256, FileSHA256: f.FileSHA256, FileLength: &f.FileLength}})
}

// Open downloads and decrypts the file of a line.
func (p *Person) Open(ctx context.Context, l Line) ([]byte, error) {
	m := l.message
	switch {
	case m.GetImageMessage() != nil:
		return p.phone.Download(ctx, m.ImageMessage)
	case m.GetVideoMessage() != nil:
		return p.phone.Download(ctx, m.VideoMessage)
	case document(m) != nil:
		return p.phone.Download(ctx, document(m))
	case m.GetAudioMessage() != nil:
		return p.phone.Download(ctx, m.AudioMessage)
	case m.GetStickerMessage() != nil:
		return p.phone.Download(ctx, m.StickerMessage)
	}
	return nil, errors.New("the line has no file")
}

// optional leaves an empty text out, as phones do.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
