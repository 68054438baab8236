package whatsapp_test

import (
	"context"
	"testing"

	"go.mau.fi/whatsmeow/store"

	platform "errand/internal/channels/whatsapp"
	"errand/notifiers"
)

type overtaken struct {
	store.SessionStore
	times int
}

func (o *overtaken) PutManySessions(ctx context.Context, sessions map[string][]byte) error {
	if o.times--; o.times >= 0 {
		return platform.ErrOvertaken
	}
	return o.SessionStore.PutManySessions(ctx, sessions)
}

// TestOvertaken proves that an answer to somebody who has just written once more goes out
// at once, and not at the next delivery.
func TestOvertaken(t *testing.T) {
	r := newRig(t)
	sessions := &overtaken{r.Client("main").Store.Sessions, 1}
	r.Client("main").Store.Sessions = sessions
	if _, err := r.Notify(t.Context(), r.note("k", "an answer")); err != nil {
		t.Fatal(err)
	}
	r.reads("an answer")

	sessions.times = 2
	_, err := r.Notify(t.Context(), r.note("k2", "another"))
	if send := sendError(t, err); send.Outcome != notifiers.NotSent {
		t.Errorf("overtaken twice, it is %s", send.Outcome)
	}
}
