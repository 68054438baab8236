package chat

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"errand/internal/cli/console"
	"errand/internal/core"
)

// A question holds the options of an open question, or those offered after a model has failed.
type question struct{ options []string }

func (q *question) note(e console.Event) {
	switch e.Type {
	case core.EventQuestion, core.EventError:
		q.options = e.Options
	case core.EventMessage, core.EventReply:
		q.options = nil
	}
}

// meant returns the option with the number in text, or text itself.
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

func isNumber(text string) bool {
	_, err := strconv.ParseUint(strings.TrimSpace(text), 10, 8)
	return err == nil
}

func offered(options []string) string {
	var b strings.Builder
	for i, o := range options {
		fmt.Fprintf(&b, "%3d  %s\n", i+1, console.Line(o))
	}
	return strings.TrimRight(b.String(), "\n")
}

// waiting finds the question that a bare number answers. It ignores errors, because
// sending the message shows them.
func (c *Conversation) waiting(ctx context.Context) (q question) {
	ctx, cancel := context.WithTimeout(ctx, console.CallTimeout)
	defer cancel()
	// Earlier events arrive at once, and then the stream is silent.
	settled := time.AfterFunc(console.CallTimeout, cancel)
	defer settled.Stop()
	_ = c.followOnce(ctx, "", func() { settled.Reset(settle) }, func(e console.Event) bool {
		settled.Reset(settle)
		q.note(e)
		return true
	})
	return q
}
