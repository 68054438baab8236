package chat

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"errand/internal/cli/console"
	"errand/internal/test/clitest"
)

func TestChatEndsWhenThereIsNeverAReply(t *testing.T) {
	f := clitest.NewFakeWorker(t, nil)
	f.Streams(clitest.Messages, nil)
	c := NewConversation(console.NewWorker(f.URL, ""), "main")
	c.wait = func(context.Context, int) error { return nil }
	err := c.Send(t.Context(), NewMessage("hi"), func() {}, func(console.Event) bool { return true })
	assert.ErrorIs(t, err, errNoReply)
	assert.Len(t, f.Asked("POST", "/api/sessions/main/messages"), maxSilent)
}
