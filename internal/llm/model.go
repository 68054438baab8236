package llm

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"errand"
)

// A Model is what a request names: one or more providers that can answer for
// it, in order of preference.
type Model struct {
	Providers     []Provider
	Price         Price // of providers without one of their own
	MaxOutput     int   // tokens of one answer; 0: the provider's default
	ContextTokens int   // size of the context window; 0: unknown. For callers that compact
}

// Sees reports whether one of the providers sees pictures.
func (m Model) Sees() bool {
	return slices.ContainsFunc(m.Providers, func(p Provider) bool { return p.Vision })
}

// A Provider is one server of the OpenAI-compatible wire.
type Provider struct {
	Name      string // in logs, errors and usage; default: the host of BaseURL
	BaseURL   string // with the version: "https://api.openai.com/v1"
	APIKey    string // may be empty
	APIKeyEnv string // where the key comes from, for error messages; default OPENAI_API_KEY if there is a key
	Model     string // the provider's name of the model
	Price     *Price // nil: the model's

	// API is the wire that the server is spoken to over; empty: [APIAuto].
	API API
	// Background has the server keep an answer and go on with it whoever listens, so that
	// a call that was cut off is not paid twice. It needs [APIResponses].
	Background bool

	// Vision says that the model sees pictures. Another is told in words that there are some.
	Vision bool

	// Accepts are which of [FieldCacheKey], [FieldEffort] and [FieldVerbosity] the server takes,
	// besides those that it is known to take.
	// Servers refuse a whole request for a field that they do not know.
	Accepts []string

	// MaxTools is how many tools the server takes with one request; 0 is [DefaultMaxTools].
	MaxTools int

	// Concurrency bounds the calls in flight to this server with this key, over
	// all models. 0 is DefaultConcurrency, negative is no bound. Where entries
	// of one server differ, the least bound counts.
	Concurrency int

	// FirstToken is how long a call may say nothing before its answer begins: a
	// model that reasons, or a local one that is busy, needs minutes. 0 is
	// [DefaultFirstToken], or [FailOverAfter] where another provider follows.
	FirstToken time.Duration
	// Idle is how long an answer that has begun may stand still; 0 is DefaultIdle.
	Idle time.Duration

	// Handler, when set, answers in this process instead of BaseURL.
	Handler http.Handler
}

// An API names a wire.
type API string

// The wires.
const (
	APIAuto      API = "auto"      // responses for api.openai.com, chat for everybody else
	APIChat      API = "chat"      // POST /chat/completions
	APIResponses API = "responses" // POST /responses
)

// What holds where a [Provider] does not say.
const (
	DefaultConcurrency = 64 // calls in flight
	// DefaultMaxTools is what OpenAI, Azure, Groq and Mistral take. A request with more is refused.
	DefaultMaxTools   = 128
	DefaultFirstToken = 10 * time.Minute
	FailOverAfter     = time.Minute // for the first token of a provider that is not the last
	DefaultIdle       = time.Minute
)

// A Price is in USD per million tokens. The zero value is free.
type Price struct {
	Input  float64
	Output float64
	// Of input that the provider had in its cache, and of input that it put there; nil:
	// as of other input, so that nothing is taken for cheaper than it may be.
	Cached *float64
	Write  *float64
}

// Cost returns what a call costs, in USD.
func (p Price) Cost(u errand.Usage) float64 {
	cached := min(max(u.CachedTokens, 0), u.InputTokens)
	written := min(max(u.WrittenTokens, 0), u.InputTokens-cached)
	sum := float64(u.InputTokens-cached-written)*p.Input + float64(u.OutputTokens)*p.Output
	return (sum + float64(cached)*p.orInput(p.Cached) + float64(written)*p.orInput(p.Write)) / 1e6
}

func (p Price) orInput(price *float64) float64 {
	if price == nil {
		return p.Input
	}
	return *price
}

// withDefaults fills in what may be left out and refuses what cannot work.
func (p Provider) withDefaults() (Provider, error) {
	if p.Handler != nil && p.BaseURL == "" {
		p.BaseURL = "http://in-process.invalid/v1"
	}
	p.BaseURL = strings.TrimRight(strings.TrimSpace(p.BaseURL), "/")
	u, err := url.Parse(p.BaseURL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		// The address is not repeated: it may hold a password.
		return p, fmt.Errorf("provider %q: base URL is not an http(s) address", p.Name)
	}
	if p.Name == "" {
		p.Name = u.Host
	}
	switch p.API {
	case APIChat, APIResponses:
	case "", APIAuto:
		p.API = APIChat
		if u.Hostname() == "api.openai.com" {
			p.API = APIResponses
		}
	default:
		return p, fmt.Errorf("provider %q: api %q is none of auto, chat and responses", p.Name, p.API)
	}
	if p.Model == "" {
		return p, fmt.Errorf("provider %q: no model name", p.Name)
	}
	if p.Background && p.API != APIResponses {
		return p, fmt.Errorf("provider %q: background needs the wire %q", p.Name, APIResponses)
	}
	if strings.ContainsAny(p.APIKey, "\r\n\x00") {
		return p, fmt.Errorf("provider %q: the key has a line break in it", p.Name)
	}
	if p.APIKeyEnv == "" && p.APIKey != "" {
		p.APIKeyEnv = "OPENAI_API_KEY"
	}
	return p, nil
}

// stricter is the lesser of two bounds of which either may be 0, not set, or
// negative, none.
func stricter(a, b int) int {
	switch {
	case a == 0 || a < 0 && b > 0:
		return b
	case b <= 0:
		return a
	}
	return min(a, b)
}
