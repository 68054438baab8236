package app

import (
	"os"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"

	"errand/internal/config"
)

// clientOptions reads Temporal's own variables. The API key may also be in a file.
func clientOptions(cfg *config.Config) (client.Options, error) {
	return envconfig.LoadClientOptions(envconfig.LoadClientOptionsRequest{EnvLookup: temporalEnv{apiKey: cfg.Temporal.APIKey}})
}

// A temporalEnv is the environment with the API key from errand's configuration.
type temporalEnv struct{ apiKey config.Secret }

func (e temporalEnv) LookupEnv(name string) (string, bool) {
	if name == "TEMPORAL_API_KEY" && e.apiKey != "" {
		return e.apiKey.Reveal(), true
	}
	return os.LookupEnv(name)
}

func (e temporalEnv) Environ() []string { return os.Environ() }
