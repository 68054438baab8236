package whatsapp

import (
	"strings"
	"testing"

	"go.mau.fi/whatsmeow"
)

// realKey is what clients trust before a process has redirected one: it does so once,
// however often a test is run.
var realKey = whatsmeow.WACertPubKey

// TestRedirectLoopbackOnly proves that no client is made to trust the key that
// everybody has for a server elsewhere, be it by its address or by what a name
// leads to.
func TestRedirectLoopbackOnly(t *testing.T) {
	before := whatsmeow.WACertPubKey
	for _, server := range []string{"http://192.0.2.7:4711", "http://[2001:db8::1]:4711", "http://whatsapp.example:4711", "http://0.0.0.0:4711",
		"http://127.0.0.1.example:4711", "http://127.0.0.1@192.0.2.7:4711", "https://127.0.0.1:4711", "127.0.0.1:4711", ""} {
		if redirect, err := Redirect(server, nil); err == nil || redirect != nil {
			t.Errorf("%q is taken for a server on this machine", server)
		}
	}
	if whatsmeow.WACertPubKey != before {
		t.Fatal("the key was swapped for a server that was refused")
	}
	conn, err := loopbackDialer.DialContext(t.Context(), "tcp", "192.0.2.7:4711")
	if err == nil {
		conn.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "not on this machine") {
		t.Errorf("what a name leads to is dialed: %v", err)
	}
	for _, server := range []string{"http://127.0.0.1:4711", "http://127.8.9.10:4711", "http://[::1]:4711", "http://localhost:4711", "http://[::ffff:127.0.0.1]:4711"} {
		if redirect, err := Redirect(server, nil); err != nil || redirect == nil {
			t.Errorf("%q is refused: %v", server, err)
		}
	}
	if whatsmeow.WACertPubKey == realKey {
		t.Error("a client would not accept a local server")
	}
}
