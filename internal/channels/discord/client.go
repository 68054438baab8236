package discord

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
)

// A Client makes REST calls as one bot. It is safe for concurrent use.
//
// It follows the rate limits in Discord's answers
// (https://docs.discord.com/developers/topics/rate-limits): if a route has no calls left, the next
// call waits until the limit resets. It fails at once if that is after its context's deadline.
type Client struct {
	token string
	http  http.Client

	mu    sync.Mutex
	until map[string]time.Time // end of pauses by route; "" means all routes
	skew  time.Duration        // how far Discord's clock is ahead of ours
}

const mostRoutes = 10_000

func NewClient(token string, client *http.Client) *Client {
	c := &Client{token: token, until: map[string]time.Time{}}
	if client != nil {
		c.http = *client
	}
	c.http.Timeout = cmp.Or(c.http.Timeout, 30*time.Second)
	return c
}

// Now returns the time of Discord's clock, according to its answers, with a precision of a second.
func (c *Client) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.skew)
}

// An Upload is a request body with a file.
type Upload struct {
	JSON       any
	Name, Type string
	Data       []byte
}

// Call makes one call. body and result may be nil. Its errors are of type [*Error], and contain
// neither the token nor the request body.
func (c *Client) Call(ctx context.Context, method, url string, body, result any) error {
	route := routeOf(method, url)
	if err := c.wait(ctx, route); err != nil {
		return err
	}
	seen := &watch{to: c.http.Transport}
	client := c.http
	client.Transport = seen
	// A new session for each call, because its rate limiter then has nothing to wait for.
	s := &discordgo.Session{Token: "Bot " + c.token, Client: &client, Ratelimiter: discordgo.NewRatelimiter(), LogLevel: -1,
		UserAgent: "DiscordBot (https://github.com/bwmarrin/discordgo, v" + discordgo.VERSION + ")"}
	var raw []byte
	var err error
	if up, ok := body.(Upload); ok {
		client.Timeout = 0 // only the context limits an upload, because a file may be large
		var kind string
		var form []byte
		kind, form, err = discordgo.MultipartBodyWithJSON(up.JSON, []*discordgo.File{{Name: up.Name, ContentType: up.Type, Reader: bytes.NewReader(up.Data)}})
		if err == nil {
			raw, err = s.RequestRaw(method, url, kind, form, route, 0, discordgo.WithContext(ctx))
		}
	} else {
		raw, err = s.RequestWithBucketID(method, url, body, route, discordgo.WithContext(ctx))
	}
	c.note(route, seen)
	if err != nil {
		e := explain(seen, err)
		if e.RetryAfter > 0 {
			c.pause(route, e.RetryAfter, e.Global)
		}
		return e
	}
	if result == nil {
		return nil
	}
	if err := discordgo.Unmarshal(raw, result); err != nil {
		return &Error{Status: seen.status, Text: "the answer cannot be read", Err: errors.New("it is no JSON of that kind")}
	}
	return nil
}

// routeOf returns the key of a rate limit: the method and the path up to the channel.
func routeOf(method, url string) string {
	path, _, _ := strings.Cut(url, "?")
	_, path, _ = strings.Cut(path, "/api/v")
	parts := strings.Split(path, "/")
	return method + " " + strings.Join(parts[min(1, len(parts)):min(4, len(parts))], "/")
}

func (c *Client) wait(ctx context.Context, route string) error {
	for {
		c.mu.Lock()
		until := c.until[route]
		if all := c.until[""]; all.After(until) {
			until = all
		}
		c.mu.Unlock()
		d := time.Until(until)
		if d <= 0 {
			return nil
		}
		if end, ok := ctx.Deadline(); ok && end.Before(until) {
			return &Error{Status: http.StatusTooManyRequests, NotSent: true, RetryAfter: d, Text: "as many calls as Discord permits have been made"}
		}
		timer := time.NewTimer(d)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return &Error{NotSent: true, Text: "given up before it was sent", Err: ctx.Err()}
		}
	}
}

func (c *Client) note(route string, seen *watch) {
	if seen.header == nil {
		return
	}
	if date, err := http.ParseTime(seen.header.Get("Date")); err == nil {
		c.mu.Lock()
		c.skew = time.Until(date) + time.Second/2
		c.mu.Unlock()
	}
	if after := seconds(seen.header.Get("X-RateLimit-Reset-After")); after > 0 && seen.header.Get("X-RateLimit-Remaining") == "0" {
		c.pause(route, after, false)
	}
}

func (c *Client) pause(route string, d time.Duration, all bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if all {
		route = ""
	}
	now := time.Now()
	if len(c.until) >= mostRoutes {
		for r, until := range c.until {
			if until.Before(now) {
				delete(c.until, r)
			}
		}
	}
	if until := now.Add(d); until.After(c.until[route]) {
		c.until[route] = until
	}
}
