package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/remote/stdio"
	"errand/internal/store"
	"errand/internal/tools"
)

// call returns an error only if the outcome is unknown.
func (c *connection) call(ctx context.Context, e entry, call store.Call, args []byte) (string, error) {
	text, failure, err := c.carryOut(ctx, e, call, args)
	if failure != "" {
		c.noteFailure(e.Name, failure)
	}
	return text, err
}

func (c *connection) carryOut(ctx context.Context, e entry, call store.Call, args []byte) (text, failure string, err error) {
	arguments := json.RawMessage(bytes.TrimSpace(args))
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}
	if _, err := tools.Parse[map[string]json.RawMessage](arguments); err != nil {
		return "error: " + err.Error(), "", nil
	}
	session, err := c.connected(ctx)
	var blocked *blockedError
	if errors.As(err, &blocked) {
		return fmt.Sprintf("error: the tool was not run: %v. Only the operator of errand can correct errand.yaml. Tell the user.", err), "", nil
	}
	if err != nil {
		return fmt.Sprintf("error: the tool was not run: the MCP server %s is not available: %v", c.Name, err), "it was not available: " + err.Error(), nil
	}
	c.busy.Add(1)
	params := &mcp.CallToolParams{Name: e.Remote, Arguments: arguments, Meta: mcp.Meta{}}
	token := c.follow(ctx, e)
	defer c.unfollow(token)
	params.SetProgressToken(token)
	if call.Key.Owner != "" {
		params.Meta[idempotencyKey] = stdio.MarkOf(call.Key.String())
	}
	try := &attempt{}
	res, err := session.CallTool(context.WithValue(ctx, attemptKey{}, try), params)
	if err != nil {
		return c.failed(ctx, try, e, err)
	}
	if res.NeedsInput() {
		return fmt.Sprintf("error: the tool did not finish: the MCP server %s asks the user something first, and errand cannot pass such questions on.", c.Name), "it asked the user something", nil
	}
	if res.IsError {
		failure = "it said that the call failed"
	}
	text, err = c.render(ctx, call, res)
	return text, failure, err
}

const idempotencyKey = "io.errand/idempotency-key"

func (c *connection) connected(ctx context.Context) (*mcp.ClientSession, error) {
	ctx, cancel := context.WithTimeout(ctx, c.o.Patience)
	defer cancel()
	for {
		c.mu.Lock()
		session, reason, state, changed := c.session, c.reason, c.state, c.changed
		blocked := c.misfit.Blocked
		c.mu.Unlock()
		if session != nil && blocked != "" {
			return nil, &blockedError{blocked}
		}
		if session != nil {
			return session, nil
		}
		select {
		case <-ctx.Done():
			switch {
			case reason != "":
				return nil, errors.New(reason)
			case state == Elsewhere:
				return nil, errors.New("another worker runs it")
			}
			return nil, errors.New("it is still starting")
		case <-changed:
		}
	}
}

type blockedError struct{ reason string }

func (e *blockedError) Error() string { return e.reason }

// notSent is the SDK's error code for a request that was not sent.
const notSent = -32005

// failed distinguishes a refusal, an unreachable server and an unknown outcome.
func (c *connection) failed(ctx context.Context, try *attempt, e entry, err error) (text, failure string, _ error) {
	signal(c.recheck)
	var refused *jsonrpc.Error
	switch {
	case errors.Is(ctx.Err(), context.Canceled): // the caller no longer waits
		return "", "", fmt.Errorf("the MCP server %s did not answer in time", c.Name)
	case ctx.Err() != nil:
		return "", "it did not answer in time", fmt.Errorf("the MCP server %s did not answer in time", c.Name)
	case try.refused.Load() != 0:
		return fmt.Sprintf("error: the tool was not run: the MCP server %s cannot be used: %v", c.Name, &LoginError{int(try.refused.Load())}), (&LoginError{int(try.refused.Load())}).Error(), nil
	case errors.As(err, &refused) && refused.Code != notSent:
		return fmt.Sprintf("error: the MCP server %s refuses the call (%d): %s", c.Name, refused.Code, core.Cut(c.harmless(refused.Message), 1000)), fmt.Sprintf("it refused the call (%d)", refused.Code), nil
	case try.unsent.Load():
		return fmt.Sprintf("error: the tool was not run: the MCP server %s cannot be reached", c.Name), "it could not be reached", nil
	}
	const broken = "it broke the connection"
	if e.Effect == tools.Once {
		return "", broken, fmt.Errorf("the MCP server %s broke the connection while %s ran", c.Name, e.Name)
	}
	return "", broken, fmt.Errorf("the MCP server %s broke the connection", c.Name)
}

func (c *connection) harmless(text string) string {
	return stdio.Masked(content.Clean(text), secretsOf(c.Server))
}

const progressEvery = time.Second

func (c *connection) follow(ctx context.Context, e entry) string {
	show := tools.Progress(ctx)
	var last atomic.Int64
	notify := func(p *mcp.ProgressNotificationParams) {
		now := time.Now().UnixNano()
		if before := last.Load(); ctx.Err() != nil || now-before < int64(progressEvery) || !last.CompareAndSwap(before, now) {
			return
		}
		show(progressText(e.Name, p))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	token := "errand-" + strconv.FormatInt(c.calls, 10)
	c.progress[token] = notify
	return token
}

func (c *connection) unfollow(token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.progress, token)
}

func progressText(name string, p *mcp.ProgressNotificationParams) string {
	var far string
	switch {
	case p.Total > 0 && p.Progress >= 0 && p.Progress <= p.Total:
		far = fmt.Sprintf(" %.0f %%", 100*p.Progress/p.Total)
	case p.Progress > 0:
		far = " " + strconv.FormatFloat(p.Progress, 'g', 6, 64)
	}
	text := name + far
	if message := content.OneLine(p.Message); message != "" {
		text += ": " + message
	}
	return strings.TrimSpace(core.Cut(text, 120))
}
