package llm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"errand/internal/core"
)

// A provider that works in the background
// (https://developers.openai.com/api/docs/guides/background) finishes an answer even after
// the connection breaks. errand stores the answer's id as soon as there is one. It can then
// fetch the answer again: in this process after a broken connection, or in another one after
// this one was killed.

// The limits of attempts in a row that bring nothing new.
const (
	maxListens  = 5
	listenPause = 500 * time.Millisecond
)

var errPendingGone = errors.New("the provider does not have the answer any more")

// isPending reports whether another attempt may fetch the answer.
func (c *providerCall) isPending() bool { return c.kept.ID != "" }

// runPending follows the answer of an earlier attempt if that was for the same request, and
// makes a new one otherwise.
func (c *providerCall) runPending(ctx context.Context) error {
	prompt := promptHash(c.r)
	if left := c.r.Resume; left.ID != "" && left.Provider == c.p.shared {
		if left.Prompt == prompt {
			c.kept = left
			err := c.listen(ctx, c.follow)
			if !errors.Is(err, errPendingGone) {
				return err
			}
		} else if err := c.p.cancelResponse(context.WithoutCancel(ctx), left.ID); err != nil && ctx.Err() != nil {
			return err
		}
		c.kept = core.PendingResponse{}
		c.startOver()
	}
	return c.listen(ctx, func(ctx context.Context, again bool) error {
		if again && c.kept.ID != "" {
			return c.follow(ctx, true)
		}
		s, err := c.p.wire.open(ctx, c.p, c.exchange(), c.r, c.maxOutput)
		if err != nil {
			return err
		}
		return c.read(&noticing{s, c, prompt})
	})
}

func (c *providerCall) startOver() {
	c.a = &assembly{}
	if c.pieces {
		c.pieces = false
		c.send(Delta{Reset: true})
	}
}

func (c *providerCall) forget(ctx context.Context) {
	if c.isPending() {
		// If this fails, a later attempt fetches the answer and finds that it failed.
		_ = c.r.Keep(context.WithoutCancel(ctx), core.PendingResponse{})
		c.kept = core.PendingResponse{}
	}
}

// listen calls read again after each broken connection, until the answer has ended.
func (c *providerCall) listen(ctx context.Context, read func(ctx context.Context, again bool) error) error {
	for failed := 0; ; {
		before := c.a.sequence
		err := read(ctx, failed > 0 || before > 0)
		if err == nil && c.a.cut && c.isPending() {
			// The rest of the answer is cut.
			return c.p.cancelResponse(context.WithoutCancel(ctx), c.kept.ID)
		}
		if err == nil || ctx.Err() != nil {
			return err
		}
		if errors.Is(err, errErrorChunk) || errors.Is(err, errPendingGone) {
			c.forget(ctx) // the answer has ended
			return err
		}
		if c.a.sequence > before {
			failed = 0
		}
		if failed++; c.kept.ID == "" || failed > maxListens || errors.Is(err, errNotKept) || c.x.status >= http.StatusBadRequest && c.x.status < http.StatusInternalServerError {
			return err
		}
		c.w.alive()
		select {
		case <-time.After(listenPause << (failed - 1)):
		case <-ctx.Done():
			return err
		}
	}
}

func (c *providerCall) follow(ctx context.Context, again bool) error {
	address := c.p.BaseURL + "/responses/" + url.PathEscape(c.kept.ID) + "?stream=true&include=reasoning.encrypted_content"
	if c.a.sequence > 0 {
		address += fmt.Sprintf("&starting_after=%d", c.a.sequence-1)
	}
	// go-openai can only retrieve whole responses.
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	if c.p.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+c.p.APIKey)
	}
	resp, err := c.exchange().Do(req)
	if err != nil {
		return err
	}
	if resp.StatusCode < http.StatusBadRequest {
		before := c.a.sequence
		err := c.read(&lines{c.x.body})
		if again && c.a.sequence == before && (errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, errNoStream)) {
			return c.poll(ctx) // the stream has nothing more, for example after a cancellation
		}
		return err
	}
	resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusNotFound:
		return errPendingGone
	case http.StatusBadRequest: // the provider does not repeat events that it has sent
		return c.poll(ctx)
	}
	return fmt.Errorf("HTTP %d", resp.StatusCode)
}

