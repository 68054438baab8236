package llm

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync"
)

// InProcess returns an HTTP client whose requests h answers in this process,
// without a port. Answers stream: what h writes is read as it is written, and h
// waits for its reader. When the reader closes the body or the request's
// context ends, the context that h sees ends.
func InProcess(h http.Handler) *http.Client {
	return &http.Client{Transport: inProcess{h}}
}

type inProcess struct{ handler http.Handler }

func (t inProcess) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	r, w := io.Pipe()
	rw := &pipeResponse{header: http.Header{}, pipe: w, begun: make(chan struct{})}
	served := req.Clone(ctx)
	served.RequestURI = req.URL.RequestURI()
	if served.Body == nil {
		served.Body = http.NoBody
	}
	// A pipe knows nothing of contexts: without this, a reader would wait for a
	// handler that is stuck.
	stop := context.AfterFunc(req.Context(), func() { w.CloseWithError(context.Cause(req.Context())) })
	if trace := httptrace.ContextClientTrace(req.Context()); trace != nil && trace.WroteRequest != nil {
		trace.WroteRequest(httptrace.WroteRequestInfo{})
	}
	go func() {
		defer stop()
		defer served.Body.Close()
		defer func() {
			// As net/http does it: a handler that panics ends its answer in the middle.
			if v := recover(); v != nil {
				rw.WriteHeader(http.StatusInternalServerError)
				w.CloseWithError(fmt.Errorf("in-process handler: %w", io.ErrUnexpectedEOF))
				return
			}
			rw.WriteHeader(http.StatusOK)
			w.Close()
		}()
		t.handler.ServeHTTP(rw, served)
	}()
	select {
	case <-rw.begun:
	case <-req.Context().Done():
		cancel()
		return nil, context.Cause(req.Context())
	}
	return &http.Response{
		Status:     fmt.Sprintf("%d %s", rw.status, http.StatusText(rw.status)),
		StatusCode: rw.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: rw.sent, Body: pipeBody{r, cancel}, ContentLength: -1, Request: req,
	}, nil
}

type pipeBody struct {
	*io.PipeReader
	cancel context.CancelFunc
}

func (b pipeBody) Close() error {
	b.cancel()
	return b.PipeReader.Close()
}

// pipeResponse is the handler's end. It has no buffer, so Flush has nothing to do.
type pipeResponse struct {
	header http.Header
	pipe   *io.PipeWriter
	begun  chan struct{}
	once   sync.Once
	status int         // set before begun is closed
	sent   http.Header // set before begun is closed
}

func (w *pipeResponse) Header() http.Header { return w.header }

func (w *pipeResponse) WriteHeader(status int) {
	w.once.Do(func() {
		w.status, w.sent = status, w.header.Clone()
		close(w.begun)
	})
}

func (w *pipeResponse) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.pipe.Write(p)
}

func (w *pipeResponse) Flush() { w.WriteHeader(http.StatusOK) }
