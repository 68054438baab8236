package llm

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"errand/internal/core"
)

const listTimeout = 10 * time.Second

// A Trial is what a trial of a model has found out.
type Trial struct {
	Models []string // what the server offers; empty: it does not say
	Tools  bool     // the model called the tool that it was asked to call
	Looked bool     // it is known now whether the model sees pictures
	Usage  []core.Usage
	Took   time.Duration // until the first answer was complete

	// From the server's list of models; zero: it does not say.
	ContextTokens int
	Price         Price
}

// yellow is a picture of one pixel.
const yellow = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4/58BAAT/Af9dfQKHAAAAAElFTkSuQmCC"

// readyTool asks for the color, because some servers accept pictures and drop them.
var readyTool = Tool{Name: "ready", Description: "Say that you are ready.",
	Parameters: json.RawMessage(`{"type":"object","properties":{"color":{"type":"string","description":"color of the picture, in English; none if you see no picture"}},"required":["color"]}`)}

// Try asks the model's providers for their lists of models, as [Client.List] does. Then it takes
// two steps with the model, as a turn does: a tool call about a picture, and the answer to its
// result, which many servers refuse. Afterwards [Client.Sees] knows whether a provider whose
// Vision is unknown sees pictures. The Trial has the usage even if Try returns an error.
func (c *Client) Try(ctx context.Context, name string) (Trial, error) {
	t, err := c.List(ctx, name)
	if err != nil {
		return t, err
	}
	picture, _ := base64.StdEncoding.DecodeString(yellow) // a constant
	r := Request{
		Model: name, Background: true, Trial: true, Tools: []Tool{readyTool}, MaxOutput: 2000,
		System: "This is a test of the connection. Call the tool ready once, and then say in one word what it answered.",
		Messages: []core.Message{{Speaker: core.FromPerson, Text: "Are you ready? Then use ready to say so.",
			Pictures: []core.Picture{{Type: "image/png", Width: 1, Height: 1, Data: picture, Instead: "(no picture)"}}}},
	}
	step := func() (Response, error) {
		answer, err := c.Complete(ctx, r, nil)
		if err != nil {
			t.Usage = append(t.Usage, Lost(err).Usage...)
		} else {
			t.Usage = append(append(t.Usage, answer.BrokenOff...), answer.Usage)
		}
		return answer, err
	}
	began := time.Now()
	answer, err := step()
	t.Took = time.Since(began)
	t.Looked = slices.ContainsFunc(c.models[name].providers, func(p *provider) bool { return p.looked.Load() })
	if t.Tools = len(answer.Calls) > 0; err != nil || !t.Tools {
		return t, err
	}
	r.Trial = false
	r.Messages = append(r.Messages, core.Message{Speaker: core.FromAgent, Text: answer.Text, Calls: answer.Calls, State: answer.State})
	for _, call := range answer.Calls {
		r.Messages = append(r.Messages, core.Message{Speaker: core.FromTool, CallID: call.ID, Text: "fine"})
	}
	_, err = step()
	return t, err
}

// List asks the providers of a model for their lists of models, which costs nothing
// (https://platform.openai.com/docs/api-reference/models/list). It returns the first list. It
// returns an empty Trial if one of them answers inconclusively: some servers have no list, and
// some offer more than they list. Otherwise it returns an *[Error], and the model cannot answer.
func (c *Client) List(ctx context.Context, name string) (Trial, error) {
	m, ok := c.models[name]
	if !ok {
		return Trial{}, (&Error{Kind: Refused, Reason: UnknownModel}).about(Hint{Code: "not_configured", About: name})
	}
	var failures []*Error
	for _, p := range m.providers {
		t, err := c.listAt(ctx, p)
		var e *Error
		if !errors.As(err, &e) {
			return t, err
		}
		failures = append(failures, e)
	}
	return Trial{}, worthAnother(failures)
}