// pollPause is for an answer that the provider does not stream again.
const pollPause = 2 * time.Second

func (c *providerCall) poll(ctx context.Context) error {
	for {
		x := &exchange{client: c.p.client, whole: true}
		c.x = x
		_, err := x.openAI(c.p).RetrieveResponse(ctx, c.kept.ID, openai.RetrieveResponseOptions{
			Include: []openai.ResponseInclude{openai.ResponseIncludeReasoningEncryptedContent}})
		var status struct {
			Status openai.ResponseStatus `json:"status"`
		}
		switch {
		case x.status == http.StatusNotFound:
			return errPendingGone
		case err != nil:
			return err
		case json.Unmarshal(x.answer.Bytes(), &status) != nil:
			return errNoStream
		}
		if status.Status != openai.ResponseStatusQueued && status.Status != openai.ResponseStatusInProgress {
			c.startOver()
			x.body = &eventReader{}
			return c.add(x.answer.Bytes())
		}
		c.w.think(true)
		c.w.alive()
		select {
		case <-time.After(pollPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

type lines struct{ *eventReader }

func (l *lines) RecvRaw() ([]byte, error) {
	for l.err == nil {
		l.pending = nil
		l.next()
		event := trimData(l.pending)
		if string(event) == "[DONE]" {
			return nil, io.EOF
		}
		if len(event) > 0 {
			return event, nil
		}
	}
	return nil, l.err
}

// An answer without a stored id could not be fetched again, so it is given up.
var errNotKept = errors.New("the answer in the background could not be noted")

// noticing stores the id of a new answer as soon as it arrives.
type noticing struct {
	eventStream
	c      *providerCall
	prompt string
}

func (n *noticing) RecvRaw() ([]byte, error) {
	event, err := n.eventStream.RecvRaw()
	if err != nil || n.c.kept.ID != "" {
		return event, err
	}
	var created struct {
		Response struct {
			ID string `json:"id"`
		} `json:"response"`
	}
	if json.Unmarshal(event, &created) != nil || created.Response.ID == "" {
		return event, nil
	}
	kept := core.PendingResponse{ID: created.Response.ID, Provider: n.c.p.shared, Prompt: n.prompt}
	ctx := context.Background() // store or cancel the answer even if the caller ends
	if err := n.c.r.Keep(ctx, kept); err != nil {
		_ = n.c.p.cancelResponse(ctx, kept.ID) // the error above counts
		return nil, fmt.Errorf("%w: %w", errNotKept, err)
	}
	n.c.kept = kept
	return event, nil
}

// promptHash leaves out the note, which holds the time.
func promptHash(r Request) string {
	h := sha256.New()
	for _, m := range r.Messages {
		fmt.Fprintf(h, "%q %q %q %q\n", m.Speaker, m.Text, m.CallID, m.Calls)
	}
	fmt.Fprintf(h, "%v", r.NoTools)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

const cancelTimeout = 10 * time.Second

// CancelResponse cancels an answer that a provider makes in the background. If the answer
// has ended, or its provider is no longer configured, it returns nil.
func (c *Client) CancelResponse(ctx context.Context, r core.PendingResponse) error {
	for _, m := range c.models {
		for _, p := range m.providers {
			if p.shared == r.Provider {
				return p.cancelResponse(ctx, r.ID)
			}
		}
	}
	return nil
}

func (p *provider) cancelResponse(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, cancelTimeout)
	defer cancel()
	x := &exchange{client: p.client, whole: true}
	_, err := x.openAI(p).CancelResponse(ctx, id)
	if err == nil || x.status >= http.StatusBadRequest && x.status < http.StatusInternalServerError && x.status != http.StatusTooManyRequests && x.status != http.StatusUnauthorized {
		return nil // the answer has ended
	}
	return fmt.Errorf("cancel an answer at provider %q: HTTP %d", p.Name, x.status)
}
