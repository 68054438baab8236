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

// Name is the name of the channel in a route.
const Name = "telegram"

// A Client calls methods of the Bot API as one bot. It is safe for concurrent use. It replaces the
// vendor's client, which raises the offset before an update was handled. It makes each call once;
// the caller decides about retries.
type Client struct {
	url, token string
	http       *http.Client
}

// NewClient returns a client for a bot's token. An empty url means https://api.telegram.org. A nil
// client means one that waits as long as the context allows.
func NewClient(token, url string, client *http.Client) *Client {
	return &Client{strings.TrimRight(cmp.Or(url, "https://api.telegram.org"), "/"), token, cmp.Or(client, &http.Client{})}
}

// An Error is an error response of the Bot API.
type Error struct {
	Method, Text string
	Code         int
	RetryAfter   time.Duration // requested by Telegram; 0: no request
	MovedTo      int64         // new id of the chat; 0: unchanged
	Foreign      bool          // the response came from a proxy in front of Telegram
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %d %s", e.Method, e.Code, e.Text) }

// maxAnswer allows for 100 updates with the longest text.
const maxAnswer = 32 << 20

// Call calls a method. params and result may be nil. Errors never contain the token.
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

// A File is a file to upload.
type File struct {
	Field, Name, Type string
	Data              []byte
}

// Upload calls a method with params and a file as a form. Params are encoded as JSON, except for
// strings. It ignores the timeout of the HTTP client, because a file may be large.
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

// Download opens the file at a path that getFile returned. An error response is an [*Error] with
// the method "download".
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

// withoutAddress removes the URL, which contains the token.
func withoutAddress(err error) error {
	var asked *url.Error
	if errors.As(err, &asked) {
		return asked.Err
	}
	return err
}
