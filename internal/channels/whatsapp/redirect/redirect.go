// Package redirect lets clients of WhatsApp talk to a server on this machine, for
// development and tests.
package redirect

import (
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"sync"

	"go.mau.fi/whatsmeow"
)

// key is the public half of what local servers sign their certificates with. Who
// has the other half is no secret.
const key = "cdcd217b0e2976f0ff9a974b21e81977dc2f364c9be7933fd59b2ed29d00ed47"

var trust sync.Once

// Trust makes the clients of this process accept local servers, and no longer the
// real ones: whatsmeow trusts one key, in a global variable. It is written once:
// clients read it without a lock.
func Trust() {
	trust.Do(func() {
		hex.Decode(whatsmeow.WACertPubKey[:], []byte(key))
	})
}

// Towards is Point for a server, to be called with each client.
func Towards(server string) func(*whatsmeow.Client) {
	return func(cli *whatsmeow.Client) { Point(cli, server, nil) }
}

// Point makes a client talk to the server at a URL, and Trust it. Each request
// has these headers, too. Call it before Connect.
func Point(cli *whatsmeow.Client, server string, headers http.Header) {
	Trust()
	at := &http.Client{Transport: towards{server, headers, &http.Transport{}}}
	cli.SetWebsocketHTTPClient(at)
	cli.SetPreLoginHTTPClient(at)
	cli.SetMediaHTTPClient(at)
}

// towards sends every request to one server, whatever host it is for.
type towards struct {
	server  string
	headers http.Header
	next    http.RoundTripper
}

func (t towards) RoundTrip(r *http.Request) (*http.Response, error) {
	at, err := url.Parse(t.server)
	if err != nil {
		return nil, fmt.Errorf("the server's URL: %w", err)
	}
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = at.Scheme, at.Host
	maps.Copy(r.Header, t.headers)
	return t.next.RoundTrip(r)
}
