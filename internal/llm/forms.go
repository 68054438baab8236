package llm

import (
	"regexp"
	"slices"
	"strconv"

	openai "github.com/sashabaranov/go-openai"

	"errand/internal/core"
)

var (
	// These errors occur if the key has changed, or if a router has chosen another provider.
	staleState = regexp.MustCompile(`(?i)invalid_encrypted_content|(corrupted|invalid) thought.?signature|invalid .?signature.? in .?thinking.? block`)
	// Some open models have chat templates that require this:
	// https://github.com/vllm-project/vllm/issues/6862
	mustAlternate = regexp.MustCompile(`(?i)roles must alternate`)
	// In this order: OpenAI (https://github.com/browser-use/web-ui/issues/274), DeepSeek
	// (https://github.com/lessweb/deepcode-cli/issues/50), llama.cpp
	// (https://github.com/ggml-org/llama.cpp/issues/13566), OpenRouter
	// (https://github.com/github/app/issues/2163), vLLM
	// (https://github.com/vllm-project/vllm/issues/23402).
	refusesPictures = regexp.MustCompile("(?i)image_url is only supported by certain models|unknown variant .?image_url|" +
		"image input is not supported|no endpoints found that support image input|is not a multimodal model")
)

func (p *provider) takesOtherForm(e *Error, r *Request) bool {
	switch {
	case staleState.MatchString(e.Message) && slices.ContainsFunc(r.Messages, func(m core.Message) bool { return m.State != nil }):
		r.Messages = slices.Clone(r.Messages)
		for i := range r.Messages {
			r.Messages[i].State = nil
		}
		return true
	case mustAlternate.MatchString(e.Message) && !p.alternates.Load():
		p.alternates.Store(true) // later calls alternate roles too
		return true
	case p.triesVision(*r) && (e.Why() == Rejected || e.Why() == Unavailable || refusesPictures.MatchString(e.Message)):
		r.Trial = false // the next attempt sends no picture
		if e.Why() != Unavailable {
			p.looked.Store(true)
			p.sees.Store(false)
		}
		return true
	case refusesPictures.MatchString(e.Message) && p.sees.Load() && slices.ContainsFunc(r.Messages, hasPictures):
		p.sees.Store(false) // later calls send no pictures either
		return true
	}
	return false
}

// How providers name the tool that they refuse: by name, "Invalid schema for function
// 'a__b'" (OpenAI), or by position, "tools.3.custom.input_schema" (Anthropic),
// "tools[3].function" (others).
var (
	quotedName = regexp.MustCompile("['\"`]([a-zA-Z0-9_-]{1,64})['\"`]")
	toolPlace  = regexp.MustCompile(`\btools(?:\.|\[)(\d{1,4})\b`)
	aboutTools = regexp.MustCompile(`(?i)schema|\bfunction\b|\btools(\.|\[)\d`)
)

func refusedTool(message string, r Request) string {
	if !aboutTools.MatchString(message) {
		return ""
	}
	for _, found := range quotedName.FindAllStringSubmatch(message, -1) {
		for _, t := range r.Tools {
			if t.Foreign && t.Name == found[1] {
				return t.Name
			}
		}
	}
	if found := toolPlace.FindStringSubmatch(message); found != nil {
		if i, err := strconv.Atoi(found[1]); err == nil && i < len(r.Tools) && r.Tools[i].Foreign {
			return r.Tools[i].Name
		}
	}
	return ""
}

func (r *Request) leaveOut(name string) Tool {
	i := slices.IndexFunc(r.Tools, func(t Tool) bool { return t.Name == name })
	out := r.Tools[i]
	r.offer(slices.Delete(slices.Clone(r.Tools), i, i+1))
	return out
}

func (r *Request) offer(list []Tool) {
	r.Tools = list
	if r.MustCall != AnyTool && !slices.ContainsFunc(list, func(t Tool) bool { return t.Name == r.MustCall }) {
		r.MustCall = ""
	}
}

func (p *provider) accepted(list []Tool) []Tool {
	isRefused := func(t Tool) bool {
		if !t.Foreign {
			return false
		}
		_, refused := p.refused.Load(t.content())
		return refused
	}
	if !slices.ContainsFunc(list, isRefused) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), isRefused)
}

func hasPictures(m core.Message) bool { return len(m.Pictures) > 0 }

// asked returns the provider with its Vision for r.
func (p *provider) asked(r Request) Provider {
	out, sees := p.Provider, p.sees.Load() || p.triesVision(r)
	out.Vision = &sees
	return out
}

func joined(a, b any) any {
	first, isText := a.(string)
	second, alsoText := b.(string)
	if isText && alsoText {
		return first + "\n\n" + second
	}
	return append(parts(a), parts(b)...)
}

func parts(content any) []openai.ChatMessagePart {
	switch c := content.(type) {
	case string:
		return []openai.ChatMessagePart{{Type: openai.ChatMessagePartTypeText, Text: c}}
	case []openai.ChatMessagePart:
		return slices.Clone(c)
	}
	return nil
}

func alternate(messages []chatMessage) []chatMessage {
	var out []chatMessage
	for _, m := range messages {
		if last := len(out) - 1; last >= 0 && m.Role == "user" && out[last].Role == "user" {
			out[last].Content = joined(out[last].Content, m.Content)
			continue
		}
		out = append(out, m)
	}
	return out
}
