package main

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	benchCommand = regexp.MustCompile("bench\"?((?: +[^`\\s]+)+)")
	benchFlag    = regexp.MustCompile(` --([a-z-]+)`)
)

// TestDocumentedFlags proves that bench has each flag which the documents and CI give it.
func TestDocumentedFlags(t *testing.T) {
	for path, atLeast := range map[string]int{"docs/benchmarks.md": 10, "CONTRIBUTING.md": 2, ".ci/long": 6} {
		text, err := os.ReadFile("../../../" + path)
		require.NoError(t, err)
		found := 0
		var o Options
		for _, command := range benchCommand.FindAllStringSubmatch(string(text), -1) {
			for _, name := range benchFlag.FindAllStringSubmatch(command[1], -1) {
				found++
				assert.NotNil(t, o.flags().Lookup(name[1]), "%s: bench has no flag --%s", path, name[1])
			}
		}
		assert.GreaterOrEqual(t, found, atLeast, path)
	}
}
