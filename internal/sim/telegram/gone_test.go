package telegram_test

import (
	"bytes"
	"context"
	"io"
	"mime/multipart"
	"net/http/httptest"
	"testing"
	"time"

	"errand/internal/sim/telegram"
)

// A parting is the body of a request whose sender goes once it is read. Its end
// comes later than its last byte, as that of a request in chunks may.
type parting struct {
	io.Reader
	gone context.CancelFunc
}

func (p parting) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if err == io.EOF {
		p.gone()
	}
	return n, err
}

// TestGivenUp proves that a call that takes long is over when whoever asked for it
// is gone, and that nothing is done: else a server that is closed waits for it.
func TestGivenUp(t *testing.T) {
	r := newRig(t)
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	if err := w.WriteField("chat_id", "1"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for kind, body := range map[string]string{w.FormDataContentType(): form.String(), "application/json": `{"chat_id": 1}`, "application/x-www-form-urlencoded": "chat_id=1"} {
		r.Order("sendMessage", telegram.Fault{Kind: telegram.Slow, For: 10 * time.Second})
		ctx, cancel := context.WithCancel(t.Context())
		req := httptest.NewRequestWithContext(ctx, "POST", "/bot"+r.bot.Token+"/sendMessage", parting{bytes.NewReader([]byte(body)), cancel})
		req.Header.Set("Content-Type", kind)
		answer := httptest.NewRecorder()
		r.ServeHTTP(answer, req)
		if answer.Body.Len() > 0 || ctx.Err() == nil {
			t.Errorf("as %s it goes on, and answers %s", kind, answer.Body)
		}
	}
}
