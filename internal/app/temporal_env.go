package app

import (
	"os"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"

	"errand/internal/config"
)

// clientOptions are what the environment says of a cluster, in the words of Temporal's
// own programs; the key may be in a file, which those do not know.
func clientOptions(cfg *config.Config) (client.Options, error) {
	return envconfig.LoadClientOptions(envconfig.LoadClientOptionsRequest{EnvLookup: temporalEnv{apiKey: cfg.Temporal.APIKey}})
}

// A temporalEnv is the environment of the process, with the key that errand was
// configured with.
type temporalEnv struct{ apiKey config.Secret }

func (e temporalEnv) LookupEnv(name string) (string, bool) {
	if name == "TEMPORAL_API_KEY" && e.apiKey != "" {
		return e.apiKey.Reveal(), true
	}
	return os.LookupEnv(name)
}

func (e temporalEnv) Environ() []string { return os.Environ() }
