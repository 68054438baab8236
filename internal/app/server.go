package app

import (
	"fmt"
	"net/netip"
	"slices"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/doors/a2aserver"
	"errand/internal/doors/mcpserver"
	"errand/internal/doors/openaiwire"
	"errand/internal/doors/web"
	"errand/internal/store"
)

func (a *App) newServer(o Options) (*web.Server, error) {
	opts := web.Options{
		MayUse: a.Service.MayUse, CheckRate: func(by actor.Actor) error { return a.Intake.CheckRate(by, core.WebRoute("").At()) },
		Logins: a.Service.Logins, Runner: a.Service.Runner, Person: Owner, Rights: a.Service.Rights, Texts: a.Service.Texts, Language: a.Service.Language, Logger: a.log, Token: o.Config.Token.Reveal(),
		Origins: o.Config.V1.Origins, Hooks: a.hooks, RateRows: a.rateRows(), Ready: a.Service.Internal.Ready,
		Card: a.a2a.ServeCard,
		Doors: map[string]web.Door{
			a2aserver.Path:  a.a2a.Serve,
			"/mcp":          mcpserver.New(mcpserver.Options{Runner: a.Service.Runner, Logger: a.log, Version: o.Version}).Serve,
			openaiwire.Path: openaiwire.New(openaiwire.Options{Runner: a.Service.Runner, Logger: a.log, HasTool: a.hasTool, MaxTools: a.maxTools}).Serve,
		},
		Key: a.key, Installation: store.InstallationOf(a.Store), Public: o.Config.Public, PublicURL: o.Config.PublicURL, Names: names(),
		Addresses: func() []string { return a.addresses(o)[1:] },
		Trusted: func(peer netip.Addr) bool {
			return slices.ContainsFunc(o.Config.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(peer) })
		},
	}
	return web.New(opts)
}

func (a *App) about(o Options) api.About {
	about := api.About{Demo: o.Config.Demo && o.Model == nil, Version: o.Version, Programs: a.code.String()}
	if o.Config.Temporal.Address == "" && o.Config.UIPort != 0 {
		about.WebUI = fmt.Sprintf("http://127.0.0.1:%d", o.Config.UIPort)
	}
	return about
}

func (a *App) menu(language string) []api.Command {
	menu := a.Commands.Menu()
	entries, ok := menu[language]
	if !ok {
		entries = menu[""]
	}
	list := make([]api.Command, len(entries))
	for i, e := range entries {
		list[i] = api.Command{Name: e.Name, Usage: e.Usage, About: e.About, Takes: e.Words != ""}
	}
	return list
}
