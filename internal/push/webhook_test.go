package push

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"errand/internal/fetch"
)

// TestSign holds the signature against the vector of the standard's own libraries.
func TestSign(t *testing.T) {
	got, err := Sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want || err != nil {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	for _, secret := range []string{"", "whsec_", "whsec_!"} {
		if _, err := Sign(secret, "x", time.Unix(0, 0), nil); err == nil {
			t.Errorf("%q is a secret", secret)
		}
	}
}

// TestSendWebhook proves what arrives, and what each answer means for the next attempt.
func TestSendWebhook(t *testing.T) {
	at := time.Unix(1764000000, 0)
	var answer func(http.ResponseWriter)
	var got *http.Request
	var body string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		got, body = r, string(raw)
		answer(w)
	}))
	defer server.Close()
	sender, err := NewWebhookSender([]string{strings.TrimPrefix(server.URL, "http://")})
	if err != nil {
		t.Fatal(err)
	}
	secret := NewSecret()
	in := Request{ID: "w-1", URL: server.URL + "/hook", Body: []byte(`{"a":1}`), Secret: secret, At: at}
	answer = func(w http.ResponseWriter) { w.WriteHeader(http.StatusNoContent) }
	if err := sender.Send(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	signature, _ := Sign(secret, "w-1", at, []byte(body))
	for name, want := range map[string]string{"Webhook-Id": "w-1", "Webhook-Timestamp": "1764000000", "Webhook-Signature": signature,
		"Content-Type": "application/json"} {
		if v := got.Header.Get(name); v != want {
			t.Errorf("%s is %q, want %q", name, v, want)
		}
	}
	followed := false
	answer = func(w http.ResponseWriter) {
		if !followed {
			w.Header().Set("Location", server.URL+"/elsewhere")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}
		followed = true
	}
	var moved *Error
	if err := sender.Send(t.Context(), in); !errors.As(err, &moved) || !moved.Final || got.URL.Path != "/hook" {
		t.Errorf("a redirect ends at %s with %v", got.URL, err)
	}
	for _, test := range []struct {
		status int
		header string
		final  bool
		after  time.Duration
	}{
		{500, "", false, 0}, {404, "", false, 0}, {410, "", true, 0}, {429, "30", false, 30 * time.Second}, {503, "99999999999", false, time.Hour}, {503, "soon", false, 0},
	} {
		answer = func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", test.header)
			w.WriteHeader(test.status)
		}
		var no *Error
		if err := sender.Send(t.Context(), in); !errors.As(err, &no) || no.Status != test.status || no.Final != test.final || no.RetryAfter != test.after {
			t.Errorf("%d is %+v", test.status, err)
		}
	}
}

// TestSendDecidesByStatus proves that what the receiver answered counts, whatever its body
// is like: encoded as nobody asked, cut off, or without an end.
func TestSendDecidesByStatus(t *testing.T) {
	over := make(chan struct{})
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/encoded":
			w.Header().Set("Content-Encoding", "br")
		case "/short":
			w.Header().Set("Content-Length", "100")
		}
		w.WriteHeader(status)
		w.Write([]byte("ok"))
		if r.URL.Path == "/endless" {
			w.(http.Flusher).Flush()
			<-over
		}
	}))
	defer server.Close()
	defer close(over)
	sender, err := NewWebhookSender([]string{strings.TrimPrefix(server.URL, "http://")})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/encoded", "/short", "/endless"} {
		in := Request{ID: "w-1", URL: server.URL + path, Secret: NewSecret(), At: time.Unix(0, 0)}
		status = http.StatusOK
		if err := sender.Send(t.Context(), in); err != nil {
			t.Errorf("%s was taken: %v", path, err)
		}
		status = http.StatusServiceUnavailable
		var no *Error
		if err := sender.Send(t.Context(), in); !errors.As(err, &no) || no.Status != status || no.Final {
			t.Errorf("%s, not taken for now: %+v", path, err)
		}
	}
}

