package activities

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"errand"
	"errand/internal/probe"
	"errand/internal/store"
	"errand/internal/tools"
	"errand/internal/tools/files"
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

// A fileSender sends files by a store.
type fileSender struct{ *store.Store }

func (s fileSender) SendFileFor(ctx context.Context, call store.Call, path, text, sha256 string) (store.FileSent, error) {
	return s.SendFile(ctx, call.Key, path, text, sha256)
}

func (k *thinker) approve(tool tools.Tool, arguments string) ToolInput {
	k.t.Helper()
	set, err := tools.NewSet(tool)
	require.NoError(k.t, err)
	k.Tools, k.Approvals = set, tools.Approvals{tool.Name: errand.ApproveAlways}
	k.accept("please")
	in := k.step(1, 1)
	b, err := k.Store.BeginStep(k.t.Context(), store.BeginStep{Key: in.Key, Session: in.Session, Rows: in.Rows, Window: 40})
	require.NoError(k.t, err)
	bound, err := tool.BoundArguments(k.t.Context(), string(k.key), arguments)
	require.NoError(k.t, err)
	id := errand.NewQuestionID()
	_, err = k.Store.CommitStep(k.t.Context(), store.CommitStep{
		Step: b, Calls: []errand.ToolCall{{ID: "c1", Name: tool.Name, Arguments: arguments}}, Planned: []store.PlannedCall{{By: store.ByApproval, Tool: tool.Name}},
		Approvals: map[int]store.NewApproval{1: {
			NewQuestion: store.NewQuestion{ID: id, Text: "May I?", Pace: store.DefaultQuestionPace()}, Rule: errand.ApproveAlways,
			Approval: errand.Approval{Tool: tool.Name, Arguments: bound, Hash: errand.ArgumentsHash(tool.Name, bound)},
		}},
	})
	require.NoError(k.t, err)
	_, _, _, err = k.Store.CloseQuestion(k.t.Context(), store.CloseQuestion{ID: id, State: errand.QuestionAnswered, Answer: errand.ApprovedOnce, By: "ada"})
	require.NoError(k.t, err)
	return ToolInput{Store: k.Store.ID(), Key: k.callKey(), Question: id}
}

// TestApprovedFileChanges proves what the model reads of an approved call whose worker died
// before the result was kept, and whose file has changed since. No such call "was not run".
func TestApprovedFileChanges(t *testing.T) {
	for _, tt := range []struct {
		name   string
		effect tools.Effect // of a tool that changes its file; empty: send_file
		change func(*thinker) error
		want   string
	}{
		{"send_file, changed", "", (*thinker).writePlan, "is on its way to the person"},
		{"send_file, removed", "", (*thinker).removePlan, "is on its way to the person"},
		{"once", tools.Once, (*thinker).writePlan, "error: outcome unknown"},
		{"idempotent", tools.Idempotent, (*thinker).writePlan, "done"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := newThinker(t, errand.MasterAdmin, store.Limits{})
			require.NoError(t, k.writePlan())
			tool := files.Send(fileSender{k.Store}, k.Store)
			tool.Role = errand.Guest
			var given []string
			if tt.effect != "" {
				tool.Effect = tt.effect
				tool.Run = func(_ context.Context, _ store.Call, args json.RawMessage) (string, error) {
					given = append(given, string(args))
					return "done", nil
				}
			}
			in := k.approve(tool, `{"path":"plan.md"}`)
			died := make(chan struct{})
			k.Probe = func(p probe.Point) {
				if p == probe.AfterTool {
					close(died)
					select {} // for good, as far as this worker goes
				}
			}
			go k.RunApproved(t.Context(), in)
			<-died
			k.Probe = nil
			require.NoError(t, tt.change(k))
			require.NoError(t, k.RunApproved(t.Context(), in))
			require.Contains(t, k.result(), tt.want)
			if tt.effect == tools.Idempotent {
				require.Len(t, given, 2)
				require.Equal(t, given[0], given[1], "both are given the content that was approved")
			}
			if tt.effect == "" {
				rows, err := k.Store.Outbox(t.Context(), nil, 10)
				require.NoError(t, err)
				rows = slices.DeleteFunc(rows, func(n errand.Notification) bool { return n.File == nil })
				require.Len(t, rows, 1)
			}
		})
	}
}

func (k *thinker) writePlan() error {
	_, err := k.Store.PutFile(k.t.Context(), string(k.key), k.id, "ada", "plan.md", []byte(errand.NewQuestionID()))
	return err
}

func (k *thinker) removePlan() error {
	_, err := k.Store.RemoveFile(k.t.Context(), string(k.key), "plan.md")
	return err
}
