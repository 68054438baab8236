package llm_test

import (
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/llm"
)

func get(t *testing.T, h http.HandlerFunc) *http.Response {
	t.Helper()
	resp, err := llm.InProcess(h).Get("http://in-process.invalid/")
	require.NoError(t, err)
	return resp
}

// What is written is read before the handler is done, and a reader that leaves
// ends the handler's context.
func TestInProcessStreams(t *testing.T) {
	left := make(chan error, 1)
	resp := get(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "begun")
		<-r.Context().Done()
		_, err := io.WriteString(w, "more")
		left <- err
	})
	piece := make([]byte, 5)
	_, err := io.ReadFull(resp.Body, piece)
	require.NoError(t, err)
	require.Equal(t, "begun", string(piece))
	require.NoError(t, resp.Body.Close())
	require.Error(t, <-left)
}

func TestInProcessSurvivesAPanic(t *testing.T) {
	resp := get(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "half")
		panic("boom")
	})
	_, err := io.ReadAll(resp.Body)
	require.True(t, errors.Is(err, io.ErrUnexpectedEOF), "%v", err)
	require.Equal(t, http.StatusInternalServerError, get(t, func(http.ResponseWriter, *http.Request) { panic("boom") }).StatusCode)
}
