package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// An api calls methods of the Bot API. The vendor's library is not asked: it
// raises the offset before an update has been handled.
type api struct {
	url, token string
	client     *http.Client
}

// An apiError is Telegram saying no.
type apiError struct {
	method, text string
	code         int
	retryAfter   time.Duration
}

func (e *apiError) Error() string { return fmt.Sprintf("%s: %d %s", e.method, e.code, e.text) }

// mostAnswer bounds what is read of an answer: 100 updates of the longest text
// are far below it.
const mostAnswer = 32 << 20

// call calls a method with params, which may be nil, and reads its result. The
// token is in no error.
func (a api) call(ctx context.Context, method string, params, result any) error {
	body := []byte("{}")
	if params != nil {
		var err error
		if body, err = json.Marshal(params); err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url+"/bot"+a.token+"/"+method, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s: the token or the address is malformed", method)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := a.client.Do(req)
	if err != nil {
		var asked *url.Error
		if errors.As(err, &asked) {
			err = asked.Err
		}
		return fmt.Errorf("%s: %w", method, err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, mostAnswer))
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	var answer struct {
		OK          bool            `json:"ok"`
		Result      json.RawMessage `json:"result"`
		Code        int             `json:"error_code"`
		Description string          `json:"description"`
		Parameters  struct {
			RetryAfter int `json:"retry_after"`
		} `json:"parameters"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return &apiError{method: method, code: resp.StatusCode, text: "what was answered is not Telegram's"}
	}
	if !answer.OK {
		return &apiError{method: method, code: answer.Code, text: answer.Description, retryAfter: time.Duration(answer.Parameters.RetryAfter) * time.Second}
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(answer.Result, result); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}
