package bridge

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"errand/api"
	"errand/internal/cli/console"
)

// Path is the path of the worker's MCP endpoint.
const Path = "/mcp"

const (
	maxMCPLine = 4 << 20 // bytes per message
	mostCalls  = 64      // concurrent calls
)

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
}

type params struct {
	Name      string          `json:"name"`
	URI       string          `json:"uri"`
	TaskID    string          `json:"taskId"`
	RequestID json.RawMessage `json:"requestId"`
	Meta      struct {
		Version string `json:"io.modelcontextprotocol/protocolVersion"`
	} `json:"_meta"`
}

// params ignores errors, which the worker reports.
func (m message) params() (p params) {
	_ = json.Unmarshal(m.Params, &p)
	return p
}

type bridge struct {
	worker *console.Worker
	writes sync.Mutex // guards out
	out    io.Writer

	mu      sync.Mutex
	version string                        // negotiated when the client was initialized
	calls   map[string]context.CancelFunc // calls in progress, by id
}

// RunMCP passes on messages, one per line, until in has ended and every request is answered, or
// until ctx is done.
func RunMCP(ctx context.Context, worker *console.Worker, in io.Reader, out io.Writer) error {
	b := &bridge{worker: worker, out: out, calls: map[string]context.CancelFunc{}}
	var calls sync.WaitGroup
	defer calls.Wait()
	slots := make(chan struct{}, mostCalls)
	lines, failed := read(ctx, in)
	for {
		select {
		case <-ctx.Done():
			return nil
		case line, more := <-lines:
			if !more {
				return <-failed
			}
			b.take(ctx, line, slots, &calls)
		}
	}
}

// A read cannot be cancelled; its goroutine ends with the process.
func read(ctx context.Context, in io.Reader) (<-chan []byte, <-chan error) {
	out, failed := make(chan []byte), make(chan error, 1)
	go func() {
		defer close(out)
		lines := bufio.NewReaderSize(in, 64<<10)
		for {
			line, err := readLine(lines, maxMCPLine)
			if line = bytes.TrimSpace(line); len(line) > 0 {
				select {
				case out <- line:
				case <-ctx.Done():
				}
			}
			switch {
			case err == io.EOF:
				failed <- nil
				return
			case err != nil:
				failed <- fmt.Errorf("standard input: %w", err)
				return
			}
		}
	}()
	return out, failed
}

func (b *bridge) take(ctx context.Context, line []byte, slots chan struct{}, calls *sync.WaitGroup) {
	var m message
	if len(line) > maxMCPLine {
		b.fail(json.RawMessage("null"), parseError, "the message is longer than 4 MB")
		return
	}
	if err := json.Unmarshal(line, &m); err != nil {
		b.fail(json.RawMessage("null"), parseError, "this is not a JSON-RPC message: "+err.Error())
		return
	}
	switch m.Method {
	case "notifications/cancelled":
		b.end(m.params().RequestID) // closing the request cancels the call at the worker
		return
	case "initialize": // later messages need the negotiated version
		first, cancel := context.WithTimeout(ctx, console.CallTimeout)
		defer cancel()
		b.carry(first, line, m)
		return
	case "": // a response, but the worker sends no requests
		return
	}
	call, done := b.begin(ctx, m.ID)
	calls.Go(func() {
		defer done()
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
			b.carry(call, line, m)
		case <-call.Done():
		}
	})
}

func (b *bridge) begin(ctx context.Context, id json.RawMessage) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	if len(id) == 0 {
		return ctx, cancel
	}
	key := string(id)
	b.mu.Lock()
	b.calls[key] = cancel
	b.mu.Unlock()
	return ctx, func() {
		b.mu.Lock()
		delete(b.calls, key)
		b.mu.Unlock()
		cancel()
	}
}

func (b *bridge) end(id json.RawMessage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if cancel := b.calls[string(id)]; cancel != nil {
		cancel()
	}
}

// Codes of JSON-RPC errors.
const (
	parseError  = -32700
	serverError = -32000
)

func (b *bridge) carry(ctx context.Context, line []byte, m message) {
	answered, err := b.post(ctx, line, m)
	switch {
	case errors.Is(ctx.Err(), context.Canceled) || answered || len(m.ID) == 0:
	case err != nil:
		b.fail(m.ID, serverError, err.Error())
	default:
		b.fail(m.ID, serverError, "errand's answer ended too early; ask again")
	}
}

func (b *bridge) post(ctx context.Context, line []byte, m message) (answered bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.worker.Base+Path, bytes.NewReader(line))
	if err != nil {
		return false, err
	}
	b.mark(req.Header, m)
	resp, err := b.worker.RoundTrip(req)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusUnauthorized {
		return false, b.worker.Refused(resp)
	}
	pass := func(data []byte) { answered = b.pass(data, m) || answered }
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		for e, err := range api.ReadStream(resp.Body) {
			if err != nil {
				return answered, err
			}
			pass(e.Data)
		}
		return answered, nil
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxMCPLine))
	if err != nil || len(bytes.TrimSpace(raw)) == 0 {
		return answered, err
	}
	var is struct {
		Version string `json:"jsonrpc"`
	}
	if json.Unmarshal(raw, &is) != nil || is.Version == "" {
		if resp.StatusCode/100 == 4 && strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
			return false, errors.New(strings.ToValidUTF8(strings.TrimSpace(string(raw[:min(len(raw), 300)])), "")) // from the protocol's library
		}
		resp.Body = io.NopCloser(bytes.NewReader(raw))
		return false, b.worker.Refused(resp)
	}
	pass(raw)
	return answered, nil
}

// mark sets the protocol's headers, with the message's own version or the negotiated one.
func (b *bridge) mark(h http.Header, m message) {
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json, text/event-stream")
	said := m.params()
	if v := said.Meta.Version; v != "" {
		h.Set("Mcp-Protocol-Version", v)
		h.Set("Mcp-Method", m.Method)
		if name := cmp.Or(said.Name, said.URI, said.TaskID); name != "" && isHeader(name) {
			h.Set("Mcp-Name", name)
		}
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.version != "" && m.Method != "initialize" {
		h.Set("Mcp-Protocol-Version", b.version)
	}
}

// isHeader is strict, because the worker compares the name byte by byte.
func isHeader(s string) bool {
	return s == strings.TrimSpace(s) && !strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r == 0x7f })
}

func (b *bridge) pass(data []byte, m message) bool {
	var compact bytes.Buffer
	if err := json.Compact(&compact, data); err != nil {
		return false
	}
	var got message
	_ = json.Unmarshal(data, &got) // the client rejects an invalid message
	var agreed struct {
		Version string `json:"protocolVersion"`
	}
	if m.Method == "initialize" && json.Unmarshal(got.Result, &agreed) == nil && agreed.Version != "" {
		b.mu.Lock()
		b.version = agreed.Version
		b.mu.Unlock()
	}
	b.write(compact.Bytes())
	return got.Method == "" // the response to the request
}

func (b *bridge) write(line []byte) {
	b.writes.Lock()
	defer b.writes.Unlock()
	_, _ = b.out.Write(append(line, '\n')) // if the client is gone, the input ends too
}

func (b *bridge) fail(id json.RawMessage, code int, text string) {
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": text}})
	if err == nil {
		b.write(line)
	}
}
