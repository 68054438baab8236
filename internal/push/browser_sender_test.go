package push

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"errand/internal/test/sim/push"
)

// TestSendToBrowser proves that a push service accepts a message, that only the browser can read
// it, and what each answer means.
func TestSendToBrowser(t *testing.T) {
	server := push.Start()
	defer server.Close()
	key, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	kept, err := ParseKey(key.Private())
	if err != nil || kept.Public() != key.Public() {
		t.Fatalf("a key that was kept is another one: %v", err)
	}
	sender, err := NewBrowserSender(Options{Key: kept, Contact: "https://errand.example.org", Allow: []string{server.Host()}})
	if err != nil {
		t.Fatal(err)
	}
	browser, err := server.Subscribe(sender.PublicKey())
	if err != nil {
		t.Fatal(err)
	}
	m := Message{To: Subscription{browser.Endpoint, browser.P256DH, browser.Auth}, Body: []byte(`{"body":"A result has arrived."}`), Topic: "wp-1", TTL: time.Hour, At: time.Now()}
	if err := sender.Send(t.Context(), m); err != nil {
		t.Fatal(err, server.Wrong())
	}
	if got := server.Took(browser); len(got) != 1 || got[0] != (push.Message{Text: string(m.Body), TTL: time.Hour, Topic: "wp-1", Contact: "https://errand.example.org"}) || len(server.Wrong()) > 0 {
		t.Errorf("the browser reads %+v (%q)", got, server.Wrong())
	}
	for _, test := range []struct {
		push.Answer
		gone, final bool
		after       time.Duration
	}{
		{Answer: push.Answer{Status: 404}, gone: true, final: true},
		{Answer: push.Answer{Status: 410}, gone: true, final: true},
		{Answer: push.Answer{Status: 429, RetryAfter: "30"}, after: 30 * time.Second},
		{Answer: push.Answer{Status: 503}},
		{Answer: push.Answer{Status: 403}, final: true},
		{Answer: push.Answer{Status: 413}, final: true},
	} {
		server.Answer(browser, test.Answer)
		var no *Error
		if err := sender.Send(t.Context(), m); !errors.As(err, &no) || no.Status != test.Status || IsGone(no) != test.gone || no.Final != test.final || no.RetryAfter != test.after {
			t.Errorf("%d is %+v", test.Status, err)
		}
	}

	// What is sent too late, or with another key, no push service takes.
	other, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	stranger := *sender
	stranger.key = other
	for name, try := range map[string]func() error{
		"an old proof": func() error {
			old := m
			old.At = time.Now().Add(-2 * proofValid)
			return sender.Send(t.Context(), old)
		},
		"another's proof": func() error { return stranger.Send(t.Context(), m) },
	} {
		var no *Error
		if err := try(); !errors.As(err, &no) || no.Status != http.StatusForbidden {
			t.Errorf("%s: %v", name, err)
		}
	}
	// What another browser is sent, this one cannot read.
	apart, err := server.Subscribe(sender.PublicKey())
	if err != nil {
		t.Fatal(err)
	}
	before := len(server.Wrong())
	if err := sender.Send(t.Context(), Message{To: Subscription{apart.Endpoint, browser.P256DH, apart.Auth}, Body: m.Body, At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if len(server.Took(apart)) > 0 || len(server.Wrong()) != before+1 {
		t.Errorf("a browser reads what is another's: %+v", server.Took(apart))
	}
}

// TestSendToBrowserNowherePrivate proves that an endpoint in a private network is not called, and
// that errors do not reveal the endpoint.
func TestSendToBrowserNowherePrivate(t *testing.T) {
	server := push.Start()
	defer server.Close()
	key, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	sender, err := NewBrowserSender(Options{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	browser, err := server.Subscribe(sender.PublicKey())
	if err != nil {
		t.Fatal(err)
	}
	port := server.Host()[strings.LastIndex(server.Host(), ":"):]
	for _, endpoint := range []string{browser.Endpoint, "https://localhost" + port + "/secret", "https://2130706433" + port + "/secret", "https://[::ffff:127.0.0.1]" + port + "/secret", "https://10.0.0.1/secret", "https://169.254.169.254/secret"} {
		var no *Error
		err := sender.Send(t.Context(), Message{To: Subscription{endpoint, browser.P256DH, browser.Auth}, Body: []byte("x"), At: time.Now()})
		if !errors.As(err, &no) || !no.Final && no.Status != 0 {
			t.Errorf("%s: %v", endpoint, err)
		}
		if err != nil && strings.Contains(err.Error(), "/secret") {
			t.Errorf("%s: the endpoint is in the error: %v", endpoint, err)
		}
	}
	if server.Asked(browser) > 0 {
		t.Error("a request arrived")
	}
}
