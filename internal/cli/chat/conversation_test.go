package chat

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"errand/internal/cli/client"
	"errand/internal/cli/clitest"
)

func TestChatEndsWhenThereIsNeverAReply(t *testing.T) {
	f := clitest.NewFakeWorker(t, nil)
	f.Streams(clitest.Messages, nil)
	c := NewConversation(client.NewWorker(f.URL, ""), "main")
	c.wait = func(context.Context, int) error { return nil }
	err := c.Send(t.Context(), NewMessage("hi"), func() {}, func(client.Event) bool { return true })
	assert.ErrorIs(t, err, errNoReply)
	assert.Len(t, f.Asked("POST", "/api/sessions/main/messages"), maxSilent)
}
