package config

import "errand/internal/fetch"

// Hooks are what programs are told over HTTP, at addresses that they name.
type Hooks struct {
	Allow []string // hosts (host or host:port) that may be told although they are private
}

func (l *loader) hooks(root *mapping) {
	m := root.section("hooks")
	if m == nil {
		return
	}
	hosts, lines := m.texts("allow")
	for i, host := range hosts {
		if _, err := fetch.New(fetch.Options{Allow: []string{host}}); err != nil {
			m.fault(lines[i], "allow", "%v", err)
		}
	}
	l.cfg.Hooks.Allow = hosts
	m.done()
}
