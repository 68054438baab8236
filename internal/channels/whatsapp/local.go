package whatsapp

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"syscall"
	"time"

	"go.mau.fi/whatsmeow"
)

// localKey is the public key of local test servers. The private key is published: a server with it
// can read and write as the account. So errand accepts it only on this machine.
const localKey = "cdcd217b0e2976f0ff9a974b21e81977dc2f364c9be7933fd59b2ed29d00ed47"

var swapKey sync.Once

// Redirect returns a function that redirects a client to the server at a URL, for development and
// tests. Call the function before Connect. Each request also gets headers.
//
// Afterwards the clients of this process accept only local servers, and no longer WhatsApp's:
// whatsmeow trusts one key, in a global variable. Redirect sets it only once, because clients read
// it without a lock. For a server on another machine Redirect returns an error and keeps the key.
func Redirect(server string, headers http.Header) (func(*whatsmeow.Client), error) {
	at, err := url.Parse(server)
	if err != nil || at.Scheme != "http" || at.Host == "" {
		return nil, fmt.Errorf("redirect WhatsApp: want an address such as http://127.0.0.1:8081")
	}
	if !isLoopback(at.Hostname()) {
		return nil, fmt.Errorf("redirect WhatsApp: %s is not on this machine; a server for trying things out has to listen on an address such as 127.0.0.1", at.Host)
	}
	swapKey.Do(func() {
		hex.Decode(whatsmeow.WACertPubKey[:], []byte(localKey))
	})
	client := &http.Client{Transport: redirected{at, headers, &http.Transport{DialContext: loopbackDialer.DialContext}}}
	return func(cli *whatsmeow.Client) {
		cli.SetWebsocketHTTPClient(client)
		cli.SetPreLoginHTTPClient(client)
		cli.SetMediaHTTPClient(client)
	}, nil
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// loopbackDialer also rejects names that resolve to another machine.
var loopbackDialer = net.Dialer{Timeout: 30 * time.Second, ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
	if to, err := netip.ParseAddrPort(address); err != nil || !to.Addr().Unmap().IsLoopback() {
		return fmt.Errorf("%s is not on this machine", address)
	}
	return nil
}}

type redirected struct {
	to      *url.URL
	headers http.Header
	next    http.RoundTripper
}

func (t redirected) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = t.to.Scheme, t.to.Host
	maps.Copy(r.Header, t.headers)
	return t.next.RoundTrip(r)
}
