package cli

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/version"
)

// TestVersion proves that errand version needs no worker, and that --version prints the same.
func TestVersion(t *testing.T) {
	f := newFake(t)
	t.Setenv("ERRAND_SERVER", "ftp://no-worker")
	got := f.Errand(t, "version")
	require.Zero(t, got.Code, got.Err)
	assert.Regexp(t, `^errand `+version.Number()+`\ncommit   \S+\nschema   \d+\nTemporal 1\.\d+\.\d+\nGo       go1\.\S+\n$`, got.Out)
	assert.Equal(t, got.Out, f.Errand(t, "--version").Out)
	var object map[string]any
	require.NoError(t, json.Unmarshal([]byte(f.Errand(t, "version", "--json").Out), &object))
	assert.Equal(t, version.Number(), object["version"])
	assert.Contains(t, object, "schema")
}
