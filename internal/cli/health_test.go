package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestHealth proves that the exit code says whether the worker is ready.
func TestHealth(t *testing.T) {
	for _, tt := range []struct {
		name, ready string
		code        int
		err         string
	}{
		{"ready", "", 0, ""},
		{"Temporal is away", "temporal does not answer", 1, "errand: temporal does not answer\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			healthy(f, tt.ready, "{}")
			got := f.Errand(t, "health")
			assert.Equal(t, tt.code, got.Code)
			assert.Equal(t, tt.err, got.Err)
		})
	}
	f := newFake(t)
	f.Close()
	got := f.Errand(t, "health")
	assert.Equal(t, 3, got.Code)
	assert.Equal(t, "errand: nothing answers at "+f.URL+"\n", got.Err)
}
