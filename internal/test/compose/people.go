package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/cookiejar"
	"time"
)

// people lets in so many people, each from an address of their own, as the log-in page
// does: they ask, and the owner approves.
func (s *stack) people(ctx context.Context, n int) ([]*person, error) {
	owner, err := s.owner()
	if err != nil {
		return nil, err
	}
	var list []*person
	for i := range n {
		jar, err := cookiejar.New(nil)
		if err != nil {
			return nil, err
		}
		from := &net.TCPAddr{IP: net.ParseIP(fmt.Sprintf("127.99.%d.%d", i/200, 1+i%200))}
		p := &person{base: owner.base, client: &http.Client{Jar: jar, Transport: &http.Transport{
			DialContext: (&net.Dialer{LocalAddr: from, Timeout: 10 * time.Second}).DialContext, MaxIdleConnsPerHost: 8,
		}}}
		var asked struct{ Code string }
		if err := p.call(ctx, "POST", "/login/ask", map[string]string{"name": fmt.Sprintf("Person %d", i+1)}, &asked); err != nil {
			return nil, fmt.Errorf("ask to be let in: %w", err)
		}
		if err := owner.call(ctx, "POST", "/api/pairings/"+asked.Code+"/approve", map[string]string{}, nil); err != nil {
			return nil, fmt.Errorf("let somebody in: %w", err)
		}
		if err := p.call(ctx, "GET", "/login/state", nil, nil); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}
