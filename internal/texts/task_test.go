package texts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
)

// TestTaskResult proves that what the store remarks on the reports of several agents is
// read in a person's language, and that the reports stay as they are.
func TestTaskResult(t *testing.T) {
	c := catalog(t, nil)
	three := []core.AgentName{"sasha", "finn", "priest"}
	const text = "## Sasha\nyes\n\n## Finn\n(failed) no model\n\n## Priest\n(no report)"
	tests := []struct {
		name       string
		agents     []core.AgentName
		text, want string
	}{
		{"of several", three, text, "## Sasha\nyes\n\n## Finn\n(no lo ha conseguido) no model\n\n## Priest\n(sin informe)"},
		{"the last with a report", three, "## Sasha\n(rejected) no\n\n## Finn\n(no report)\n\n## Priest\n(canceled) late", "## Sasha\n(lo ha rechazado) no\n\n## Finn\n(sin informe)\n\n## Priest\n(se ha cancelado) late"},
		{"a report that says so itself", three, "## Sasha\nit is (failed) there\n\n## Finn\nno\n\n## Priest\nno", "## Sasha\nit is (failed) there\n\n## Finn\nno\n\n## Priest\nno"},
		{"of one", three[:1], "(failed) I wrote", "(failed) I wrote"},
		{"words that are no reports", three, "stopped", "stopped"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			task := &core.Task{Agents: tt.agents, Result: tt.text, Error: tt.text}
			require.Equal(t, tt.want, c.For("es").TaskResult(task))
			require.Equal(t, tt.text, c.For("en").TaskResult(task))
			require.Equal(t, tt.want, c.For("es").TaskError(task))
		})
	}
}
