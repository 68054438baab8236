package quickjs

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type held struct{ written []string }

func (h *held) Read(path string) ([]byte, error) { return []byte(strings.Repeat("x", len(path))), nil }
func (h *held) List() ([]string, error)          { return nil, nil }
func (h *held) Write(path string, text []byte) error {
	h.written = append(h.written, path)
	return nil
}

// TestServeBounds proves that no text which is too large gets from a program's process
// into errand's memory or out of it, whatever that process says.
func TestServeBounds(t *testing.T) {
	serve := func(calls ...call) (answers []answer, files *held, err error) {
		var in, out bytes.Buffer
		to := json.NewEncoder(&in)
		for _, c := range calls {
			require.NoError(t, to.Encode(c))
		}
		files = new(held)
		err = Serve(&in, &out, Program{Name: "main", Files: 1000}, files, func(bool) {})
		from := json.NewDecoder(&out)
		require.NoError(t, from.Decode(new(Program)))
		for from.More() {
			var a answer
			require.NoError(t, from.Decode(&a))
			answers = append(answers, a)
		}
		return answers, files, err
	}
	text := func(n int) []byte { return bytes.Repeat([]byte{1}, n) } // which JSON would make six of
	tooLarge := answer{Error: "a file of 1001 bytes is more than the 1000 that there may be"}
	answers, files, err := serve(call{Write: true, Path: "a", Text: text(1000)}, call{Write: true, Path: "b", Text: text(1001)},
		call{Read: true, Path: strings.Repeat("p", 1000)}, call{Read: true, Path: strings.Repeat("p", 1001)})
	require.NoError(t, err)
	require.Equal(t, []answer{{}, tooLarge, {Text: []byte(strings.Repeat("x", 1000))}, tooLarge}, answers)
	require.Equal(t, []string{"a"}, files.written)
	answers, files, err = serve(call{Write: true, Path: "c", Text: text(2 << 20)})
	require.ErrorContains(t, err, "says more than it may")
	require.Empty(t, answers)
	require.Empty(t, files.written)
}
