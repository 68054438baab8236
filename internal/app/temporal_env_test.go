package app

import (
	"testing"

	"errand/internal/config"
)

// TestTemporalKeyFromFile proves that the cluster is shown the key that errand read,
// from a file too, which Temporal's own library does not know of.
func TestTemporalKeyFromFile(t *testing.T) {
	for _, name := range []string{"TEMPORAL_API_KEY", "TEMPORAL_PROFILE", "TEMPORAL_CONFIG_FILE"} {
		t.Setenv(name, "")
	}
	t.Setenv("TEMPORAL_ADDRESS", "temporal.example:7233")
	for _, key := range []config.Secret{"", "k"} {
		opts, err := clientOptions(&config.Config{Settings: config.Settings{Temporal: config.Temporal{APIKey: key}}})
		if err != nil {
			t.Fatal(err)
		}
		if opts.HostPort != "temporal.example:7233" || (opts.Credentials != nil) != (key != "") {
			t.Errorf("with the key %q the client is %+v", key, opts)
		}
	}
}
