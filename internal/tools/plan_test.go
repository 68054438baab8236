package tools_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/tools"
)

type plans [][]core.PlanItem

func (p *plans) SavePlan(_ context.Context, _ store.Call, items []core.PlanItem) error {
	*p = append(*p, items)
	return nil
}

// TestPlan proves that each call replaces the whole list, that people read how far it
// is, and that what is wrong with a list is said, and then nothing is kept.
func TestPlan(t *testing.T) {
	var kept plans
	var shown []string
	ctx := tools.WithProgress(t.Context(), func(text string) { shown = append(shown, text) })
	run := func(args string) string {
		t.Helper()
		text, err := tools.Plan(&kept).Run(ctx, store.Call{}, json.RawMessage(args))
		require.NoError(t, err)
		return text
	}
	require.Equal(t, "The plan is kept: 1 of 3 done.", run(`{"items": [{"text": "search", "state": "done"}, {"text": " [read]\nall ", "state": "doing"}, {"text": "tell"}]}`))
	require.Equal(t, []core.PlanItem{{Text: "search", State: "done"}, {Text: "(read) all", State: "doing"}, {Text: "tell", State: "pending"}}, kept[0])
	require.Equal(t, []string{"1/3: (read) all"}, shown)
	require.Equal(t, "There is no plan any more.", run(`{"items": []}`))
	require.Len(t, kept, 2)

	for args, want := range map[string]string{
		``:                    "error: items is missing",
		`{}`:                  "error: items is missing",
		`{"items": "search"}`: "error: the arguments are not the JSON object",
		`{"items": [{"text": "a", "state": "doing"}, {"text": ""}]}`:           "error: item 2 has no text",
		`{"items": [{"text": "a", "state": "complete"}]}`:                      `error: item 1 has the state "complete": use pending, doing or done`,
		`{"items": [{"text": "` + strings.Repeat("ü", 201) + `"}]}`:            "error: item 1 has 201 characters; at most 200",
		`{"items": [` + strings.Repeat(`{"text":"a"},`, 30) + `{"text":"a"}]}`: "error: the plan has 31 items; at most 30",
	} {
		require.Contains(t, run(args), want)
	}
	require.Len(t, kept, 2)
}
