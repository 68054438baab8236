package config

import "net/url"

// V1 is the door for clients of OpenAI's API.
type V1 struct {
	Origins []string // of pages that may call it from a browser, such as "http://localhost:3000"
}

func (l *loader) v1(root *mapping) {
	m := root.section("v1")
	if m == nil {
		return
	}
	origins, lines := m.texts("origins")
	for i, origin := range origins {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Scheme+"://"+u.Host != origin {
			m.fault(lines[i], "origins", "%q is not an origin: write for example http://localhost:3000, without a path", origin)
		}
	}
	l.cfg.V1.Origins = origins
	m.done()
}
