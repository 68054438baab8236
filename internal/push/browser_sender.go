package push

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"errand/internal/fetch"
)

// A Message is a push message to a browser.
type Message struct {
	To    Subscription
	Body  []byte        // at most [MaxBody]
	Topic string        // replaces an undelivered message with the same topic; at most 32 letters
	TTL   time.Duration // how long the push service keeps it
	At    time.Time     // of this attempt
}

// Options configure a BrowserSender. Key is required.
type Options struct {
	Key     Key
	Contact string // contact for push services: https: or mailto:
	// Allow are hosts (host or host:port) outside the public internet that may be reached, also
	// without TLS.
	Allow []string
}

// A BrowserSender sends push messages to browsers. It is safe for concurrent use.
type BrowserSender struct {
	client  *fetch.Client
	key     Key
	contact string
}

const browserTimeout = 20 * time.Second

// NewBrowserSender returns a sender that follows no redirects.
func NewBrowserSender(o Options) (*BrowserSender, error) {
	client, err := fetch.New(fetch.Options{Allow: o.Allow, Redirects: -1, Timeout: browserTimeout, UserAgent: "errand (web push)"})
	if err != nil {
		return nil, err
	}
	return &BrowserSender{client, o.Key, o.Contact}, nil
}

// PublicKey returns the key that browsers need to subscribe.
func (s *BrowserSender) PublicKey() string { return s.key.Public() }

const longestEndpoint = 1000

// Check returns an error if a subscription is invalid. It does not resolve the host name: Send
// checks its addresses.
func (s *BrowserSender) Check(to Subscription) error {
	if _, _, err := to.keys(); err != nil {
		return err
	}
	_, err := s.endpoint(to.Endpoint)
	return err
}

// IsOwn reports whether a subscription leads to a host in Options.Allow.
func (s *BrowserSender) IsOwn(to Subscription) bool {
	u, err := s.endpoint(to.Endpoint)
	return err == nil && s.client.AllowsHost(u)
}

func (s *BrowserSender) endpoint(address string) (*url.URL, error) {
	if len(address) > longestEndpoint {
		return nil, fmt.Errorf("the endpoint is longer than %d characters", longestEndpoint)
	}
	u, err := fetch.ParseURL(address)
	if err == nil {
		err = s.client.CheckHost(u)
	}
	if err != nil {
		return nil, hostOnly(u, err)
	}
	if u.Scheme != "https" && !s.client.AllowsHost(u) {
		return nil, errors.New("the endpoint does not begin with https://")
	}
	return u, nil
}

// Send makes one attempt. Its errors are of type [*Error]. [IsGone] reports whether the
// subscription has ended.
func (s *BrowserSender) Send(ctx context.Context, m Message) error {
	final := func(err error) error { return &Error{Reason: err.Error(), Final: true} }
	u, err := s.endpoint(m.To.Endpoint)
	if err != nil {
		return final(err)
	}
	body, err := m.To.Encrypt(m.Body)
	if err != nil {
		return final(err)
	}
	proof, err := s.key.proof(u, s.contact, m.At)
	if err != nil {
		return final(err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return final(errors.New("the endpoint is not a URL"))
	}
	r.Header.Set("Authorization", proof)
	r.Header.Set("Content-Encoding", "aes128gcm")
	r.Header.Set("Content-Type", "application/octet-stream")
	r.Header.Set("TTL", strconv.Itoa(int(max(m.TTL, 0)/time.Second)))
	r.Header.Set("Urgency", "high") // wakes a phone at rest
	if m.Topic != "" {
		r.Header.Set("Topic", m.Topic)
	}
	got, err := s.client.Send(r)
	var refused *fetch.Refused
	switch {
	case errors.As(err, &refused):
		return final(hostOnly(u, err))
	case err != nil:
		return &Error{Reason: hostOnly(u, err).Error()}
	case got.Status >= 200 && got.Status < 300:
		return nil
	}
	return &Error{Status: got.Status, Reason: fmt.Sprintf("the push service answered %d", got.Status),
		Final: !mayPass(got.Status), RetryAfter: RetryAfter(got.Header.Get("Retry-After"))}
}

// hostOnly reports only the host of an endpoint, because the rest is a secret.
func hostOnly(u *url.URL, err error) error {
	at := "the endpoint"
	if u != nil {
		at = u.Host
	}
	var refused *fetch.Refused
	var away *fetch.Failed
	switch {
	case errors.As(err, &refused):
		return errors.New(at + ": " + refused.Reason)
	case errors.As(err, &away):
		return errors.New(at + ": " + away.Reason)
	}
	return errors.New(at + " cannot be reached")
}

func mayPass(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= 500
}

// IsGone reports whether the push service no longer knows the subscription.
func IsGone(err *Error) bool {
	return err.Status == http.StatusNotFound || err.Status == http.StatusGone
}
