package tools_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/test/servicetest"
	"errand/internal/tools"
	"errand/internal/when"
)

// TestRemindMe proves that a model says when as a time or a rule with its zone, or in
// the person's words.
func TestRemindMe(t *testing.T) {
	b, r := newBench(t), servicetest.NewRunner()
	var asked when.Time
	ops.Bind(r, api.CreateReminderByTool, func(_ context.Context, _ actor.Actor, in api.CreateReminderByToolInput) (api.ToolReminder, error) {
		asked = when.Time{At: in.At, Rule: in.Rule, Zone: in.Zone, Words: in.When}
		return api.ToolReminder{Reminder: core.Reminder{ID: "r-22222222"}}, nil
	})
	list := tools.Remind(r)
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
		require.Equal(t, tt.want, asked)
	}
	require.Equal(t, `error: "at" or "rrule" is missing`, b.run(list, "remind_me", map[string]any{"text": "tea", "zone": "UTC"}))
}
