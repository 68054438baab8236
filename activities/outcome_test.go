package activities

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/store"
	"errand/internal/texts"
)

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
