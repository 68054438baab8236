package app

import (
	"errand/internal/config"
	"errand/internal/doctext"
	"errand/internal/fetch"
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
		out.PDFs, out.HTML = doctext.NewReader(o.Program, doctext.PDF), doctext.NewReader(o.Program, doctext.HTML)
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

// engine is the configured one; nil: none. Its address is the operator's own: it may
// be in their network.
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
	return web.DuckDuckGo{API: api, Page: doctext.NewReader(program, doctext.Results)}, nil
}
