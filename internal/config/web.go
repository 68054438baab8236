package config

import (
	"cmp"
	"net/url"
	"strings"
)

// Web is how agents search the web and read it.
type Web struct {
	Search Search
	Allow  []string // hosts (host or host:port) of the operator's own that web_fetch reads, although they are private
}

// Search is which engine searches.
type Search struct {
	Engine    SearchEngine
	BaseURL   string // without a slash at its end
	APIKey    Secret
	APIKeyEnv string // the variable or the file that APIKey is from; empty: there is none
	Chosen    bool   // the file says which; otherwise DuckDuckGo, or what the demonstration model brings along
}

// A SearchEngine is one that errand can search with.
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
		l.fault(p.at("engine"), "is missing: one of duckduckgo, searxng, brave, tavily, exa, none")
		return
	}
	s.Chosen, s.Engine = true, f.Engine
	provider := Provider{BaseURL: engines[s.Engine].base, APIKeyEnv: engines[s.Engine].key}
	for _, key := range []string{"api_key_env", "api_key_file"} {
		if provider.APIKeyEnv == "" && l.has(p.at(key)) {
			l.fault(p.at(key), "%s takes no key", s.Engine)
			return
		}
	}
	l.endpoint(p, f.endpoint, &provider)
	s.BaseURL, s.APIKey, s.APIKeyEnv = provider.BaseURL, provider.APIKey, provider.APIKeyEnv
	switch {
	case l.src.Client:
	case s.Engine == SearXNG && s.BaseURL == "":
		l.fault(p.at("base_url"), "is missing: where your SearXNG is, such as http://192.168.1.5:8888")
	case s.APIKeyEnv != "" && s.APIKey == "" && !l.namesKey(p):
		l.fault(p, "there is no key for %s: set %s, or name another variable in api_key_env", s.Engine, s.APIKeyEnv)
	}
}

// Host is the host of BaseURL, with its port where it has one: the operator wrote it.
func (s Search) Host() string {
	u, err := url.Parse(s.BaseURL)
	if err != nil {
		return ""
	}
	return strings.ToLower(cmp.Or(u.Host, s.BaseURL))
}
