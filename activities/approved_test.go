package activities

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/probe"
	"errand/internal/store"
	"errand/internal/temporal/wire"
	"errand/internal/test/servicetest"
	"errand/internal/tools"
	"errand/internal/tools/files"
)

// TestApprovedArguments proves that the arguments of a call are held once more, when it runs,
// against what was agreed to: a yes to five euros pays neither fifty, whatever has changed the
// call or its approval since, nor by another tool. That the call is named in the approval, and that
// the yes is there, is not enough.
func TestApprovedArguments(t *testing.T) {
	const five, fifty = `{"euros":5}`, `{"euros":50}`
	canonical, err := core.CanonicalArguments(five)
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
			k := newThinker(t, core.MasterAdmin, store.Limits{})
			var given []string
			set, err := tools.NewSet(tools.Tool{Name: "try", Role: core.Guest, Effect: tools.Once, Run: func(_ context.Context, _ store.Call, args json.RawMessage) (string, error) {
				given = append(given, string(args))
				return "paid", nil
			}})
			require.NoError(t, err)
			k.change(func(d *Deps) { d.Tools, d.Approvals = set, tools.Approvals{"try": core.ApproveAlways} })
			k.accept("pay")
			in := k.step(1, 1)
			b, err := k.Store.BeginStep(t.Context(), store.BeginStep{Key: in.Key, Session: in.Session, Rows: in.Rows, Window: 40})
			require.NoError(t, err)
			id := core.NewQuestionID()
			_, err = k.Store.CommitStep(t.Context(), store.CommitStep{
				Step: b, Calls: []core.ToolCall{{ID: "c1", Name: "try", Arguments: test.arguments}}, Planned: []store.PlannedCall{{By: store.ByApproval, Tool: "try"}},
				Approvals: map[int]store.NewApproval{1: {
					NewQuestion: store.NewQuestion{ID: id, Text: "May I?", Pace: store.DefaultQuestionPace()}, Rule: core.ApproveAlways,
					Approval: core.Approval{Tool: test.tool, Arguments: canonical, Hash: core.ArgumentsHash(test.tool, canonical)},
				}},
			})
			require.NoError(t, err)
			_, _, _, err = k.Store.CloseQuestion(t.Context(), store.CloseQuestion{ID: id, State: core.QuestionAnswered, Answer: core.ApprovedOnce, By: "ada"})
			require.NoError(t, err)
			require.NoError(t, k.RunApproved(t.Context(), wire.ToolInput{Store: k.Store.ID(), Key: k.callKey(), Question: id}))
			require.Len(t, given, test.runs)
			if test.runs > 0 {
				require.Equal(t, canonical, given[0], "byte for byte what was shown")
				require.Equal(t, "paid", k.result())
			} else {
				require.Contains(t, k.result(), "needs an approval and was not run")
			}
		})
	}
}

func (k *thinker) approve(tool tools.Tool, arguments string) wire.ToolInput {
	k.t.Helper()
	set, err := tools.NewSet(tool)
	require.NoError(k.t, err)
	k.change(func(d *Deps) { d.Tools, d.Approvals = set, tools.Approvals{tool.Name: core.ApproveAlways} })
	k.accept("please")
	in := k.step(1, 1)
	b, err := k.Store.BeginStep(k.t.Context(), store.BeginStep{Key: in.Key, Session: in.Session, Rows: in.Rows, Window: 40})
	require.NoError(k.t, err)
	bound, err := tool.BoundArguments(k.t.Context(), string(k.key), arguments)
	require.NoError(k.t, err)
	id := core.NewQuestionID()
	_, err = k.Store.CommitStep(k.t.Context(), store.CommitStep{
		Step: b, Calls: []core.ToolCall{{ID: "c1", Name: tool.Name, Arguments: arguments}}, Planned: []store.PlannedCall{{By: store.ByApproval, Tool: tool.Name}},
		Approvals: map[int]store.NewApproval{1: {
			NewQuestion: store.NewQuestion{ID: id, Text: "May I?", Pace: store.DefaultQuestionPace()}, Rule: core.ApproveAlways,
			Approval: core.Approval{Tool: tool.Name, Arguments: bound, Hash: core.ArgumentsHash(tool.Name, bound)},
		}},
	})
	require.NoError(k.t, err)
	_, _, _, err = k.Store.CloseQuestion(k.t.Context(), store.CloseQuestion{ID: id, State: core.QuestionAnswered, Answer: core.ApprovedOnce, By: "ada"})
	require.NoError(k.t, err)
	return wire.ToolInput{Store: k.Store.ID(), Key: k.callKey(), Question: id}
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
		{"send_file, changed", "", (*thinker).writePlan, "is being sent to the user in this chat"},
		{"send_file, removed", "", (*thinker).removePlan, "is being sent to the user in this chat"},
		{"once", tools.Once, (*thinker).writePlan, "error: outcome unknown"},
		{"idempotent", tools.Idempotent, (*thinker).writePlan, "done"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := newThinker(t, core.MasterAdmin, store.Limits{})
			require.NoError(t, k.writePlan())
			tool := files.Send(servicetest.SendsFiles(k.Store), k.Store)
			tool.Role = core.Guest
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
			k.change(func(d *Deps) {
				d.Probe = func(p probe.Point) {
					if p == probe.AfterTool {
						close(died)
						select {} // for good, as far as this worker goes
					}
				}
			})
			go k.RunApproved(t.Context(), in)
			<-died
			k.change(func(d *Deps) { d.Probe = nil })
			require.NoError(t, tt.change(k))
			require.NoError(t, k.RunApproved(t.Context(), in))
			require.Contains(t, k.result(), tt.want)
			if tt.effect == tools.Idempotent {
				require.Len(t, given, 2)
				require.Equal(t, given[0], given[1], "both are given the content that was approved")
			}
			if tt.effect == "" {
				rows, err := k.Store.Deliveries(t.Context(), nil, store.Page{Limit: 10})
				require.NoError(t, err)
				rows = slices.DeleteFunc(rows, func(n core.Notification) bool { return n.File == nil })
				require.Len(t, rows, 1)
			}
		})
	}
}

func (k *thinker) writePlan() error {
	_, err := k.Store.PutFile(k.t.Context(), string(k.key), k.id, "ada", "plan.md", []byte(core.NewQuestionID()))
	return err
}

func (k *thinker) removePlan() error {
	_, err := k.Store.RemoveFile(k.t.Context(), string(k.key), "plan.md")
	return err
}
