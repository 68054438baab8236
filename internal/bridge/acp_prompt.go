package bridge

import (
	"encoding/base64"
	"fmt"
	"mime"
	"net/url"
	"path"
	"strings"

	"github.com/coder/acp-go-sdk"

	"errand/api"
	"errand/internal/cli/chat"
)

// messageOf attaches pictures and files, and puts links into the text.
func messageOf(blocks []acp.ContentBlock) (chat.Outgoing, error) {
	var text strings.Builder
	m := chat.NewMessage("")
	for _, b := range blocks {
		switch {
		case b.Text != nil:
			text.WriteString(b.Text.Text)
		case b.ResourceLink != nil:
			fmt.Fprintf(&text, "[%s](%s)", b.ResourceLink.Name, b.ResourceLink.Uri)
		case b.Image != nil:
			data, err := base64.StdEncoding.DecodeString(b.Image.Data)
			if err != nil {
				return m, unreadable("the picture")
			}
			m.Files = append(m.Files, api.SentFile{Name: fmt.Sprintf("picture-%d%s", len(m.Files)+1, extension(b.Image.MimeType)), Data: data})
		case b.Resource != nil:
			file, err := fileOf(b.Resource.Resource)
			if err != nil {
				return m, err
			}
			m.Files = append(m.Files, file)
			fmt.Fprintf(&text, "[%s]", file.Name)
		default:
			return m, &acp.RequestError{Code: acp.NewInvalidParams(nil).Code, Message: "errand takes text, pictures, files and links in a prompt, and nothing else"}
		}
	}
	if m.Text = strings.TrimSpace(text.String()); m.Text == "" && len(m.Files) == 0 {
		return m, &acp.RequestError{Code: acp.NewInvalidParams(nil).Code, Message: "the prompt is empty"}
	}
	return m, nil
}

func fileOf(r acp.EmbeddedResourceResource) (api.SentFile, error) {
	if r.TextResourceContents != nil {
		return api.SentFile{Name: nameOf(r.TextResourceContents.Uri), Data: []byte(r.TextResourceContents.Text)}, nil
	}
	if r.BlobResourceContents == nil {
		return api.SentFile{}, unreadable("the file")
	}
	data, err := base64.StdEncoding.DecodeString(r.BlobResourceContents.Blob)
	if err != nil {
		return api.SentFile{}, unreadable(nameOf(r.BlobResourceContents.Uri))
	}
	return api.SentFile{Name: nameOf(r.BlobResourceContents.Uri), Data: data}, nil
}

func unreadable(what string) error {
	return &acp.RequestError{Code: acp.NewInvalidParams(nil).Code, Message: what + " cannot be read: it is not in base64"}
}

func nameOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || path.Base(u.Path) == "/" || path.Base(u.Path) == "." {
		return "file.txt"
	}
	return path.Base(u.Path)
}

func extension(mimeType string) string {
	switch list, err := mime.ExtensionsByType(mimeType); {
	case mimeType == "image/jpeg":
		return ".jpg"
	case err == nil && len(list) > 0:
		return list[0]
	}
	return ".png"
}
