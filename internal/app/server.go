package app

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"errand/internal/config"
	"errand/internal/intake"
	"errand/internal/metrics"
	"errand/internal/service"
	"errand/internal/web"
)

// A backend is what the pages and the API work with.
type backend struct {
	*service.Service
	*intake.Intake
}

// pollOf is how often event logs are read for what other processes wrote; 0: the
// service's default.
func pollOf(cfg *config.Config) time.Duration {
	if cfg.DatabaseURL == "" {
		return 5 * time.Second // the files belong to this process: whatever is written it hears of
	}
	return 0
}

// newServer makes the HTTP server.
func (a *App) newServer(o Options) (*web.Server, error) {
	opts := web.Options{
		Backend: backend{a.Service, a.Intake}, Person: Owner, Rights: a.Service.Rights, Logger: a.log, Token: o.Config.Token.Reveal(),
		Demo: o.Config.Demo && o.Model == nil, Version: o.Version, Hooks: a.hooks,
		Counters: []*metrics.Counter{a.commandCount, a.handOvers},
		Key:      a.key, Installation: a.Store.ID(), Public: o.Config.Public, PublicURL: o.Config.PublicURL, Names: names(),
		Addresses: func() []string { return a.addresses(o)[1:] },
		Trusted: func(peer netip.Addr) bool {
			return slices.ContainsFunc(o.Config.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(peer) })
		},
	}
	if o.Config.Temporal.Address == "" && o.Config.UIPort != 0 {
		opts.WebUI = fmt.Sprintf("http://127.0.0.1:%d", o.Config.UIPort)
	}
	return web.New(opts)
}
