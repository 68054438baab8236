package app

import (
	"errand/internal/config"
	"errand/internal/fetch"
	"errand/internal/sandbox"
	"errand/internal/tools/web"
)

func webOptions(o Options) (web.Options, error) {
	cfg := o.Config
	var out web.Options
	var err error
	if out.Client, err = fetch.New(fetch.Options{Allow: cfg.Web.Allow}); err != nil {
		return out, err
	}
	if o.Program != "" {
		out.PDFs, out.HTML = sandbox.NewDocumentReader(o.Program, sandbox.ReadPDF), sandbox.NewDocumentReader(o.Program, sandbox.ReadHTML)
	}
	if cfg.Demo {
		out.Shipped = web.ShippedPages()
	}
	if cfg.Demo && !cfg.Web.Search.Chosen {
		out.Engine = web.NewCorpus()
		return out, nil
	}
	out.Engine, err = engine(cfg.Web.Search, o.Program)
	return out, err
}

// engine may be in the operator's own network. It is nil if none is configured.
func engine(s config.Search, program string) (web.Engine, error) {
	if s.Engine == config.NoSearch {
		return nil, nil
	}
	client, err := fetch.New(fetch.Options{Allow: []string{s.Host()}, Redirects: -1, MaxBytes: 2 << 20})
	if err != nil {
		return nil, err
	}
	api := web.API{Client: client, Base: s.BaseURL, Key: s.APIKey.Reveal(), KeyName: s.APIKeyEnv}
	switch s.Engine {
	case config.SearXNG:
		return web.SearXNG{API: api}, nil
	case config.Brave:
		return web.Brave{API: api}, nil
	case config.Tavily:
		return web.Tavily{API: api}, nil
	case config.Exa:
		return web.Exa{API: api}, nil
	}
	return web.DuckDuckGo{API: api, Page: sandbox.NewDocumentReader(program, sandbox.ReadSearchResults)}, nil
}
