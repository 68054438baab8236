package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"
)

// A Refused is an address that errand does not connect to, or an answer that it does
// not read. Another attempt changes nothing.
type Refused struct {
	URL    string // as far as it may be shown: without user and password
	Reason string // what is wrong, and what to do
}

func (e *Refused) Error() string { return e.URL + ": " + e.Reason }

// A Failed is a request that got no answer, or half of one. Another attempt may help.
type Failed struct {
	URL    string
	Reason string
	Err    error
}

func (e *Failed) Error() string { return e.URL + ": " + e.Reason }
func (e *Failed) Unwrap() error { return e.Err }

// A NoSuchHost is a name that nobody has. It may be mistyped, or that of a machine that is
// starting anew: whether another attempt may help, the caller knows.
type NoSuchHost struct {
	URL  string
	Name string
}

func (e *NoSuchHost) Error() string {
	return fmt.Sprintf("%s: there is no host called %q", e.URL, e.Name)
}

// explain turns what net/http says into what a person or a model can act on.
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

// show is an address for people: without user and password, and not endless.
func show(u *url.URL) string {
	c := *u
	c.User, c.Fragment, c.RawFragment = nil, "", ""
	s := c.String()
	if r := []rune(s); len(r) > 300 {
		s = string(r[:300]) + "…"
	}
	return s
}
