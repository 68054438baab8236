package activities

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand"
	"errand/internal/store"
	"errand/internal/texts"
)

// TestOutcome proves that what the store remarks on the reports of several agents is
// read in a person's language, and that the reports stay as they are.
func TestOutcome(t *testing.T) {
	catalog, err := texts.New(nil)
	require.NoError(t, err)
	three := []errand.AgentName{"sasha", "finn", "priest"}
	const text = "## Sasha\nyes\n\n## Finn\n(failed) no model\n\n## Priest\n(no report)"
	tests := []struct {
		name       string
		agents     []errand.AgentName
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
			task := &errand.Task{Agents: tt.agents}
			require.Equal(t, tt.want, Outcome(catalog.For("es"), task, tt.text))
			require.Equal(t, tt.text, Outcome(catalog.For("en"), task, tt.text))
			require.Equal(t, tt.want, EndText(catalog.For("es"), &errand.Task{Agents: tt.agents, Error: tt.text}))
		})
	}
}

// TestBudgetText is what people read of a budget that is used up: an amount as they
// write it, what it was for, and when there is more.
func TestBudgetText(t *testing.T) {
	catalog, err := texts.New(nil)
	require.NoError(t, err)
	tests := []struct {
		budget store.BudgetError
		en, es string
	}{
		{store.BudgetError{Budget: "person_day", What: "cost", Limit: 50}, "You have used up today's 50 USD; it begins again at 00:00 UTC.", "Has agotado lo de hoy (50 USD); empieza de nuevo a las 00:00 UTC."},
		{store.BudgetError{Budget: "person_day", What: "cost", Limit: 0.5}, "You have used up today's 0.50 USD; it begins again at 00:00 UTC.", "Has agotado lo de hoy (0,50 USD); empieza de nuevo a las 00:00 UTC."},
		{store.BudgetError{Budget: "turn", What: "tokens", Limit: 1500000}, "I have to stop here: one request may use 1,500,000 tokens, and that is used up.", "Tengo que parar aquí: una petición puede gastar 1\u00a0500\u00a0000 tokens, y eso ya está gastado."},
		{store.BudgetError{Budget: "turn", What: "calls", Limit: 1}, "I have to stop here: one request may use one model call, and that is used up.", "Tengo que parar aquí: una petición puede gastar una llamada al modelo, y eso ya está gastado."},
	}
	for _, tt := range tests {
		require.Equal(t, tt.en, stopped(catalog.For("en"), &tt.budget))
		require.Equal(t, tt.es, stopped(catalog.For("es"), &tt.budget))
	}
}
