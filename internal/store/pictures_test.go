package store

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
)

// TestLeftOut proves that pictures are left out a block at a time, and that a few more
// than half of the most are always there.
func TestLeftOut(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 0, 20: 0, 21: 10, 30: 10, 31: 20, 1000: 980} {
		require.Equal(t, want, leftOut(n), n)
	}
}

// TestAmong proves that a query for some ids has few variants, and asks for them all.
func TestAmong(t *testing.T) {
	variants := map[string]bool{}
	for n := 1; n <= 60; n++ {
		condition, args := among(make([]core.ArtifactID, n))
		require.GreaterOrEqual(t, len(args), n)
		require.Equal(t, len(args), strings.Count(condition, "?"))
		variants[condition] = true
	}
	require.Len(t, variants, 3)
	_, args := among([]core.ArtifactID{"a-1", "a-2"})
	require.Equal(t, []any{core.ArtifactID("a-1"), core.ArtifactID("a-2"), ""}, args[:3])
}
