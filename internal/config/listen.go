package config

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"errand/internal/ownerkey"
)

const mostPort = 65535

func (l *loader) listen(s setting) {
	c := l.cfg
	c.PortOffset = l.src.Flags.PortOffset
	if most := mostPort - c.UIPort; c.PortOffset < 0 || c.PortOffset > most {
		l.faults.add("", 0, "--port-offset: %d is not between 0 and %d", c.PortOffset, most)
		return
	}
	c.TemporalPort += c.PortOffset
	c.UIPort += c.PortOffset

	host, number, err := net.SplitHostPort(s.value)
	port, errPort := strconv.ParseUint(number, 10, 16)
	if err != nil || errPort != nil {
		l.wrong(s, "%q is not an address such as 127.0.0.1:8080", s.value)
		return
	}
	c.Public = !loopback(host)
	// Port 0 means any free port. A port from the command line is used unchanged.
	if port != 0 && l.src.Flags.Listen == "" {
		port += uint64(c.PortOffset)
	}
	if port > mostPort {
		l.wrong(s, "with --port-offset %d the port is %d; the highest port is %d", c.PortOffset, port, mostPort)
	}
	c.Listen = net.JoinHostPort(host, strconv.FormatUint(port, 10))
}

// loopback does not resolve names, because the result may change after the check.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func (l *loader) public() {
	if s := l.pick("public_url", l.file.PublicURL, "ERRAND_PUBLIC_URL", "", "", ""); s.value != "" {
		u, err := url.Parse(s.value)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
			strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
			l.wrong(s, "%q is not an address such as https://errand.example.org (without a path: errand needs its own host name)", s.value)
		} else {
			l.cfg.PublicURL = u.Scheme + "://" + u.Host
		}
	}
	if l.has(at("trusted_proxies")) {
		l.cfg.TrustedProxies = []netip.Prefix{}
	}
	for _, s := range l.file.TrustedProxies {
		p, _ := parseNetwork(s) // already checked
		l.cfg.TrustedProxies = append(l.cfg.TrustedProxies, p)
	}
}

func (l *loader) ownerSecrets() {
	c := l.cfg
	if l.src.Client {
		return
	}
	if n := len(c.Token); n > 0 && n < ownerkey.LeastToken && (c.Public || c.PublicURL != "") {
		l.faults.add("", 0, "ERRAND_TOKEN: has %d characters, but needs at least %d because other machines can reach errand. Make one with openssl rand -hex 16, or unset the variable: the owner's key is enough", n, ownerkey.LeastToken)
	}
	if c.Key != "" {
		if err := ownerkey.Check(c.Key.Reveal()); err != nil {
			l.faults.add("", 0, "%s: %v", ownerkey.Env, err)
		}
	}
}

// V1 configures the API for clients of OpenAI's API.
type V1 struct {
	Origins []string `yaml:"origins" check:"origin"` // Origins whose pages may call it from a browser, such as http://localhost:3000.
}

// Hooks limits the addresses that webhooks may call.
type Hooks struct {
	Allow []string `yaml:"allow" check:"host"` // Hosts of your own network that webhooks may call. Default: only the public internet.
}