// dialNameless reaches a name server that knows no name.
func dialNameless(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	go func() {
		defer theirs.Close()
		var size [2]byte
		if _, err := io.ReadFull(theirs, size[:]); err != nil {
			return
		}
		message := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(theirs, message); err != nil {
			return
		}
		// The question itself, without what is said besides, as an answer: NXDOMAIN.
		end := 12 + bytes.IndexByte(message[12:], 0) + 5
		message[2], message[3], message[11] = 0x81, 0x83, 0
		theirs.Write(append(binary.BigEndian.AppendUint16(nil, uint16(end)), message[:end]...))
	}()
	return ours, nil
}

// TestSendToNoHost proves that a receiver whose name is away is tried again: so it is with
// a container while it restarts.
func TestSendToNoHost(t *testing.T) {
	client, err := fetch.New(fetch.Options{Resolver: &net.Resolver{PreferGo: true, Dial: dialNameless}})
	if err != nil {
		t.Fatal(err)
	}
	sender := &WebhookSender{client}
	if _, err := sender.Check("https://away.test/hook"); err != nil {
		t.Error(err)
	}
	var no *Error
	err = sender.Send(t.Context(), Request{ID: "w-1", URL: "https://away.test/hook", Secret: NewSecret(), At: time.Unix(0, 0)})
	if !errors.As(err, &no) || no.Final || !strings.Contains(no.Reason, "there is no host called") {
		t.Errorf("a name that is away: %+v", err)
	}
}

// TestSendWebhookNowherePrivate proves that no spelling of an address, no name and no redirect
// reaches a host outside of the public internet.
func TestSendWebhookNowherePrivate(t *testing.T) {
	reached := 0
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached++ }))
	defer inside.Close()
	away := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, inside.URL, http.StatusTemporaryRedirect)
	}))
	defer away.Close()
	port := ":" + netip.MustParseAddrPort(strings.TrimPrefix(inside.URL, "http://")).String()[len("127.0.0.1:"):]
	sender, err := NewWebhookSender([]string{strings.TrimPrefix(away.URL, "http://")})
	if err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{
		"loopback": inside.URL, "by name": "http://localhost" + port, "IPv6": "http://[::1]" + port, "IPv4 in IPv6": "http://[::ffff:127.0.0.1]" + port,
		"decimal": "http://2130706433" + port, "octal": "http://0177.0.0.1" + port, "hexadecimal": "http://0x7f.1" + port, "short": "http://127.1" + port,
		"nothing": "http://0" + port, "private": "http://10.0.0.1", "metadata": "http://169.254.169.254/latest", "redirect": away.URL,
		"file": "file:///etc/passwd", "with a password": "http://a:b@example.org", "not an address": "http://",
	} {
		var no *Error
		if err := sender.Send(t.Context(), Request{ID: "w-1", URL: target, Secret: NewSecret(), At: time.Unix(0, 0)}); !errors.As(err, &no) || !no.Final && no.Status != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if reached > 0 {
		t.Errorf("%d requests arrived inside", reached)
	}
}

// TestCheck proves which addresses are refused before anything is sent.
func TestCheck(t *testing.T) {
	sender, err := NewWebhookSender([]string{"10.0.0.1:8080", "[fd00::1]"})
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"http://127.0.0.1", "http://10.0.0.1", "http://10.0.0.1:8081/x", "http://[::1]:8080", "http://[::ffff:127.0.0.1]", "http://169.254.169.254",
		"http://0.0.0.0", "http://localhost", "http://x.localhost.:8080", "file:///etc/passwd", "http://a:b@example.org", "http://", "https://example.org:22", ""} {
		if got, err := sender.Check(address); err == nil {
			t.Errorf("%q is %q", address, got)
		}
	}
	for address, want := range map[string]string{"http://10.0.0.1:8080/hook": "http://10.0.0.1:8080/hook", "http://[fd00::1]/hook": "http://[fd00::1]/hook",
		"https://EXAMPLE.org/hook#x": "https://example.org/hook"} {
		if got, err := sender.Check(address); got != want || err != nil {
			t.Errorf("%q is %q, %v", address, got, err)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"", "1", "-1", "99999999999999999999", "Wed, 21 Oct 2026 07:28:00 GMT"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if d := RetryAfter(s); d < 0 || d > longestRetryAfter {
			t.Fatalf("%q is %s", s, d)
		}
	})
}
