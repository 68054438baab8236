package llm

import (
	"regexp"
	"slices"
	"strconv"

	openai "github.com/sashabaranov/go-openai"

	"errand"
)

// What a provider says of a request that it would take in another form.
var (
	// What it handed out is not accepted any more: its key belongs to somebody else now, or
	// it is behind a router that has chosen another one.
	staleState = regexp.MustCompile(`(?i)invalid_encrypted_content|(corrupted|invalid) thought.?signature|invalid .?signature.? in .?thinking.? block`)
	// Templates of some open models: https://github.com/vllm-project/vllm/issues/6862
	mustAlternate = regexp.MustCompile(`(?i)roles must alternate`)
	// The model does not see, whatever the configuration says. In this order: OpenAI
	// (https://github.com/browser-use/web-ui/issues/274), DeepSeek
	// (https://github.com/lessweb/deepcode-cli/issues/50), llama.cpp
	// (https://github.com/ggml-org/llama.cpp/issues/13566), OpenRouter
	// (https://github.com/github/app/issues/2163), vLLM
	// (https://github.com/vllm-project/vllm/issues/23402).
	refusesPictures = regexp.MustCompile("(?i)image_url is only supported by certain models|unknown variant .?image_url|" +
		"image input is not supported|no endpoints found that support image input|is not a multimodal model")
)

// takesOtherForm reports whether the provider may take the request in another form than
// the one that it has refused with e, and puts it into that.
func (p *provider) takesOtherForm(e *Error, r *Request) bool {
	switch {
	case staleState.MatchString(e.Message) && slices.ContainsFunc(r.Messages, func(m errand.Message) bool { return m.State != nil }):
		r.Messages = slices.Clone(r.Messages)
		for i := range r.Messages {
			r.Messages[i].State = nil
		}
		return true
	case refusesPictures.MatchString(e.Message) && p.Vision && !p.blind.Load() && slices.ContainsFunc(r.Messages, hasPictures):
		p.blind.Store(true) // also for the calls after this one
		return true
	case mustAlternate.MatchString(e.Message) && !p.alternates.Load():
		p.alternates.Store(true) // also for the calls after this one
		return true
	}
	return false
}

// How providers name the tool that they refuse: "Invalid schema for function 'a__b'" (OpenAI),
// and by its place, "tools.3.custom.input_schema" (Anthropic) or "tools[3].function" (others).
var (
	quotedName = regexp.MustCompile("['\"`]([a-zA-Z0-9_-]{1,64})['\"`]")
	toolPlace  = regexp.MustCompile(`\btools(?:\.|\[)(\d{1,4})\b`)
	aboutTools = regexp.MustCompile(`(?i)schema|\bfunction\b|\btools(\.|\[)\d`)
)

// refusedTool returns the name of the foreign tool whose definition a refusal seems to be about;
// empty: it is about none.
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

// offer gives r other tools. A tool that is not among them does not have to be called.
func (r *Request) offer(list []Tool) {
	r.Tools = list
	if r.MustCall != AnyTool && !slices.ContainsFunc(list, func(t Tool) bool { return t.Name == r.MustCall }) {
		r.MustCall = ""
	}
}

// accepted returns the tools that the provider has not refused.
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

func hasPictures(m errand.Message) bool { return len(m.Pictures) > 0 }

func (p *provider) asked() Provider {
	out := p.Provider
	out.Vision = out.Vision && !p.blind.Load()
	return out
}

// joined is what two messages say, one after the other.
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
