package llm

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"errand/internal/core"
)

// A Model is one configured model: its providers, in order of preference.
type Model struct {
	Providers     []Provider
	MaxOutput     int // tokens of one answer; 0: the provider's default
	ContextTokens int // size of the context window, shown to people; 0: unknown
}

// A Provider is one server of the OpenAI-compatible wire.
type Provider struct {
	Name    string // in logs, errors and usage; default: the host of BaseURL
	BaseURL string // including the version: "https://api.openai.com/v1"
	APIKey  string // may be empty
	// The variable of the key, for error messages; default OPENAI_API_KEY if there is a key.
	APIKeyEnv string
	Model     string // the provider's name of the model
	Price     *Price // nil: unknown, and counted as free

	// API is the wire of the server; empty: [APIAuto].
	API API
	// Background lets the server finish an answer even after the connection breaks, so that an
	// interrupted call is not paid for twice. It needs [APIResponses].
	Background bool

	// Vision says whether the model accepts pictures. Other models get a text in place of each
	// picture. nil: no, until [Client.Try] finds out that it does.
	Vision *bool

	// Accepts lists which of [FieldCacheKey], [FieldEffort] and [FieldVerbosity] the server
	// accepts, in addition to those that errand knows it accepts. Servers refuse a whole request
	// if they do not know a field.
	Accepts []string

	// MaxTools is how many tools the server accepts in one request; 0: [DefaultMaxTools].
	MaxTools int

	// Concurrency limits the calls in flight to this server with this key, over all models. 0 is
	// DefaultConcurrency; negative is no limit. If entries of one server differ, the lowest
	// limit counts.
	Concurrency int

	// FirstToken is how long a call may wait for its answer to begin. A reasoning model, or a
	// busy local one, needs minutes. 0 is [DefaultFirstToken], or [FailOverAfter] if another
	// provider follows.
	FirstToken time.Duration
	// Idle is how long an answer may pause after it has begun; 0 is DefaultIdle.
	Idle time.Duration

	HTTPClient *http.Client // nil: the one in [Config]
}

// An API selects a wire.
type API string

// The wires.
const (
	APIAuto      API = "auto"      // responses for api.openai.com, chat for all others
	APIChat      API = "chat"      // POST /chat/completions
	APIResponses API = "responses" // POST /responses
)

// The defaults of a [Provider].
const (
	DefaultConcurrency = 64 // calls in flight
	// DefaultMaxTools is the limit of OpenAI, Azure, Groq and Mistral, which refuse a request
	// with more.
	DefaultMaxTools   = 128
	DefaultFirstToken = 10 * time.Minute
	FailOverAfter     = time.Minute // for the first token, if another provider follows
	DefaultIdle       = time.Minute
)

// A Price is in USD per million tokens. The zero value is free.
type Price struct {
	Input  float64
	Output float64
	// Prices of input that the provider reads from its cache, and of input that it writes there.
	// nil: the price of other input, so that costs are never underestimated.
	Cached *float64
	Write  *float64
	Source PriceSource
}

// A PriceSource is where a price comes from.
type PriceSource string

// The sources.
const (
	PriceUnknown    PriceSource = ""
	PriceConfigured PriceSource = "configured"
	PriceListed     PriceSource = "listed"   // errand's list
	PriceProvider   PriceSource = "provider" // the server's list of models
	PriceOwn        PriceSource = "own"      // free: a server on your own network
)

// Cost returns the cost of a call, in USD.
func (p Price) Cost(u core.Usage) float64 {
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

func (p Provider) hasVision() bool { return p.Vision != nil && *p.Vision }

func (p Provider) withDefaults() (Provider, error) {
	p.BaseURL = strings.TrimRight(strings.TrimSpace(p.BaseURL), "/")
	u, err := url.Parse(p.BaseURL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		// The error omits the address, which may hold a password.
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

// stricter returns the lower limit. 0 is an unset limit; a negative value is no limit.
func stricter(a, b int) int {
	switch {
	case a == 0 || a < 0 && b > 0:
		return b
	case b <= 0:
		return a
	}
	return min(a, b)
}