func (c *Client) listAt(parent context.Context, p *provider) (t Trial, err error) {
	ctx, cancel := context.WithTimeout(parent, listTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.BaseURL+"/models", nil)
	if err != nil {
		return t, (&Error{Kind: Refused, Reason: NoProvider, Provider: p.Name}).about(Hint{Code: "base_url"})
	}
	if p.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+p.APIKey)
	}
	if HostOf(p.BaseURL) == "api.anthropic.com" { // https://docs.claude.com/en/api/models-list
		req.Header.Del("Authorization")
		req.Header.Set("X-Api-Key", p.APIKey)
		req.Header.Set("Anthropic-Version", "2023-06-01")
	}
	x := &exchange{client: p.client, whole: true}
	resp, err := x.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return t, context.Cause(parent) // a busy server proves nothing
		}
		return t, c.classify(p, Request{}, x, err)
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusUnauthorized,
		resp.StatusCode >= http.StatusInternalServerError && resp.StatusCode != http.StatusNotImplemented:
		return t, c.classify(p, Request{}, x, nil)
	case resp.StatusCode != http.StatusOK:
		return t, nil
	}
	var list struct{ Data []listedModel }
	_ = json.NewDecoder(resp.Body).Decode(&list) // what cannot be read is left out
	for _, m := range list.Data {
		id := strings.TrimPrefix(m.ID, "models/") // Gemini
		t.Models = append(t.Models, id)
		if id == strings.TrimPrefix(p.Model, "models/") {
			t.ContextTokens, t.Price = m.contextTokens(), m.price()
		}
	}
	return t, nil
}

// A listedModel is one of a server's list, with what servers add to OpenAI's fields.
type listedModel struct {
	ID         string
	Context    int                       `json:"context_length"`     // OpenRouter, Together
	Window     int                       `json:"context_window"`     // Groq
	MaxLength  int                       `json:"max_model_len"`      // vLLM
	MaxContext int                       `json:"max_context_length"` // Mistral, LM Studio
	Meta       struct{ N_ctx_train int } // llama.cpp
	Pricing    struct {                  // OpenRouter: USD per token
		Prompt, Completion string
		Cached             string `json:"input_cache_read"`
	}
}

func (m listedModel) contextTokens() int {
	return cmp.Or(m.Context, m.Window, m.MaxLength, m.MaxContext, m.Meta.N_ctx_train)
}

func (m listedModel) price() Price {
	million := func(s string) (float64, bool) {
		f, err := strconv.ParseFloat(s, 64)
		return math.Round(f*1e12) / 1e6, err == nil && f >= 0 && f < 1 // a router that chooses the model says -1
	}
	input, ok := million(m.Pricing.Prompt)
	output, also := million(m.Pricing.Completion)
	if !ok || !also {
		return Price{}
	}
	p := Price{Input: input, Output: output, Source: PriceProvider}
	if cached, ok := million(m.Pricing.Cached); ok {
		p.Cached = &cached
	}
	return p
}

// Vision returns whether each provider of the model sees pictures, as far as is known.
func (c *Client) Vision(name string) (list []bool) {
	if m, ok := c.models[name]; ok {
		for _, p := range m.providers {
			list = append(list, p.sees.Load())
		}
	}
	return list
}

// LearnVision takes over what [Client.Vision] of another worker returned. It changes nothing that
// is configured.
func (c *Client) LearnVision(name string, sees []bool) {
	m, ok := c.models[name]
	for i := 0; ok && i < min(len(sees), len(m.providers)); i++ {
		if p := m.providers[i]; p.Vision == nil {
			p.sees.Store(sees[i])
		}
	}
}

// Sees reports whether at least one provider of the model is known to see pictures.
func (c *Client) Sees(name string) bool { return slices.Contains(c.Vision(name), true) }

// triesVision reports whether r finds out whether the provider's model sees pictures.
func (p *provider) triesVision(r Request) bool { return r.Trial && p.Vision == nil }

func (p *provider) learnVision(out Response) {
	for _, call := range out.Calls {
		out.Text += call.Arguments
	}
	p.looked.Store(true)
	p.sees.Store(strings.Contains(strings.ToLower(out.Text), "yellow"))
}

// HostOf returns the host of an address without its port; empty: it is not an address.
func HostOf(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
