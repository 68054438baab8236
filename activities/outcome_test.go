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
		{store.BudgetError{Budget: "person_day", What: "cost", Limit: 50}, "You've reached today's limit of 50 USD. It resets at 00:00 UTC.", "Has llegado al límite de hoy: 50 USD. Se renueva a las 00:00 UTC."},
		{store.BudgetError{Budget: "person_day", What: "cost", Limit: 0.5}, "You've reached today's limit of 0.50 USD. It resets at 00:00 UTC.", "Has llegado al límite de hoy: 0,50 USD. Se renueva a las 00:00 UTC."},
		{store.BudgetError{Budget: "turn", What: "tokens", Limit: 1500000}, "I have to stop here: this request has used up its limit of 1,500,000 tokens.", "Tengo que parar aquí: esta petición ha agotado su límite de 1\u00a0500\u00a0000 tokens."},
		{store.BudgetError{Budget: "turn", What: "calls", Limit: 1}, "I have to stop here: this request has used up its limit of one model call.", "Tengo que parar aquí: esta petición ha agotado su límite de una llamada al modelo."},
	}
	for _, tt := range tests {
		require.Equal(t, tt.en, stopped(catalog.For("en"), &tt.budget))
		require.Equal(t, tt.es, stopped(catalog.For("es"), &tt.budget))
	}
}
