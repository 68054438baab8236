package config

import (
	"cmp"
	"net/url"
	"strings"
)

// Web configures how agents search and read the web.
type Web struct {
	Search Search
	Allow  []string // private hosts (host or host:port) that web_fetch may read
}

// Search configures the search engine.
type Search struct {
	Engine    SearchEngine
	BaseURL   string // without a trailing slash
	APIKey    Secret
	APIKeyEnv string
	Chosen    bool // set in the file; otherwise DuckDuckGo, or the demonstration model's own pages
}

// A SearchEngine is the name of a search engine.
type SearchEngine string

// The engines.
const (
	NoSearch   SearchEngine = "none" // web_search is not offered
	DuckDuckGo SearchEngine = "duckduckgo"
	SearXNG    SearchEngine = "searxng"
	Brave      SearchEngine = "brave"
	Tavily     SearchEngine = "tavily"
	Exa        SearchEngine = "exa"
)

var engines = map[SearchEngine]struct{ base, key string }{
	NoSearch:   {},
	DuckDuckGo: {"https://html.duckduckgo.com", ""},
	SearXNG:    {"", ""},
	Brave:      {"https://api.search.brave.com", "BRAVE_API_KEY"},
	Tavily:     {"https://api.tavily.com", "TAVILY_API_KEY"},
	Exa:        {"https://api.exa.ai", "EXA_API_KEY"},
}

func (l *loader) web() {
	l.cfg.Web.Allow = l.file.Web.Fetch.Allow
	f, p := l.file.Web.Search, at("web", "search")
	if f == nil {
		return
	}
	s := &l.cfg.Web.Search
	if f.Engine == "" {
		l.fault(p.at("engine"), "is missing: write one of duckduckgo, searxng, brave, tavily, exa, none")
		return
	}
	s.Chosen, s.Engine = true, f.Engine
	provider := Provider{BaseURL: engines[s.Engine].base, APIKeyEnv: engines[s.Engine].key}
	for _, key := range []string{"api_key_env", "api_key_file"} {
		if provider.APIKeyEnv == "" && l.has(p.at(key)) {
			l.fault(p.at(key), "%s needs no key: remove it", s.Engine)
			return
		}
	}
	l.endpoint(p, f.endpoint, &provider)
	s.BaseURL, s.APIKey, s.APIKeyEnv = provider.BaseURL, provider.APIKey, provider.APIKeyEnv
	switch {
	case l.src.Client:
	case s.Engine == SearXNG && s.BaseURL == "":
		l.fault(p.at("base_url"), "is missing: write the address of your SearXNG, such as http://192.168.1.5:8888")
	case s.APIKeyEnv != "" && s.APIKey == "" && !l.namesKey(p):
		l.fault(p, "%s needs an API key: set %s, or name another variable in api_key_env", s.Engine, s.APIKeyEnv)
	}
}

// Host returns the host of BaseURL, with its port if it has one.
func (s Search) Host() string {
	u, err := url.Parse(s.BaseURL)
	if err != nil {
		return ""
	}
	return strings.ToLower(cmp.Or(u.Host, s.BaseURL))
}
