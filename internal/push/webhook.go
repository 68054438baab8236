// Package push is the sending of requests to addresses that people have entered.
//
// A [WebhookSender] sends HTTP requests, signed according to the Standard Webhooks specification. A
// [BrowserSender] notifies a browser without an open page: it encrypts a message for the browser
// (RFC 8291) and sends it to the push service of the browser's vendor (RFC 8030), with a proof of
// the sender (RFC 8292).
package push

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"errand/internal/fetch"
)

// secretPrefix is defined by Standard Webhooks.
const secretPrefix = "whsec_"

// NewSecret generates a secret for signing webhooks.
func NewSecret() string {
	raw := make([]byte, 32)
	rand.Read(raw)
	return secretPrefix + base64.StdEncoding.EncodeToString(raw)
}

// Sign returns the webhook-signature header: the HMAC-SHA256 of id, time and body with the secret.
// See https://github.com/standard-webhooks/standard-webhooks, version 1.
func Sign(secret, id string, at time.Time, body []byte) (string, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
	if err != nil || len(key) == 0 {
		return "", errors.New("webhook: the secret is not base64")
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.", id, at.Unix())
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)), nil
}

// A Request is a webhook request. All attempts have the same ID.
type Request struct {
	ID     string
	URL    string
	Body   []byte      // JSON
	Secret string      // for the signature
	At     time.Time   // of this attempt
	Header http.Header // additional headers
}

// An Error is a failed attempt.
type Error struct {
	Status     int           // 0: no answer
	Reason     string        // contains no text of the receiver
	Final      bool          // do not retry
	RetryAfter time.Duration // earliest retry; 0: not specified
}

func (e *Error) Error() string { return e.Reason }

// A WebhookSender sends webhooks. It is safe for concurrent use.
type WebhookSender struct{ client *fetch.Client }

const webhookTimeout = 20 * time.Second

// NewWebhookSender returns a sender that reaches the public internet and the allowed hosts (host or
// host:port). It follows no redirects.
func NewWebhookSender(allow []string) (*WebhookSender, error) {
	client, err := fetch.New(fetch.Options{Allow: allow, Redirects: -1, Timeout: webhookTimeout, UserAgent: "errand (webhook)"})
	if err != nil {
		return nil, err
	}
	return &WebhookSender{client}, nil
}

// Check returns the URL in the form that Send uses, or an error if Send would reject it. It does
// not resolve the host name: Send checks its addresses.
func (s *WebhookSender) Check(address string) (string, error) {
	u, err := fetch.ParseURL(address)
	if err == nil {
		err = s.client.CheckHost(u)
	}
	if err != nil {
		return "", err
	}
	return u.String(), nil
}

// Send makes one attempt. Its errors are of type [*Error].
func (s *WebhookSender) Send(ctx context.Context, in Request) error {
	u, err := fetch.ParseURL(in.URL)
	if err != nil {
		return &Error{Reason: err.Error(), Final: true}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(in.Body))
	if err != nil {
		return &Error{Reason: "the address is not a URL", Final: true}
	}
	for name, values := range in.Header {
		r.Header[http.CanonicalHeaderKey(name)] = values
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("webhook-id", in.ID)
	r.Header.Set("webhook-timestamp", strconv.FormatInt(in.At.Unix(), 10))
	signature, err := Sign(in.Secret, in.ID, in.At, in.Body)
	if err != nil {
		return &Error{Reason: err.Error(), Final: true}
	}
	r.Header.Set("webhook-signature", signature)
	got, err := s.client.Send(r)
	var refused *fetch.Refused
	switch {
	case errors.As(err, &refused):
		return &Error{Reason: refused.Error(), Final: true}
	case err != nil:
		return &Error{Reason: err.Error()} // also for an unknown name: a container has none while it restarts
	case got.Status >= 200 && got.Status < 300:
		return nil
	}
	return &Error{Status: got.Status, Reason: fmt.Sprintf("the receiver answered %d", got.Status),
		Final: got.Status == http.StatusGone, RetryAfter: RetryAfter(got.Header.Get("Retry-After"))}
}

// longestRetryAfter limits the wait that a receiver may request.
const longestRetryAfter = time.Hour

// RetryAfter parses a number of seconds, up to an hour. 0 means not specified.
func RetryAfter(header string) time.Duration {
	n, err := strconv.Atoi(strings.TrimSpace(header))
	if err != nil || n <= 0 {
		return 0
	}
	return min(time.Duration(min(n, int(longestRetryAfter/time.Second)))*time.Second, longestRetryAfter)
}
