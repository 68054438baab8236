package console

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/core"
)

func TestEventsOfManyLinesAndStrangers(t *testing.T) {
	var got []Event
	err := ReadEvents(strings.NewReader("retry: 5\n\nid: 4\nevent: x\ndata: {\"type\":\ndata: \"reply\"}\n\ndata: {\"type\":\"future\"}\n\n"),
		func() {}, func(e Event) bool { got = append(got, e); return true })
	require.NoError(t, err)
	require.Len(t, got, 2)
	assert.Equal(t, "4", got[0].SSE)
	assert.Equal(t, core.EventReply, got[0].Type)
	assert.Empty(t, got[1].SSE)
	assert.Error(t, ReadEvents(strings.NewReader("data: nonsense\n\n"), func() {}, func(Event) bool { return true }))
}
