package console

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFlowBreaksAtSpaces(t *testing.T) {
	var f Wrapper
	var rows []string
	for _, piece := range []string{"Nikki: on", "e two th", "ree\nfour ", "donaudampfschiff"} {
		rows = append(rows, f.Add(piece, 12)...)
	}
	assert.Equal(t, []string{"Nikki: one", "two three", "four", "donaudampfsc"}, rows)
	assert.Equal(t, "hiff", f.Pending)
}
