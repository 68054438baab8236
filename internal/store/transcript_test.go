package store

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
)

// FuzzWellFormed puts answers, results and messages in any order: what comes
// out answers every call once, right after the answer that made it.
func FuzzWellFormed(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5})
	f.Add([]byte{5, 4, 1, 1, 1, 3, 0, 2, 2, 5})
	f.Fuzz(func(t *testing.T, order []byte) {
		ids := []string{"a", "b", "c"}
		var in []core.Message
		for _, o := range order {
			switch id := ids[int(o)/3%3]; o % 3 {
			case 0:
				in = append(in, core.Message{Speaker: core.FromPerson})
			case 1:
				in = append(in, core.Message{Speaker: core.FromTool, CallID: id})
			default:
				in = append(in, core.Message{Speaker: core.FromAgent, Calls: []core.ToolCall{{ID: "a"}, {ID: id}}[:1+min(1, int(o)/3%3)]})
			}
		}
		open := map[string]bool{}
		for _, m := range wellFormed(in) {
			if m.Speaker == core.FromTool {
				require.True(t, open[m.CallID])
				delete(open, m.CallID)
				continue
			}
			require.Empty(t, open)
			for _, c := range m.Calls {
				open[c.ID] = true
			}
		}
		require.Empty(t, open)
	})
}
