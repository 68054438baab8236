package llmtest

import (
	"bytes"
	"context"
	"io"
	"log"
	"net"
	"net/http"
)

// Address is that of a provider with the client of [InProcess].
const Address = "http://in-process.invalid/v1"

// InProcess returns an HTTP client whose requests h answers, whatever their address. It uses
// no port, so it works where time is faked.
func InProcess(h http.Handler) *http.Client {
	read := func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // only then the server notices that the client leaves
		r.Body = io.NopCloser(bytes.NewReader(body))
		h.ServeHTTP(w, r)
	}
	dial := func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		s := &http.Server{Handler: http.HandlerFunc(read), ErrorLog: log.New(io.Discard, "", 0)}
		go s.Serve(&oneConnection{Conn: server})
		return client, nil
	}
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: dial, DialTLSContext: dial}}
}

// A oneConnection is a listener that accepts its connection and then ends.
type oneConnection struct{ net.Conn }

func (l *oneConnection) Accept() (net.Conn, error) {
	c := l.Conn
	if l.Conn = nil; c == nil {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (l *oneConnection) Close() error   { return nil }
func (l *oneConnection) Addr() net.Addr { return &net.UnixAddr{Name: "in process"} }
