// Package telegram is what both halves of Telegram share: the client of the Bot API,
// groups that become supergroups, the names of messages, what an error means, and
// how an account is set up.
package telegram

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"time"
)

// Channel is what errand calls Telegram in a route.
const Channel = "telegram"

// A Client calls methods of the Bot API as one bot. It is safe for concurrent use.
// The vendor's client is not used: it raises the offset before an update has been
// handled. A call is made once: whether it is worth another attempt is for the
// caller to say.
type Client struct {
	url, token string
	http       *http.Client
}

// NewClient returns a client for a bot's token. url may be empty, and is
// https://api.telegram.org then; client may be nil, and waits for as long as the
// context allows then.
func NewClient(token, url string, client *http.Client) *Client {
	return &Client{strings.TrimRight(cmp.Or(url, "https://api.telegram.org"), "/"), token, cmp.Or(client, &http.Client{})}
}

// An Error is Telegram saying no.
type Error struct {
	Method, Text string
	Code         int
	RetryAfter   time.Duration // what was asked for; 0: nothing
	MovedTo      int64         // what the chat is called now; 0: what it was
	Foreign      bool          // what answered is not Telegram but something in front of it, with this code
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %d %s", e.Method, e.Code, e.Text) }

// maxAnswer bounds what is read of an answer: 100 updates of the longest text are
// far below it.
const maxAnswer = 32 << 20

// Call calls a method with params, which may be nil, and reads its result into
// result, which may be nil. The token is in no error.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	body := []byte("{}")
	if params != nil {
		var err error
		if body, err = json.Marshal(params); err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
	}
	return c.post(ctx, c.http, method, "application/json", bytes.NewReader(body), result)
}

// A File is one that is uploaded.
type File struct {
	Field, Name, Type string
	Data              []byte
}

// Upload calls a method with params as a form, each JSON unless it is a string, and a
// file. It takes as long as the context allows, for a file may be large.
func (c *Client) Upload(ctx context.Context, method string, params map[string]any, f File, result any) error {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range params {
		text, ok := value.(string)
		if !ok {
			raw, err := json.Marshal(value)
			if err != nil {
				return fmt.Errorf("%s: %w", method, err)
			}
			text = string(raw)
		}
		if err := form.WriteField(name, text); err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
	}
	header := textproto.MIMEHeader{}
	header.Set("Content-Disposition", multipart.FileContentDisposition(f.Field, f.Name))
	header.Set("Content-Type", cmp.Or(f.Type, "application/octet-stream"))
	part, err := form.CreatePart(header)
	if err == nil {
		_, err = part.Write(f.Data)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	patient := *c.http
	patient.Timeout = 0
	return c.post(ctx, &patient, method, form.FormDataContentType(), &body, result)
}

// post makes a call, and reads its result into result, which may be nil.
func (c *Client) post(ctx context.Context, by *http.Client, method, kind string, body io.Reader, result any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/bot"+c.token+"/"+method, body)
	if err != nil {
		return fmt.Errorf("%s: the token or the address is malformed", method)
	}
	req.Header.Set("Content-Type", kind)
	resp, err := by.Do(req)
	if err != nil {
		return fmt.Errorf("%s: %w", method, withoutAddress(err))
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	var answer struct {
		OK          bool            `json:"ok"`
		Result      json.RawMessage `json:"result"`
		Code        int             `json:"error_code"`
		Description string          `json:"description"`
		Parameters  struct {
			RetryAfter int   `json:"retry_after"`
			MovedTo    int64 `json:"migrate_to_chat_id"`
		} `json:"parameters"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return &Error{Method: method, Code: resp.StatusCode, Text: "what was answered is not Telegram's", Foreign: true}
	}
	if !answer.OK {
		return &Error{Method: method, Code: answer.Code, Text: answer.Description,
			RetryAfter: time.Duration(answer.Parameters.RetryAfter) * time.Second, MovedTo: answer.Parameters.MovedTo}
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(answer.Result, result); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

// Download begins to read a file at the path that getFile has answered. What
// Telegram refuses is an [*Error] of the method "download".
func (c *Client) Download(ctx context.Context, path string) (io.ReadCloser, error) {
	where := c.url + "/file/bot" + c.token + "/" + (&url.URL{Path: path}).EscapedPath()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, where, nil)
	if err != nil {
		return nil, &Error{Method: "download", Code: http.StatusNotFound, Text: "where the file is cannot be read"}
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("download: %w", withoutAddress(err))
	}
	if resp.StatusCode == http.StatusOK {
		return resp.Body, nil
	}
	resp.Body.Close()
	return nil, &Error{Method: "download", Code: resp.StatusCode, Text: http.StatusText(resp.StatusCode)}
}

// withoutAddress is an error of net/http without where it wanted to go: the token is
// a part of that.
func withoutAddress(err error) error {
	var asked *url.Error
	if errors.As(err, &asked) {
		return asked.Err
	}
	return err
}
