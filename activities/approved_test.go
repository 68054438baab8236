package activities

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"errand"
	"errand/internal/store"
	"errand/internal/tools"
)

// TestApprovedArguments proves that the arguments of a call are held once more, when it runs,
// against what was agreed to: a yes to five euros pays neither fifty, whatever has changed the
// call or its approval since, nor by another tool. That the call is named in the approval, and that
// the yes is there, is not enough.
func TestApprovedArguments(t *testing.T) {
	const five, fifty = `{"euros":5}`, `{"euros":50}`
	canonical, err := errand.CanonicalArguments(five)
	require.NoError(t, err)
	for _, test := range []struct {
		name      string
		arguments string // of the call
		tool      string // that was approved
		runs      int
	}{
		{"what was agreed to", five, "try", 1},
		{"the same, written another way", ` {  "euros" : 5 } `, "try", 1},
		{"other arguments", fifty, "try", 0},
		{"another tool", five, "try_it", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			k := newThinker(t, errand.MasterAdmin, store.Limits{})
			var given []string
			set, err := tools.NewSet(tools.Tool{Name: "try", Role: errand.Guest, Effect: tools.Once, Run: func(_ context.Context, _ store.Call, args json.RawMessage) (string, error) {
				given = append(given, string(args))
				return "paid", nil
			}})
			require.NoError(t, err)
			k.Tools, k.Approvals = set, tools.Approvals{"try": errand.ApproveAlways}
			k.accept("pay")
			in := k.step(1, 1)
			b, err := k.Store.BeginStep(t.Context(), store.BeginStep{Key: in.Key, Session: in.Session, Rows: in.Rows, Window: 40})
			require.NoError(t, err)
			id := errand.NewQuestionID()
			_, err = k.Store.CommitStep(t.Context(), store.CommitStep{
				Step: b, Calls: []errand.ToolCall{{ID: "c1", Name: "try", Arguments: test.arguments}}, Planned: []store.PlannedCall{{By: store.ByApproval, Tool: "try"}},
				Approvals: map[int]store.NewApproval{1: {
					NewQuestion: store.NewQuestion{ID: id, Text: "May I?", Pace: store.DefaultQuestionPace()}, Rule: errand.ApproveAlways,
					Approval: errand.Approval{Tool: test.tool, Arguments: canonical, Hash: errand.ArgumentsHash(test.tool, canonical)},
				}},
			})
			require.NoError(t, err)
			_, _, _, err = k.Store.CloseQuestion(t.Context(), store.CloseQuestion{ID: id, State: errand.QuestionAnswered, Answer: errand.ApprovedOnce, By: "ada"})
			require.NoError(t, err)
			require.NoError(t, k.RunApproved(t.Context(), ToolInput{Store: k.Store.ID(), Key: k.callKey(), Question: id}))
			require.Len(t, given, test.runs)
			if test.runs > 0 {
				require.Equal(t, canonical, given[0], "byte for byte what was shown")
				require.Equal(t, "paid", k.result())
			} else {
				require.Contains(t, k.result(), "runs only when somebody has approved it, and was not run")
			}
		})
	}
}
