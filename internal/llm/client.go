package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"time"

	"errand/internal/core"
	"errand/internal/limit"
)

// Config configures a Client. It needs Models, Transcription, or both.
type Config struct {
	Models        map[string]Model
	Transcription *TranscriptionModel // nil: recordings are not transcribed
	// Must not have a timeout, because answers stream; default: a client of its own.
	HTTPClient *http.Client
	Logger     *slog.Logger  // default: nothing is logged
	FirstToken time.Duration // for providers that set none; default: see [Provider]
	Idle       time.Duration // likewise
	// OnCall, if set, is called after each call of a provider, possibly from many goroutines.
	OnCall func(Call)
	// Pause, if set, is called when a provider asks for a pause, so that the other workers of
	// the installation learn of it; see [Client.Share]. It must not block.
	Pause func(provider string, wait time.Duration)
}

// A Call is one call of one provider.
type Call struct {
	Model    string        // its key in the configuration
	Provider string        // its name in the configuration
	Outcome  string        // answered, canceled, or the Kind of the error
	Took     time.Duration // without the wait for a slot
	Usage    core.Usage    // of an answer
}

// A Client calls the configured models. It is safe for concurrent use.
type Client struct {
	models     map[string]*model
	log        *slog.Logger
	onCall     func(Call)
	firstToken time.Duration
	idle       time.Duration
	pause      func(provider string, wait time.Duration)
	servers    map[[2]string]*server // by address and key
	tools      encodedTools

	transcription     *provider // nil: no transcription
	spokenLanguage    string    // of recordings
	transcribeTimeout time.Duration

	transcriptionPrice TranscriptionPrice
}

type model struct {
	Model
	providers []*provider
}

// New checks cfg and returns a client. It calls no provider.
func New(cfg Config) (*Client, error) {
	c := &Client{
		models:     map[string]*model{},
		log:        cfg.Logger,
		onCall:     cfg.OnCall,
		firstToken: cfg.FirstToken,
		idle:       cfg.Idle,
		pause:      cfg.Pause,
		servers:    map[[2]string]*server{},
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if c.onCall == nil {
		c.onCall = func(Call) {}
	}
	if len(cfg.Models) == 0 && cfg.Transcription == nil {
		return nil, errors.New("llm: no models")
	}
	client := cfg.HTTPClient
	if client == nil {
		client = defaultHTTPClient()
	}
	// Sorted, so that the same entry counts as the first at each start.
	for _, name := range slices.Sorted(maps.Keys(cfg.Models)) {
		m := &model{Model: cfg.Models[name]}
		if len(m.Providers) == 0 {
			return nil, fmt.Errorf("llm: model %q: no provider", name)
		}
		for i, p := range m.Providers {
			p, err := p.withDefaults()
			if err != nil {
				return nil, fmt.Errorf("llm: model %q: %w", name, err)
			}
			made := c.provider(p, client)
			made.firstToken = cmp.Or(p.FirstToken, c.firstToken, DefaultFirstToken)
			if last := i == len(m.Providers)-1; !last {
				made.firstToken = cmp.Or(p.FirstToken, c.firstToken, FailOverAfter)
			}
			made.idle = cmp.Or(p.Idle, c.idle, DefaultIdle)
			m.providers = append(m.providers, made)
		}
		c.models[name] = m
	}
	return c, c.listen(cfg.Transcription, client)
}

func (c *Client) listen(v *TranscriptionModel, client *http.Client) error {
	if v == nil {
		return nil
	}
	p, err := v.withDefaults()
	if err != nil {
		return fmt.Errorf("llm: voice: %w", err)
	}
	c.transcription, c.spokenLanguage, c.transcribeTimeout = c.provider(p, client), v.Language, v.Timeout
	c.transcriptionPrice = v.Cost
	if c.transcribeTimeout <= 0 {
		c.transcribeTimeout = time.Minute
	}
	return nil
}

func (c *Client) provider(p Provider, client *http.Client) *provider {
	out := &provider{Provider: p, wire: wireOf(p.API), client: cmp.Or(p.HTTPClient, client), tools: &c.tools, shared: sharedName(p), stateFor: stateName(p), pause: c.pause}
	if p.Price != nil {
		out.price = *p.Price
	}
	out.sees.Store(p.hasVision())
	key := [2]string{p.BaseURL, p.APIKey}
	s, ok := c.servers[key]
	if !ok {
		s = &server{semaphore: limit.NewFairSemaphore(DefaultConcurrency)}
		c.servers[key] = s
	}
	s.concurrency = stricter(s.concurrency, p.Concurrency)
	s.semaphore.Resize(cmp.Or(s.concurrency, DefaultConcurrency))
	out.semaphore = s.semaphore
	return out
}

// defaultHTTPClient has no overall timeout, because an answer may stream for minutes.
// Keep-alive detects a dead server within a minute.
func defaultHTTPClient() *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAliveConfig: net.KeepAliveConfig{
		Enable: true, Idle: 15 * time.Second, Interval: 10 * time.Second, Count: 4,
	}}
	return &http.Client{Transport: &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		HTTP2:                 &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
		ForceAttemptHTTP2:     true,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
		MaxIdleConnsPerHost:   DefaultConcurrency,
		IdleConnTimeout:       90 * time.Second,
	}}
}

