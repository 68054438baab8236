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
	maxLine      = 8 << 20   // one event of a stream, or a whole answer that is not streamed
	maxStream    = 256 << 20 // a whole stream, with the wire's overhead per token
)

var (
	errNoFirstToken = errors.New("no first token in time")
	errSilent       = errors.New("silent in mid-stream")
	errNoStream     = errors.New("the body is not an event stream")
	errTooLong      = errors.New("the stream is too long")
)

// An exchange stands between go-openai and the network for one call. go-openai
// keeps neither the headers nor the body of an error, waits for ever, and takes
// an end without [DONE] for a good one; an exchange keeps, watches and tells.
type exchange struct {
	client  *http.Client
	payload []byte      // what is sent instead of go-openai's body; nil: that body
	alive   func()      // called at each sign of life
	whole   bool        // the answer is no stream
	sent    atomic.Bool // the request is on its way

	status  int // of the response; 0: none came
	header  http.Header
	errBody []byte       // of a status from 400 on
	answer  bytes.Buffer // that is whole, as far as it was read
	body    *eventReader
}

func (x *exchange) openAI(p *provider) *openai.Client {
	cfg := openai.DefaultConfig(p.APIKey)
	cfg.BaseURL = p.BaseURL
	cfg.HTTPClient = x
	cfg.EmptyMessagesLimit = maxStream // the watch and the limits of the reader stand guard
	return openai.NewClientWithConfig(cfg)
}

// Do implements openai.HTTPDoer.
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	// Called on another goroutine, and possibly after Do has returned.
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
		x.errBody, _ = io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // what there is of it
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

// charged reports whether the provider may have worked on the request: it has
// it, and has not answered that it will not.
func (x *exchange) charged() bool { return x.sent.Load() && x.status < http.StatusBadRequest }

// An eventReader passes the data lines of an event stream through, so that
// go-openai sees nothing else: it would count comments that keep a connection
// alive as errors. A body that is something else ends in errNoStream, and is
// kept in plain.
type eventReader struct {
	src     io.ReadCloser
	r       *bufio.Reader
	alive   func()
	pending []byte
	err     error
	total   int

	data  bool   // a data line has come
	done  bool   // [DONE] has come
	plain []byte // what came instead of a stream, or an event that is an error
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
		return // what is left is half a line
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
		// go-openai waits for a further line before it reports one.
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
		// Garbage between events: whatever it was, it is not the answer.
		b.err = errNoStream
	default:
		rest, _ := io.ReadAll(io.LimitReader(b.r, maxLine))
		b.plain, b.err = append(bytes.Clone(line), rest...), errNoStream
	}
}

// line reads a line of at most maxLine bytes.
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
