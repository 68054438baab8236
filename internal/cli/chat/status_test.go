package chat

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/cli/console"
	"errand/internal/test/clitest"
)

func TestStatusTellsWhoWorks(t *testing.T) {
	now := time.Now()
	var s status
	note := func(raw string) {
		e, err := console.ParseEvent("", []byte(raw))
		require.NoError(t, err)
		s.note(e, now)
	}
	assert.Empty(t, s.text(now))
	s.sent(now)
	assert.Equal(t, "waiting for an answer (3s)", s.text(now.Add(3*time.Second)))
	note(clitest.Step)
	assert.Equal(t, "Nikki is working: thinking (3s)", s.text(now.Add(3*time.Second)))
	note(`{"type":"step","agent":"sasha","task_id":"t-2","text":"step 3, searching"}`)
	note(`{"type":"task","agent":"finn","task_id":"t-3","state":"submitted"}`)
	note(`{"type":"step","agent":"sasha","task_id":"t-2","text":"step 4, reading"}`)
	note(`{"type":"question","agent":"sasha","task_id":"t-2","text":"which?"}`)
	assert.True(t, s.busy(), "a task asks, the turn goes on")
	assert.Equal(t, "Sasha is working: step 4, reading (12s), and 1 more task", s.text(now.Add(12*time.Second)))
	assert.True(t, s.busy())
	note(clitest.Ask)
	assert.False(t, s.busy(), "a question ends its turn")
	s.sent(now)
	note(clitest.Reply)
	assert.False(t, s.busy())
	note(`{"type":"task","agent":"sasha","task_id":"t-2","state":"completed"}`)
	note(`{"type":"task","agent":"finn","task_id":"t-3","state":"failed"}`)
	assert.Empty(t, s.text(now))
}
