package chat

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLinesBelowAreClearedBeforeEnter(t *testing.T) {
	var did []string
	k := &keys{in: strings.NewReader("one\r\ntwo\n\x03three"),
		beforeEnter: func() { did = append(did, "room") },
		interrupt:   func() bool { did = append(did, "interrupt"); return false }}
	for buf := make([]byte, 100); ; {
		n, err := k.Read(buf)
		if err != nil {
			break
		}
		did = append(did, string(buf[:n]))
	}
	assert.Equal(t, []string{"one", "room", "\r\n", "two", "room", "\n", "interrupt", "\x05\x15", "three"}, did)
}
