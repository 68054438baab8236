package llm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"time"
)

// Config is what a Client needs. Only Models has no default.
type Config struct {
	Models     map[string]Model
	Voice      *Voice        // nil: nothing that is said is written down
	HTTPClient *http.Client  // must not have a timeout: answers stream. Default: one of its own
	Logger     *slog.Logger  // default: nothing is logged
	FirstToken time.Duration // from the request to the first event of the answer; default 60 s
	Idle       time.Duration // between two events; default 60 s
}

// A Client calls the configured models. It is safe for concurrent use.
type Client struct {
	models     map[string]*model
	log        *slog.Logger
	firstToken time.Duration
	idle       time.Duration

	voice   *provider // nil: there is none
	spoken  string    // the language of what is said
	hearFor time.Duration

	voicePrice VoicePrice
}

type model struct {
	Model
	providers []*provider
}

// New checks cfg and returns a client of its models. Nothing is called yet.
func New(cfg Config) (*Client, error) {
	c := &Client{
		models:     map[string]*model{},
		log:        cfg.Logger,
		firstToken: cfg.FirstToken,
		idle:       cfg.Idle,
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if c.firstToken <= 0 {
		c.firstToken = time.Minute
	}
	if c.idle <= 0 {
		c.idle = time.Minute
	}
	if len(cfg.Models) == 0 {
		return nil, errors.New("llm: no models")
	}
	client := cfg.HTTPClient
	if client == nil {
		client = defaultHTTPClient()
	}
	gates := map[[2]string]gate{}
	// Sorted, so that "the first entry counts" means the same at each start.
	for _, name := range slices.Sorted(maps.Keys(cfg.Models)) {
		m := &model{Model: cfg.Models[name]}
		if len(m.Providers) == 0 {
			return nil, fmt.Errorf("llm: model %q: no provider", name)
		}
		for _, p := range m.Providers {
			p, err := p.withDefaults()
			if err != nil {
				return nil, fmt.Errorf("llm: model %q: %w", name, err)
			}
			m.providers = append(m.providers, m.provider(p, client, gates))
		}
		c.models[name] = m
	}
	return c, c.listen(cfg.Voice, client, gates)
}

// listen sets up what writes down speech.
func (c *Client) listen(v *Voice, client *http.Client, gates map[[2]string]gate) error {
	if v == nil {
		return nil
	}
	p, err := v.withDefaults()
	if err != nil {
		return fmt.Errorf("llm: voice: %w", err)
	}
	c.voice, c.spoken, c.hearFor = (&model{}).provider(p, client, gates), v.Language, v.Timeout
	c.voicePrice = v.Cost
	if c.hearFor <= 0 {
		c.hearFor = time.Minute
	}
	return nil
}

func (m *model) provider(p Provider, client *http.Client, gates map[[2]string]gate) *provider {
	out := &provider{Provider: p, price: m.Price, client: client}
	if p.Price != nil {
		out.price = *p.Price
	}
	if p.Handler != nil {
		out.client = InProcess(p.Handler)
		out.gate = newGate(p.Concurrency)
		return out
	}
	server := [2]string{p.BaseURL, p.APIKey}
	g, ok := gates[server]
	if !ok {
		g = newGate(p.Concurrency)
		gates[server] = g
	}
	out.gate = g
	return out
}

// defaultHTTPClient has no timeout over all: an answer may stream for minutes.
func defaultHTTPClient() *http.Client {
	return &http.Client{Transport: &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
		MaxIdleConnsPerHost:   DefaultConcurrency,
		IdleConnTimeout:       90 * time.Second,
	}}
}

// Model returns the configuration of a model, by its key.
func (c *Client) Model(key string) (Model, bool) {
	m, ok := c.models[key]
	if !ok {
		return Model{}, false
	}
	return m.Model, true
}

// Complete makes one model call and tells deltas, which may be nil, as they
// come, in the caller's goroutine.
//
// When a provider fails in a way that another one may not, the next is tried,
// after Delta{Reset: true} if something had been streamed. When all fail, the
// error is the last one that is worth another attempt, if any is, with the
// shortest time to wait. A provider that asked for time (Retry-After) is not
// called before; one that just failed is called after the others.
//
// Errors are *[Error], except that the end of ctx is its cause, wrapped. What
// was streamed before an error is void.
func (c *Client) Complete(ctx context.Context, r Request, deltas func(Delta)) (Response, error) {
	m, ok := c.models[r.Model]
	if !ok {
		return Response{}, &Error{Kind: Refused, Message: fmt.Sprintf("no model %q is configured", r.Model)}
	}
	var failures []*Error
	streamed := false
	tell := func(d Delta) {
		streamed = !d.Reset
		if deltas != nil {
			deltas(d)
		}
	}
	for _, p := range m.inOrder(time.Now()) {
		leave, err := p.gate.enter(ctx)
		if err != nil {
			return Response{}, fmt.Errorf("model call: %w", err)
		}
		if wait := p.closedFor(time.Now()); wait > 0 {
			leave()
			failures = append(failures, &Error{
				Kind: RateLimited, Provider: p.Name, RetryAfter: wait,
				Message: "it asked for no calls before " + time.Now().Add(wait).UTC().Format("15:04:05 UTC"),
			})
			continue
		}
		if streamed {
			tell(Delta{Reset: true})
		}
		response, err := c.call(ctx, p, m.MaxOutput, r, tell)
		leave()
		if err == nil {
			p.succeeded()
			return response, nil
		}
		var e *Error
		if !errors.As(err, &e) {
			return Response{}, err // ctx has ended
		}
		c.log.Warn("model call failed", "model", r.Model, "provider", p.Name, "kind", e.Kind, "status", e.Status, "retry_after", e.RetryAfter)
		if !e.elsewhere() {
			return Response{}, e
		}
		p.failed(e, time.Now())
		failures = append(failures, e)
	}
	return Response{}, worthAnother(failures)
}

// inOrder is the configured order, with those that just failed at the end.
func (m *model) inOrder(now time.Time) []*provider {
	var good, avoided []*provider
	for _, p := range m.providers {
		if p.avoided(now) {
			avoided = append(avoided, p)
		} else {
			good = append(good, p)
		}
	}
	return append(good, avoided...)
}

// worthAnother picks the error to return: a key that one provider refuses must
// not make a call permanent that another one only could not take just now.
func worthAnother(failures []*Error) *Error {
	last := *failures[len(failures)-1]
	var retryable *Error
	for _, e := range failures {
		if !e.Retryable() {
			continue
		}
		if retryable == nil {
			first := *e
			retryable = &first
			continue
		}
		shortest := min(retryable.RetryAfter, e.RetryAfter)
		*retryable = *e
		retryable.RetryAfter = shortest
	}
	if retryable != nil {
		return retryable
	}
	return &last
}
