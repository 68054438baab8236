package accounts

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"rsc.io/qr"
)

// TestDrawing proves that each dot of a code is where it belongs, within a rim.
func TestDrawing(t *testing.T) {
	code, err := qr.Encode("2@"+strings.Repeat("abcdefgh", 25), qr.L)
	require.NoError(t, err)
	black := map[rune][2]bool{' ': {true, true}, '▄': {true, false}, '▀': {false, true}, '█': {}}
	for i, row := range drawing(code) {
		letters := []rune(row)
		require.Len(t, letters, code.Size+4)
		for j, r := range letters {
			for k, dark := range black[r] {
				assert.Equal(t, code.Black(j-2, 2*i+k-2), dark, "%d %d", j, 2*i+k)
			}
		}
	}
}
