package tools_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/store"
	"errand/internal/tools"
	"errand/internal/when"
)

// asked notes at what time a reminder was asked for.
type asked struct {
	tools.Reminders
	at when.Time
}

func (a *asked) RemindFor(_ context.Context, _ store.Call, at when.Time, _ string) (store.Reminder, error) {
	a.at = at
	return store.Reminder{ID: "r-22222222"}, nil
}

// TestRemindMe proves that a model says when as a time or a rule with its zone, or in
// the person's words.
func TestRemindMe(t *testing.T) {
	b, a := newBench(t), &asked{}
	list := tools.Remind(a)
	for _, tt := range []struct {
		args map[string]any
		want when.Time
	}{
		{map[string]any{"at": "2026-12-24T18:00", "zone": "Europe/Oslo"}, when.Time{At: "2026-12-24T18:00", Zone: "Europe/Oslo"}},
		{map[string]any{"rrule": "FREQ=HOURLY;INTERVAL=2"}, when.Time{Rule: "FREQ=HOURLY;INTERVAL=2"}},
		{map[string]any{"when": "every monday at 8:00"}, when.Time{Words: "every monday at 8:00"}},
	} {
		tt.args["text"] = "tea"
		require.Contains(t, b.run(list, "remind_me", tt.args), "Reminder r-22222222 is set")
		require.Equal(t, tt.want, a.at)
	}
	require.Equal(t, `error: "at" or "rrule" is missing`, b.run(list, "remind_me", map[string]any{"text": "tea", "zone": "UTC"}))
}
