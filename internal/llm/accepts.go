package llm

import (
	"slices"
	"strings"
)

// The optional request fields. [Provider.Accepts] lists those that a provider understands.
const (
	FieldCacheKey  = "cache_key"
	FieldEffort    = "effort"
	FieldVerbosity = "verbosity"
)

type fields struct{ cacheKey, effort, verbosity string }

func fieldsFor(r Request, p Provider) fields {
	var h fields
	for name, set := range map[string]func(){
		FieldCacheKey:  func() { h.cacheKey = r.CacheKey },
		FieldEffort:    func() { h.effort = r.Effort },
		FieldVerbosity: func() { h.verbosity = r.Verbosity },
	} {
		if slices.Contains(p.Accepts, name) || known(p, name) {
			set()
		}
	}
	return h
}

// known reports whether the server of p is known to accept field. Some servers, such as
// Mistral (422) and Groq (400), refuse a request with a field that they do not know.
func known(p Provider, field string) bool {
	host := HostOf(p.BaseURL)
	model := strings.ToLower(p.Model[strings.LastIndex(p.Model, "/")+1:]) // "openai/gpt-5-mini"
	named := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(model, prefix) })
	}
	openAI := host == "api.openai.com" || strings.HasSuffix(host, ".openai.azure.com")
	chatty := strings.Contains(model, "chat") // gpt-5-chat-latest does not reason
	switch field {
	case FieldCacheKey:
		// https://platform.openai.com/docs/guides/prompt-caching
		// https://platform.moonshot.ai/docs/api/chat
		return openAI || host == "api.moonshot.ai" || host == "api.moonshot.cn"
	case FieldEffort:
		switch {
		case openAI:
			return named("o1", "o3", "o4", "gpt-5", "gpt-6") && !chatty
		case host == "openrouter.ai", host == "generativelanguage.googleapis.com":
			// https://openrouter.ai/docs/use-cases/reasoning-tokens
			// https://ai.google.dev/gemini-api/docs/openai
			return true
		}
		return named("gpt-oss") // Ollama, vLLM, llama.cpp and Groq
	case FieldVerbosity:
		return openAI && named("gpt-5", "gpt-6") && !chatty || host == "openrouter.ai"
	}
	return false
}
