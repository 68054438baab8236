package discord

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

// Redirect returns a client and a dialer that connect to the server at base (http://127.0.0.1:4711)
// for every host of Discord, for development. They reject all other hosts, so that tests cannot
// reach real ones.
func Redirect(base string) (*http.Client, *websocket.Dialer, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" || u.Host == "" {
		return nil, nil, fmt.Errorf("redirect Discord: %q is not the URL of a server", base)
	}
	dial := func(ctx context.Context, network, to string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(to)
		if err != nil || !IsHost(host) && to != u.Host {
			return nil, fmt.Errorf("%s is not a host of Discord", to)
		}
		return new(net.Dialer).DialContext(ctx, network, u.Host)
	}
	// The transport treats these connections as if TLS were done. So https and wss URLs work
	// with a server that speaks plain HTTP.
	transport := &http.Transport{DialContext: dial, DialTLSContext: dial}
	return &http.Client{Transport: transport, Timeout: 20 * time.Second},
		&websocket.Dialer{NetDialContext: dial, NetDialTLSContext: dial, HandshakeTimeout: 20 * time.Second}, nil
}

// IsHost reports whether a host belongs to Discord.
func IsHost(host string) bool {
	for _, domain := range []string{"discord.com", "discord.gg", "discordapp.com", "discordapp.net"} {
		if host == domain || strings.HasSuffix(host, "."+domain) {
			return true
		}
	}
	return false
}
