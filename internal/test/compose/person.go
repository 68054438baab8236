package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"time"

	"errand/internal/core"
)

// A person speaks errand's API at one address, by a token or a login.
type person struct {
	base   string
	token  string
	client *http.Client
}

// owner speaks to Caddy, with the owner's key.
func (s *stack) owner() (*person, error) {
	key, err := os.ReadFile(filepath.Join(s.dir, "secrets", "owner.key"))
	if err != nil {
		return nil, err
	}
	return &person{base: "http://" + s.address("caddy", 0) + ":8080", token: strings.TrimSpace(string(key)), client: &http.Client{}}, nil
}

// browser is somebody without a token, who keeps cookies.
func (s *stack) browser() (*person, error) {
	jar, err := cookiejar.New(nil)
	return &person{base: "http://" + s.address("caddy", 0) + ":8080", client: &http.Client{Jar: jar}}, err
}

// A refusedError is an answer that is no success.
type refusedError struct {
	status int
	body   string
}

func (r *refusedError) Error() string { return fmt.Sprintf("%d %s", r.status, r.body) }

// call asks for something, and reads the answer into out, unless that is nil.
func (p *person) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, p.base+path, body)
	if err != nil {
		return err
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if p.token != "" {
		req.Header.Set("Authorization", "Bearer "+p.token)
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode >= 300 {
		return &refusedError{resp.StatusCode, core.Cut(string(raw), 300)}
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(raw, out)
}

// A turn is what comes of a message that was waited for.
type turn struct {
	Accepted bool
	Tasks    []core.TaskID
	Reply    *struct {
		Agent core.AgentName
		Text  string
	}
	Error *struct{ Message string }
}

// write sends a message, and waits for its reply. A request that broke is made again:
// the same message is accepted once.
func (p *person) write(ctx context.Context, chat, id, text string) (turn, error) {
	for {
		var got turn
		err := p.call(ctx, "POST", "/api/sessions/"+chat+"/messages", map[string]string{"text": text, "message_id": id}, &got)
		switch {
		case err == nil && got.Reply != nil:
			return got, nil
		case err == nil && got.Error != nil:
			return got, fmt.Errorf("no reply: %s", got.Error.Message)
		}
		if no := (*refusedError)(nil); errors.As(err, &no) && no.status < 500 && no.status != http.StatusTooManyRequests {
			return got, err
		}
		select {
		case <-ctx.Done():
			return got, fmt.Errorf("no reply to %q: %w (%v)", text, ctx.Err(), err)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func (p *person) events(ctx context.Context, chat string) (list []core.Event, err error) {
	err = p.call(ctx, "GET", "/api/sessions/"+chat+"/events?before=1000000000&limit=1000", nil, &list)
	return list, err
}