// Model returns the configuration of the model with this key.
func (c *Client) Model(key string) (Model, bool) {
	m, ok := c.models[key]
	if !ok {
		return Model{}, false
	}
	return m.Model, true
}

// MaxTools returns how many tools a request of the model may have, so that each of its
// providers accepts it.
func (c *Client) MaxTools(name string) int {
	m, ok := c.models[name]
	if !ok {
		return DefaultMaxTools
	}
	most := m.providers[0].maxTools()
	for _, p := range m.providers[1:] {
		most = min(most, p.maxTools())
	}
	return most
}

func (p *provider) maxTools() int { return cmp.Or(p.MaxTools, DefaultMaxTools) }

// Complete makes one model call. It passes deltas, which may be nil, the pieces of the
// answer as they arrive, in the caller's goroutine.
//
// If a provider fails in a way that another may not, Complete tries the next one, after
// Delta{Reset: true} if something was streamed. If all fail, it returns the last retryable
// error, with the shortest time to wait, or else the last error. A provider that asked for a
// pause (Retry-After) is not called during it. One that has just failed is called after the
// others.
//
// Errors are *[Error], except that if ctx ends the error wraps its cause. Discard what was
// streamed before an error. [Lost] returns what the failed calls cost.
func (c *Client) Complete(ctx context.Context, r Request, deltas func(Delta)) (Response, error) {
	m, ok := c.models[r.Model]
	if !ok {
		return Response{}, (&Error{Kind: Refused, Reason: UnknownModel}).about(Hint{Code: "not_configured", About: r.Model})
	}
	var failures []*Error
	var lost Loss
	streamed := false
	publish := func(d Delta) {
		streamed = !d.Reset
		if deltas != nil {
			deltas(d)
		}
	}
	left := r.Resume // the unfinished answer of an earlier attempt
	if keep := r.Keep; keep != nil {
		r.Keep = func(ctx context.Context, p core.PendingResponse) error {
			left = p
			return keep(ctx, p)
		}
	}
	for i, p := range m.inOrder(time.Now(), r.Resume.Provider) {
		release, err := p.acquire(ctx, r)
		if err != nil {
			return Response{}, &interrupted{fmt.Errorf("model call: %w", err), lost}
		}
		if wait := p.closedFor(time.Now()); wait > 0 && p.shared != r.Resume.Provider {
			release()
			e := &Error{Kind: RateLimited, Reason: TooMany, Provider: p.Name, RetryAfter: wait}
			failures = append(failures, e.about(Hint{Code: "not_before", About: time.Now().Add(wait).UTC().Format("15:04:05 UTC")}))
			continue
		}
		if streamed {
			publish(Delta{Reset: true})
		}
		began := time.Now()
		response, err := c.call(ctx, p, m.MaxOutput, r, publish, &lost)
		release()
		c.onCall(Call{r.Model, p.Name, outcome(err), time.Since(began), response.Usage})
		if err == nil {
			p.succeeded()
			response.BrokenOff = lost.Usage
			return response, nil
		}
		var e *Error
		if !errors.As(err, &e) {
			return Response{}, &interrupted{err, lost} // ctx has ended
		}
		if !r.Trial { // its caller reports the error
			c.log.Warn("model call failed", "model", r.Model, "provider", p.Name, "kind", e.Kind, "reason", e.Reason, "status", e.Status, "retry_after", e.RetryAfter)
		}
		if !e.elsewhere() {
			e.Lost = lost
			return Response{}, e
		}
		p.failed(e, time.Now())
		failures = append(failures, e)
		if i < len(m.providers)-1 {
			c.cancelPending(ctx, p, left)
		}
	}
	e := worthAnother(failures)
	e.Lost = lost
	return Response{}, e
}

func (c *Client) cancelPending(ctx context.Context, p *provider, left core.PendingResponse) {
	if left.ID == "" || left.Provider != p.shared {
		return
	}
	if err := p.cancelResponse(context.WithoutCancel(ctx), left.ID); err != nil {
		c.log.Warn("an answer goes on at a provider that nobody waits for", "provider", p.Name, "error", err)
	}
}

func outcome(err error) string {
	var e *Error
	switch {
	case err == nil:
		return "answered"
	case errors.As(err, &e):
		return string(e.Kind)
	}
	return "canceled"
}

// Estimated returns the usage and cost of a call with this many input tokens that has not
// been counted, at the price of the model's first provider.
func (c *Client) Estimated(name string, input int) core.Usage {
	u := core.Usage{Model: name, InputTokens: input} // the caller has applied [Client.Scale]
	if m, ok := c.models[name]; ok {
		p := m.providers[0]
		u.Model, u.Provider, u.Cost = p.Model, p.Name, p.price.Cost(u)
	}
	return u
}

func (m *model) inOrder(now time.Time, begun string) []*provider {
	var good, avoided []*provider
	for _, p := range m.providers {
		if begun != "" && p.shared == begun {
			good = append([]*provider{p}, good...)
		} else if p.avoided(now) {
			avoided = append(avoided, p)
		} else {
			good = append(good, p)
		}
	}
	return append(good, avoided...)
}

// worthAnother returns the error of a call that all providers failed. It prefers a retryable
// one: a refusal by one provider must not make the failure permanent if another was only
// busy.
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
