package console

import (
	"bytes"
	"encoding/json"
	"testing"
	"testing/iotest"
	"unicode"

	"github.com/stretchr/testify/require"
)

// FuzzEvents proves that no stream breaks what reads it, that it is read alike however it
// arrives, and that what is printed of it steers no terminal.
func FuzzEvents(f *testing.F) {
	f.Add([]byte("retry: 5\n\nid: 4\nevent: x\ndata: {\"type\":\ndata: \"reply\"}\n\ndata: {\"type\":\"future\"}\n\n"))
	f.Add([]byte(":\r\n\r\nid\ndata:{\"id\":7,\"text\":\"\\u001b[2J\",\"agent\":\"\\u0007\"}\r\n\r\n"))
	f.Add([]byte("data\n\ndata: \n\ndata: null\n\n\xff: x\n\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		read := func(slowly bool) (list []Event, err error) {
			take := func(e Event) bool { list = append(list, e); return true }
			if slowly {
				return list, ReadEvents(iotest.OneByteReader(bytes.NewReader(raw)), func() {}, take)
			}
			err = ReadEvents(bytes.NewReader(raw), func() {}, take)
			return list, err
		}
		list, err := read(false)
		_, fault := read(true)
		require.Equal(t, err == nil, fault == nil)
		for _, e := range list {
			require.True(t, json.Valid(e.Raw))
			for _, shown := range []string{e.Who(), e.Body()} {
				for _, r := range shown {
					require.False(t, unicode.IsControl(r) && r != '\n' && r != '\t', "%q is printed", shown)
				}
			}
		}
	})
}
