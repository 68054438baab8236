package activities_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/activities"
	"errand/internal/llm"
	"errand/internal/texts"
)

// TestHints proves that whoever runs errand reads in their language what it knows of a
// failure, and what a provider says as it said it.
func TestHints(t *testing.T) {
	catalog, err := texts.New(nil)
	require.NoError(t, err)
	for _, code := range llm.HintCodes() {
		require.True(t, catalog.Has("hint."+code), code)
		hint := llm.Hint{Code: code, About: "3m0s", Detail: "so there"}
		failure := &llm.Error{Reason: llm.Silent, Provider: "oslo", Hint: hint}
		require.Equal(t, "The model did not begin to answer in time. (Admin: oslo: "+hint.String()+")",
			activities.FailureText(catalog.For("en"), failure, true), "in English it is said as in logs")
		require.NotContains(t, activities.FailureText(catalog.For("es"), failure, true), llm.Hint{Code: code, About: "3m0s"}.String())
	}
	silent := &llm.Error{Reason: llm.Silent, Provider: "oslo", Hint: llm.Hint{Code: "silent", About: "3m0s"}}
	es := catalog.For("es").Localize("model.silent")
	require.Equal(t, es+" (Admin: oslo: no empezó ninguna respuesta en 3m0s)", activities.FailureText(catalog.For("es"), silent, true))
	require.Equal(t, es, activities.FailureText(catalog.For("es"), silent, false))
	theirs := &llm.Error{Reason: llm.Silent, Provider: "oslo", Message: "come back later"}
	require.Equal(t, es+" (Admin: oslo: come back later)", activities.FailureText(catalog.For("es"), theirs, true))
}

// TestOneFullStop proves that the sentence of a provider, which stands within one of
// errand's, does not bring its full stop along.
func TestOneFullStop(t *testing.T) {
	catalog, err := texts.New(nil)
	require.NoError(t, err)
	for _, failure := range []*llm.Error{
		{Provider: "oslo", Message: "You do not have access to it."},
		{Provider: "oslo", Hint: llm.Hint{Code: "base_url", Detail: "You do not have access to it. "}},
	} {
		require.Contains(t, activities.FailureText(catalog.For("en"), failure, true), "You do not have access to it)")
	}
}
