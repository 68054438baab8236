// Package webpush tells browsers something while no page is open. A message that only one
// browser can read (RFC 8291) goes to the push service of its maker (RFC 8030), with a
// proof of who sends it (RFC 8292).
package webpush

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
	"errand/internal/webhook"
)

// A Message is what a browser is told.
type Message struct {
	To    Subscription
	Body  []byte        // at most [MaxBody]
	Topic string        // one replaces another of the same that was not delivered yet; at most 32 letters
	TTL   time.Duration // for which the push service keeps it
	At    time.Time     // of this attempt
}

// Options of a sender. Key is needed.
type Options struct {
	Key     Key
	Contact string // whom a push service can write to: https: or mailto:
	// Allow are hosts (host or host:port) that are reached besides the public internet, also
	// without TLS.
	Allow []string
}

// A Sender sends messages. It is safe for concurrent use.
type Sender struct {
	client  *fetch.Client
	key     Key
	contact string
}

const timeout = 20 * time.Second

// New makes a sender. It follows no redirect.
func New(o Options) (*Sender, error) {
	client, err := fetch.New(fetch.Options{Allow: o.Allow, Redirects: -1, Timeout: timeout, UserAgent: "errand (web push)"})
	if err != nil {
		return nil, err
	}
	return &Sender{client, o.Key, o.Contact}, nil
}

// PublicKey is what browsers are given to subscribe with.
func (s *Sender) PublicKey() string { return s.key.Public() }

const longestEndpoint = 1000

// Check says why nobody could be told over s. What a name resolves to is looked at when it is
// sent to.
func (s *Sender) Check(to Subscription) error {
	if _, _, err := to.keys(); err != nil {
		return err
	}
	_, err := s.endpoint(to.Endpoint)
	return err
}

// IsOwn reports whether a subscription leads to one of the hosts that the operator allows.
func (s *Sender) IsOwn(to Subscription) bool {
	u, err := s.endpoint(to.Endpoint)
	return err == nil && s.client.AllowsHost(u)
}

// endpoint reads where to send. What is said without TLS, everybody on the way learns, and may
// answer: only a host of the operator's own has it so.
func (s *Sender) endpoint(address string) (*url.URL, error) {
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

// Send makes one attempt. It fails with a [*webhook.Error]; of a subscription that is over,
// [IsGone] holds.
func (s *Sender) Send(ctx context.Context, m Message) error {
	final := func(err error) error { return &webhook.Error{Reason: err.Error(), Final: true} }
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
	r.Header.Set("Urgency", "high") // a phone at rest shows it, too
	if m.Topic != "" {
		r.Header.Set("Topic", m.Topic)
	}
	got, err := s.client.Send(r)
	var refused *fetch.Refused
	switch {
	case errors.As(err, &refused):
		return final(hostOnly(u, err))
	case err != nil:
		return &webhook.Error{Reason: hostOnly(u, err).Error()}
	case got.Status >= 200 && got.Status < 300:
		return nil
	}
	return &webhook.Error{Status: got.Status, Reason: fmt.Sprintf("the push service answered %d", got.Status),
		Final: !mayPass(got.Status), RetryAfter: webhook.RetryAfter(got.Header.Get("Retry-After"))}
}

// hostOnly is an error that says no more of an endpoint than its host: the rest is a secret.
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

// mayPass reports whether another attempt may be answered otherwise.
func mayPass(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= 500
}

// IsGone reports whether an attempt was answered that there is no such subscription any more.
func IsGone(err *webhook.Error) bool {
	return err.Status == http.StatusNotFound || err.Status == http.StatusGone
}
