package console

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/api"
)

// TestCallsFailInWordsForPeople proves what a command says of an answer that is none, and
// which of them it may ask for again.
func TestCallsFailInWordsForPeople(t *testing.T) {
	tests := []struct {
		name   string
		answer http.HandlerFunc
		want   string
		again  bool
	}{
		{"a refusal", says(404, `{"error":{"code":"not_found","message":"GET /api/me is not there"}}`), "that is not there", false},
		{"no such operation", says(404, `{"error":{"code":"not_found","message":"see /api/openapi.json"}}`), "it has another version than this command", false},
		{"no key", says(401, `{"error":{"code":"unauthorized","message":"no"}}`), "set ERRAND_KEY to its key", false},
		{"a proxy whose worker is away", says(502, "<html>"), "502 Bad Gateway to GET /api/me", true},
		{"another program", says(200, "<html>"), "is not this version of errand", false},
		{"another version", says(200, `[]`), "answer not understood", false},
		{"half an answer", func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, `{"id":`)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, "broke: ", true},
	}
	for _, tt := range tests {
		server := httptest.NewServer(tt.answer)
		w := NewWorker(server.URL, "")
		for _, a := range []*api.Client{w.API(), w.Unbounded()} {
			_, err := api.Call(t.Context(), a, api.GetMe, api.GetMeInput{})
			require.ErrorContains(t, err, tt.want, tt.name)
			assert.Equal(t, tt.again, Retryable(err), tt.name)
		}
		server.Close()
	}
}

func says(status int, what string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, what)
	}
}

// TestCallsEnd proves that what is answered from the store is waited for no longer than it
// may take, the end of its body too, and that a stream is read as it comes.
func TestCallsEnd(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	w := NewWorker(server.URL, "")
	bounded := &api.Client{Base: w.Base, HTTP: caller{w, 50 * time.Millisecond}}
	_, err := api.Call(t.Context(), bounded, api.GetMe, api.GetMeInput{})
	assert.True(t, Retryable(err), err)

	resp, err := api.Open(t.Context(), w.Unbounded(), api.WatchChanges, api.WatchChangesInput{})
	require.NoError(t, err)
	defer resp.Body.Close()
	for e, err := range api.ReadStream(resp.Body) {
		require.NoError(t, err)
		assert.Equal(t, "1", string(e.Data))
		break
	}
}

// TestCallsSayWhoAsks proves that each call has the key of whoever runs the command, and
// says that it is one.
func TestCallsSayWhoAsks(t *testing.T) {
	var got http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Clone()
		w.WriteHeader(http.StatusNoContent)
	}))
	defer server.Close()
	in := api.PutFileInput{FilePath: api.FilePath{FilesOf: api.FilesOf{Of: "s-1"}, Path: "a"}, Body: api.NewUpload([]byte("x"))}
	_, err := api.Call(t.Context(), NewWorker(server.URL, "secret").API(), api.PutFile, in)
	require.NoError(t, err, "no content is an answer")
	assert.Equal(t, "Bearer secret", got.Get("Authorization"))
	assert.Equal(t, "errand-cli", got.Get("User-Agent"))
	assert.Equal(t, "application/octet-stream", got.Get("Content-Type"))
}
