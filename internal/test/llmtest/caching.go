package llmtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"io"
	"net/http"
	"sync"

	"errand/internal/core"
	"errand/internal/llm/scripted"
	"errand/internal/test/sim/models"
)

// How providers cache prompts, by OpenAI's words
// (https://platform.openai.com/docs/guides/prompt-caching): prefixes of at least 1,024
// tokens, in blocks of 128, first the tools and then the messages.
const (
	cacheBlock = 128 // tokens
	cacheLeast = 1024
	tokenBytes = 4
)

// A CachingProvider speaks chat completions and keeps the prefixes of prompts as real
// providers do: it tells with each answer how much of the prompt it knew. It is safe for
// concurrent use.
type CachingProvider struct {
	// Answer says what is answered; Text and Calls count. Default: "ok".
	Answer func(CachedCall) Reply

	mu    sync.Mutex
	seen  map[[sha256.Size]byte]bool
	calls []CachedCall
}

// A CachedCall is one request, and what the provider knew of it.
type CachedCall struct {
	Key           string // prompt_cache_key
	Tools         json.RawMessage
	Messages      []json.RawMessage
	Body          json.RawMessage
	Input, Cached int // tokens
}

// Calls are the requests so far.
func (c *CachingProvider) Calls() []CachedCall {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]CachedCall(nil), c.calls...)
}

// Prefix is the prompt as far as it has to stay: all but errand's note at the end, byte by byte.
func (c CachedCall) Prefix() []byte {
	return bytes.Join(append([][]byte{c.Tools}, rawBytes(c.Messages[:max(len(c.Messages)-1, 0)])...), []byte("\n"))
}

func rawBytes(list []json.RawMessage) [][]byte {
	out := make([][]byte, len(list))
	for i, raw := range list {
		out[i] = raw
	}
	return out
}

// take notes a prompt and counts what of it was known.
func (c *CachingProvider) take(call *CachedCall) {
	prompt := bytes.Join(append([][]byte{call.Tools}, rawBytes(call.Messages)...), []byte("\n"))
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil {
		c.seen = map[[sha256.Size]byte]bool{}
	}
	call.Input = (len(prompt) + tokenBytes - 1) / tokenBytes
	// Requests of another key go to another machine, whose cache is its own.
	chain := sha256.Sum256([]byte(call.Key))
	known := true
	for tokens := cacheBlock; tokens <= call.Input; tokens += cacheBlock {
		end := min(tokens*tokenBytes, len(prompt))
		block := prompt[(tokens-cacheBlock)*tokenBytes : end]
		chain = sha256.Sum256(append(chain[:], block...))
		if known = known && c.seen[chain]; known && tokens >= cacheLeast {
			call.Cached = tokens
		}
		c.seen[chain] = true
	}
	c.calls = append(c.calls, *call)
}

// ServeHTTP answers one request.
func (c *CachingProvider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var in struct {
		Key      string            `json:"prompt_cache_key"`
		Tools    json.RawMessage   `json:"tools"`
		Messages []json.RawMessage `json:"messages"`
	}
	if err != nil || json.Unmarshal(body, &in) != nil || len(in.Messages) == 0 {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	call := CachedCall{Key: in.Key, Tools: in.Tools, Messages: in.Messages, Body: body}
	c.take(&call)
	reply := Text("ok")
	if c.Answer != nil {
		reply = c.Answer(call)
	}
	if reply.Err != nil {
		Status(http.StatusBadRequest, "context_length_exceeded", reply.Err.Error())(w, r)
		return
	}
	reply.Usage = core.Usage{InputTokens: call.Input, OutputTokens: 10, CachedTokens: call.Cached}
	r.Body = io.NopCloser(bytes.NewReader(body))
	models.Serve(scripted.Func(func(context.Context, *scripted.Turn) Reply { return reply })).ServeHTTP(w, r)
}
