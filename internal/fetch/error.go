package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"
)

// A Refused error means that errand does not connect to the address, or does not read the
// answer. A retry does not help.
type Refused struct {
	URL    string // without user and password
	Reason string // what is wrong, and what to do
}

func (e *Refused) Error() string { return e.URL + ": " + e.Reason }

// A Failed error means that a request got no answer or an incomplete one. A retry may help.
type Failed struct {
	URL    string
	Reason string
	Err    error
}

func (e *Failed) Error() string { return e.URL + ": " + e.Reason }
func (e *Failed) Unwrap() error { return e.Err }

// A NoSuchHost error means that the name does not exist. It may be mistyped, or the
// machine may be starting. The caller has to know whether a retry may help.
type NoSuchHost struct {
	URL  string
	Name string
}

func (e *NoSuchHost) Error() string {
	return fmt.Sprintf("%s: there is no host called %q", e.URL, e.Name)
}

func explain(u *url.URL, took time.Duration, err error) error {
	var refused *Refused
	if errors.As(err, &refused) {
		return refused
	}
	at := show(u)
	var lookup *net.DNSError
	var timeout net.Error
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &lookup) && lookup.IsNotFound:
		return &NoSuchHost{at, lookup.Name}
	case errors.As(err, &lookup):
		return &Failed{at, fmt.Sprintf("the name %q could not be resolved just now", lookup.Name), err}
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return &Failed{at, fmt.Sprintf("no complete answer within %s", took), err}
	}
	var outer *url.Error // "Get "https://…": what happened"
	if errors.As(err, &outer) {
		err = outer.Err
	}
	return &Failed{at, err.Error(), err}
}

// show returns u without user and password, shortened.
func show(u *url.URL) string {
	c := *u
	c.User, c.Fragment, c.RawFragment = nil, "", ""
	s := c.String()
	if r := []rune(s); len(r) > 300 {
		s = string(r[:300]) + "…"
	}
	return s
}
