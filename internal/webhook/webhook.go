// Package webhook sends one HTTP request to an address that somebody has named, signed as
// Standard Webhooks has it.
package webhook

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

// secretPrefix marks a secret, as the standard has it.
const secretPrefix = "whsec_"

// NewSecret draws what webhooks are signed with.
func NewSecret() string {
	raw := make([]byte, 32)
	rand.Read(raw)
	return secretPrefix + base64.StdEncoding.EncodeToString(raw)
}

// Sign is the value of the header webhook-signature: HMAC-SHA256 of id, time and body under
// the secret. See https://github.com/standard-webhooks/standard-webhooks, version 1.
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

// A Request is what is sent. Its ID is the same however often it is tried.
type Request struct {
	ID     string
	URL    string
	Body   []byte      // JSON
	Secret string      // it is signed with
	At     time.Time   // of this attempt
	Header http.Header // besides its own
}

// An Error is an attempt that failed.
type Error struct {
	Status     int           // 0: there was no answer
	Reason     string        // without anybody's words
	Final      bool          // another attempt makes no sense
	RetryAfter time.Duration // before which none does; 0: it does not say
}

func (e *Error) Error() string { return e.Reason }

// A Sender sends webhooks. It is safe for concurrent use.
type Sender struct{ client *fetch.Client }

const timeout = 20 * time.Second

// New makes a sender that reaches the public internet, and the hosts (host or host:port) that
// the operator allows. It follows no redirect.
func New(allow []string) (*Sender, error) {
	client, err := fetch.New(fetch.Options{Allow: allow, Redirects: -1, Timeout: timeout, UserAgent: "errand (webhook)"})
	if err != nil {
		return nil, err
	}
	return &Sender{client}, nil
}

// Check returns an address as it is sent to, or says why none of its kind is. What a name
// resolves to is looked at when it is sent to.
func (s *Sender) Check(address string) (string, error) {
	u, err := fetch.ParseURL(address)
	if err == nil {
		err = s.client.CheckHost(u)
	}
	if err != nil {
		return "", err
	}
	return u.String(), nil
}

// Send makes one attempt. It fails with an [*Error].
func (s *Sender) Send(ctx context.Context, in Request) error {
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
		return &Error{Reason: err.Error()} // also a name that is not there: a container's is away while it restarts
	case got.Status >= 200 && got.Status < 300:
		return nil
	}
	return &Error{Status: got.Status, Reason: fmt.Sprintf("the receiver answered %d", got.Status),
		Final: got.Status == http.StatusGone, RetryAfter: RetryAfter(got.Header.Get("Retry-After"))}
}

// longestRetryAfter bounds what a receiver may ask for.
const longestRetryAfter = time.Hour

// RetryAfter reads a number of seconds, up to an hour; 0: it does not say.
func RetryAfter(header string) time.Duration {
	n, err := strconv.Atoi(strings.TrimSpace(header))
	if err != nil || n <= 0 {
		return 0
	}
	return min(time.Duration(min(n, int(longestRetryAfter/time.Second)))*time.Second, longestRetryAfter)
}
