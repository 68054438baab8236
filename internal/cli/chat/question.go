package chat

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"errand"
	"errand/internal/cli/client"
	"errand/internal/printable"
)

// A question is the last one of a chat, or what is offered where a model has not
// answered, until somebody answers it.
type question struct{ options []string }

func (q *question) note(e client.Event) {
	switch e.Type {
	case errand.EventQuestion, errand.EventError:
		q.options = e.Options
	case errand.EventMessage, errand.EventReply:
		q.options = nil
	}
}

// meant returns what text says: the option that has this number, or text itself.
func (q *question) meant(text string) string {
	got := strings.TrimSpace(text)
	for _, o := range q.options {
		if o == got {
			return text
		}
	}
	if n, err := strconv.ParseUint(got, 10, 8); err == nil && n >= 1 && int(n) <= len(q.options) {
		return q.options[n-1]
	}
	return text
}

// isNumber reports whether text can be the number of an option.
func isNumber(text string) bool {
	_, err := strconv.ParseUint(strings.TrimSpace(text), 10, 8)
	return err == nil
}

// offered lists the options of a question, one a row, under their numbers.
func offered(options []string) string {
	var b strings.Builder
	for i, o := range options {
		fmt.Fprintf(&b, "%3d  %s\n", i+1, printable.Line(o))
	}
	return strings.TrimRight(b.String(), "\n")
}

// waiting looks which question waits in the chat: a command that sends a bare
// number has not seen it. Where the chat cannot be read there is none: sending
// says why.
func (c *Conversation) waiting(ctx context.Context) (q question) {
	ctx, cancel := context.WithTimeout(ctx, client.CallTimeout)
	defer cancel()
	// What was said comes at once; what follows is silence.
	settled := time.AfterFunc(client.CallTimeout, cancel)
	defer settled.Stop()
	_ = c.followOnce(ctx, "", func() { settled.Reset(settle) }, func(e client.Event) bool {
		settled.Reset(settle)
		q.note(e)
		return true
	})
	return q
}
