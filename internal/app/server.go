package app

import (
	"fmt"
	"net/netip"
	"slices"

	"errand/internal/a2aserver"
	"errand/internal/intake"
	"errand/internal/mcpserver"
	"errand/internal/openaiwire"
	"errand/internal/service"
	"errand/internal/web"
)

// A backend is what the pages and the API work with.
type backend struct {
	*service.Service
	*intake.Intake
}

func (a *App) newServer(o Options) (*web.Server, error) {
	opts := web.Options{
		Backend: backend{a.Service, a.Intake}, Person: Owner, Rights: a.Service.Rights, Logger: a.log, Token: o.Config.Token.Reveal(),
		Demo: o.Config.Demo && o.Model == nil, Version: o.Version, Programs: a.code.String(), Crowded: a.crowded, Origins: o.Config.V1.Origins, Hooks: a.hooks,
		Commands: a.menu,
		Metrics:  a.metrics, RateRows: a.rateRows(),
		Card: a.a2a.ServeCard,
		Doors: map[string]web.Door{
			a2aserver.Path:  a.a2a.Serve,
			"/mcp":          mcpserver.New(mcpserver.Options{Backend: backend{a.Service, a.Intake}, Logger: a.log, Version: o.Version}).Serve,
			openaiwire.Path: openaiwire.New(openaiwire.Options{Backend: backend{a.Service, a.Intake}, Logger: a.log, HasTool: a.hasTool, MaxTools: a.maxTools}).Serve,
		},
		Key: a.key, Installation: a.Store.ID(), Public: o.Config.Public, PublicURL: o.Config.PublicURL, Names: names(),
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

// menu is what people can type after a slash, for the page.
func (a *App) menu(language string) []web.Command {
	menu := a.Commands.Menu()
	entries, ok := menu[language]
	if !ok {
		entries = menu[""]
	}
	list := make([]web.Command, len(entries))
	for i, e := range entries {
		list[i] = web.Command{Name: e.Name, Usage: e.Usage, About: e.About, Takes: e.Words != ""}
	}
	return list
}
