package llm

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// A Model is what a request names: one or more providers that can answer for
// it, in order of preference.
type Model struct {
	Providers     []Provider
	Price         Price // of providers without one of their own
	MaxOutput     int   // tokens of one answer; 0: the provider's default
	ContextTokens int   // size of the context window; 0: unknown. For callers that compact
}

// A Provider is one server of the OpenAI-compatible wire.
type Provider struct {
	Name      string // in logs, errors and usage; default: the host of BaseURL
	BaseURL   string // with the version: "https://api.openai.com/v1"
	APIKey    string // may be empty
	APIKeyEnv string // where the key comes from, for error messages; default OPENAI_API_KEY if there is a key
	Model     string // the provider's name of the model
	Price     *Price // nil: the model's

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

// What holds where a [Provider] does not say.
const (
	DefaultConcurrency = 64 // calls in flight
	DefaultFirstToken  = 10 * time.Minute
	FailOverAfter      = time.Minute // for the first token of a provider that is not the last
	DefaultIdle        = time.Minute
)

// A Price is in USD per million tokens. The zero value is free.
type Price struct {
	Input  float64 `json:"input" yaml:"input"`
	Output float64 `json:"output" yaml:"output"`
}

// Cost returns what a call costs, in USD.
func (p Price) Cost(input, output int) float64 {
	return (float64(input)*p.Input + float64(output)*p.Output) / 1e6
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
	if p.Model == "" {
		return p, fmt.Errorf("provider %q: no model name", p.Name)
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
