package llm

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"

	openai "github.com/sashabaranov/go-openai"
)

const (
	maxErrorBody = 64 << 10
	maxLine      = 8 << 20   // one event of a stream, or a whole unstreamed answer
	maxStream    = 256 << 20 // a whole stream, including the wire's overhead per token
)

var (
	errNoFirstToken = errors.New("no first token in time")
	errSilent       = errors.New("silent in mid-stream")
	errNoStream     = errors.New("the body is not an event stream")
	errTooLong      = errors.New("the stream is too long")
)

// An exchange is the HTTP side of one go-openai call. By itself, go-openai drops the headers
// and body of an error, has no timeout, and accepts a stream that ends without [DONE].
type exchange struct {
	client  *http.Client
	payload []byte      // sent instead of go-openai's body; nil: that body is sent
	alive   func()      // called at each sign of life
	whole   bool        // the answer is not a stream
	sent    atomic.Bool // the request has been written

	status  int // of the response; 0: no response
	header  http.Header
	errBody []byte       // for status 400 and above
	answer  bytes.Buffer // the part of a whole answer that was read
	body    *eventReader
}

func (x *exchange) openAI(p *provider) *openai.Client {
	cfg := openai.DefaultConfig(p.APIKey)
	cfg.BaseURL = p.BaseURL
	cfg.HTTPClient = x
	cfg.EmptyMessagesLimit = maxStream // no limit here: the watch and eventReader have limits
	return openai.NewClientWithConfig(cfg)
}

// Do implements openai.HTTPDoer.
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	// The transport may call this on another goroutine, even after Do has returned.
	written := func(i httptrace.WroteRequestInfo) {
		if i.Err == nil {
			x.sent.Store(true)
		}
	}
	if x.payload != nil {
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(x.payload)), int64(len(x.payload))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(x.payload)), nil }
	}
	req = req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{WroteRequest: written}))
	resp, err := x.client.Do(req)
	if err != nil {
		return nil, err
	}
	x.status, x.header = resp.StatusCode, resp.Header
	if resp.StatusCode >= http.StatusBadRequest {
		// An incomplete body is good enough.
		x.errBody, _ = io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
		resp.Body.Close()
		resp.Body = io.NopCloser(bytes.NewReader(x.errBody))
		return resp, nil
	}
	if x.whole {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(io.LimitReader(resp.Body, maxLine), &x.answer), resp.Body}
		return resp, nil
	}
	x.body = &eventReader{src: resp.Body, r: bufio.NewReader(resp.Body), alive: x.alive}
	resp.Body = x.body
	return resp, nil
}

// charged reports whether the provider may have begun to work on the request.
func (x *exchange) charged() bool { return x.sent.Load() && x.status < http.StatusBadRequest }

// An eventReader passes on only data lines, because go-openai counts comments as errors. A
// body that is not a stream ends in errNoStream and is kept in plain.
type eventReader struct {
	src     io.ReadCloser
	r       *bufio.Reader
	alive   func()
	pending []byte
	err     error
	total   int

	data  bool   // a data line has arrived
	done  bool   // [DONE] has arrived
	plain []byte // the body that is not a stream, or an error event
}

func (b *eventReader) Close() error { return b.src.Close() }

func (b *eventReader) Read(p []byte) (int, error) {
	for len(b.pending) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		b.next()
	}
	n := copy(p, b.pending)
	b.pending = b.pending[n:]
	return n, nil
}

func (b *eventReader) next() {
	line, err := b.line()
	b.err = err
	if err != nil && err != io.EOF {
		return // the rest is an incomplete line
	}
	trimmed := bytes.TrimSpace(line)
	if !b.data {
		trimmed = bytes.TrimPrefix(trimmed, []byte("\ufeff"))
	}
	payload, isData := bytes.CutPrefix(trimmed, []byte("data:"))
	payload = bytes.TrimSpace(payload)
	switch {
	case len(trimmed) == 0:
	case isData && bytes.HasPrefix(payload, []byte(`{"error"`)):
		// Without this, go-openai waits for another line before it reports the error.
		b.plain, b.err = payload, errNoStream
	case isData:
		b.data = true
		b.done = b.done || string(payload) == "[DONE]"
		b.alive()
		b.pending = append(append([]byte("data: "), payload...), '\n')
	case trimmed[0] == ':':
		if b.data {
			b.alive()
		}
	case hasField(trimmed, "event", "id", "retry"):
	case b.data:
		// Garbage between events is not part of the answer.
		b.err = errNoStream
	default:
		rest, _ := io.ReadAll(io.LimitReader(b.r, maxLine))
		b.plain, b.err = append(bytes.Clone(line), rest...), errNoStream
	}
}

func (b *eventReader) line() ([]byte, error) {
	var line []byte
	for {
		part, err := b.r.ReadSlice('\n')
		b.total += len(part)
		if b.total > maxStream || len(line)+len(part) > maxLine {
			return nil, errTooLong
		}
		line = append(line, part...)
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

func trimData(line []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(line), []byte("data:")))
}

func hasField(line []byte, names ...string) bool {
	field, _, _ := bytes.Cut(line, []byte(":"))
	for _, n := range names {
		if string(field) == n {
			return true
		}
	}
	return false
}
