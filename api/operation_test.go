package api_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/api"
	"errand/internal/rights"
)

// TestOperationsAreComplete proves that names and routes are unique, that capabilities exist, and
// that each field of an input says where it is read from.
func TestOperationsAreComplete(t *testing.T) {
	table, names := api.Rights(), map[string]bool{}
	for _, op := range api.All() {
		s := op.Spec()
		require.NotEmpty(t, s.About, s.Name)
		require.False(t, names[s.Name], "%s is declared twice", s.Name)
		names[s.Name] = true
		for _, c := range append([]string{s.Needs}, s.Also...) {
			require.True(t, table.Has(rights.Capability, c), "%s: there is no capability %q", s.Name, c)
		}
		require.False(t, slices.Contains(s.Also, s.Needs), "%s names %s twice", s.Name, s.Needs)
		checkFields(t, s, op.In())
	}
}

func checkFields(t *testing.T, s api.Spec, in reflect.Type) {
	t.Helper()
	for f := range in.Fields() {
		switch {
		case f.Anonymous:
			checkFields(t, s, f.Type)
		case f.Name == "Body", f.Tag.Get("wire") == "-", f.Tag.Get("query") != "", f.Tag.Get("header") != "":
		case f.Tag.Get("path") != "":
			require.Contains(t, s.Route, "{"+f.Tag.Get("path")+"}", s.Name)
		default:
			t.Errorf("%s: the field %s of the input has no tag path, query, header or wire", s.Name, f.Name)
		}
	}
}
