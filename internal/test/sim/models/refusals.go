package models

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// mayChat is why a chat completion is refused; nil: it is answered.
func (s *Server) mayChat(r *chatRequest) *refusal {
	if why := s.mayTools(r); why != nil {
		return why
	}
	if why := s.wellFormed(r); why != nil {
		return why
	}
	switch s.Kind {
	case DeepSeek:
		return s.wantsReasoning(r)
	case Gemini:
		return s.wantsSignatures(r)
	case OpenRouter:
		return s.wantsDetails(r)
	}
	return nil
}

func (s *Server) mayTools(r *chatRequest) *refusal {
	if len(r.Tools) == 0 {
		return nil
	}
	switch {
	case s.Kind == OpenAI:
		// Whatever effort is set, also none at all: https://github.com/BerriAI/litellm/pull/34569,
		// https://github.com/danny-avila/LibreChat/issues/14355
		return &refusal{status: 400, param: "reasoning_effort", message: fmt.Sprintf("Function tools with reasoning_effort are not supported for %s in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.", r.Model)}
	case !s.Toolless:
		return nil
	case s.Kind == VLLM: // https://github.com/vllm-project/vllm/issues/9986
		return &refusal{status: 400, message: `"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`}
	case s.Kind == LlamaCpp: // https://github.com/defilantech/LLMKube/issues/126
		return &refusal{status: 500, message: "tools param requires --jinja flag"}
	case s.Kind == Ollama: // https://github.com/ollama/ollama/issues/13578
		return &refusal{status: 400, message: "registry.ollama.ai/library/" + r.Model + " does not support tools"}
	case s.Kind == OpenRouter: // https://github.com/evalstate/fast-agent/issues/122
		return &refusal{status: 404, message: "No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs/provider-routing"}
	}
	return nil
}

func (s *Server) wellFormed(r *chatRequest) *refusal {
	open := map[string]bool{}
	last := ""
	for i, m := range r.Messages {
		if m.Role != "tool" && len(open) > 0 {
			if s.Kind == Anthropic { // https://github.com/aliasrobotics/cai/issues/182
				return &refusal{status: 400, message: fmt.Sprintf("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after", i)}
			}
			// https://community.openai.com/t/error-400-messages-with-role-tool-must-be-a-response-to-a-preceeding-message-with-tool-calls/1086236
			return &refusal{status: 400, message: "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."}
		}
		switch {
		case m.Role == "tool":
			delete(open, m.ToolCallID)
		case s.Kind == Anthropic && m.Content.given && len(m.Content.pictures) == 0 && strings.TrimSpace(m.Content.text) == "":
			// https://github.com/vercel/ai/issues/5576
			return &refusal{status: 400, message: "messages: text content blocks must be non-empty"}
		case s.Kind == VLLM && m.Role == "user" && last == "user":
			// Templates of Mistral and Gemma: https://github.com/vllm-project/vllm/issues/6862
			return &refusal{status: 400, message: "After the optional system message, conversation roles must alternate user/assistant/user/assistant/..."}
		}
		for _, c := range m.ToolCalls {
			open[c.ID] = true
		}
		last = m.Role
	}
	if s.Kind != Gemini {
		return nil
	}
	// https://github.com/MinLL/SkyrimNet-GamePlugin/issues/77
	for name := range r.fields {
		switch name {
		case "model", "messages", "stream", "stream_options", "tools", "tool_choice", "max_tokens", "max_completion_tokens", "response_format",
			"temperature", "top_p", "n", "stop", "reasoning_effort", "user":
		default:
			return &refusal{status: 400, message: fmt.Sprintf("Invalid JSON payload received. Unknown name %q: Cannot find field.", name)}
		}
	}
	return nil
}

// wantsReasoning is DeepSeek's: an empty reasoning_content is taken, a missing one is not
// (https://github.com/anomalyco/opencode/issues/24722,
// https://github.com/deepseek-ai/deepseek-harness/discussions/739).
func (s *Server) wantsReasoning(r *chatRequest) *refusal {
	all, some := true, false
	for _, m := range r.Messages {
		if m.Role != "assistant" || len(m.ToolCalls) == 0 {
			continue
		}
		if m.ReasoningContent == nil {
			return &refusal{status: 400, code: "invalid_request_error", message: "The reasoning_content in the thinking mode must be passed back to the API."}
		}
		some, all = true, all && s.isIssued(*m.ReasoningContent)
	}
	s.givenBack(some && all)
	return nil
}

// wantsSignatures is Gemini's: the first call of each step has one
// (https://ai.google.dev/gemini-api/docs/thought-signatures,
// https://github.com/Gitlawb/openclaude/issues/583).
func (s *Server) wantsSignatures(r *chatRequest) *refusal {
	all, some := true, false
	for i, m := range r.Messages {
		if m.Role != "assistant" || len(m.ToolCalls) == 0 {
			continue
		}
		signature := m.ToolCalls[0].Extra.Google.Signature
		switch {
		case signature == "":
			return &refusal{status: 400, message: fmt.Sprintf("Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `%s`, position %d.", m.ToolCalls[0].Function.Name, i)}
		case signature != "skip_thought_signature_validator" && !s.isIssued(signature):
			// https://docs.apiyi.com/en/faq/gemini-thought-signature-missing.md
			return &refusal{status: 400, message: "Corrupted thought signature."}
		}
		some, all = true, all && s.isIssued(signature)
	}
	s.givenBack(some && all)
	return nil
}

// wantsDetails is what OpenRouter passes on to the provider behind it: changed details are
// refused there, missing ones are not
// (https://openrouter.ai/docs/guides/best-practices/reasoning-tokens).
func (s *Server) wantsDetails(r *chatRequest) *refusal {
	all, some := true, false
	for _, m := range r.Messages {
		if m.Role != "assistant" || len(m.ToolCalls) == 0 {
			continue
		}
		some = true
		for _, d := range m.Details {
			if d.Text != "" && !s.isIssued(d.Text) || d.Signature != "" && !s.isIssued(d.Signature) {
				return &refusal{status: 400, message: "Provider returned error: Invalid `signature` in `thinking` block"}
			}
		}
		all = all && len(m.Details) == 1 && m.Details[0].Text != "" && m.Details[0].Signature != ""
	}
	s.givenBack(some && all)
	return nil
}

func (s *Server) givenBack(yes bool) {
	if yes {
		s.count(func(c *Counts) { c.GivenBack++ })
	}
}

// mayRespond is why a request of the Responses API is refused; nil: it is answered.
func (s *Server) mayRespond(r *responsesRequest) *refusal {
	if r.Background && (r.Store == nil || !*r.Store) {
		// https://developers.openai.com/api/docs/guides/background
		return &refusal{status: 400, param: "background", message: "Background mode requires store=true."}
	}
	for _, t := range r.Tools {
		if t.Strict == nil || *t.Strict {
			var schema struct {
				Additional *bool `json:"additionalProperties"`
			}
			if json.Unmarshal(t.Parameters, &schema) != nil || schema.Additional == nil || *schema.Additional {
				// Strict is the default here: https://platform.openai.com/docs/guides/function-calling#strict-mode
				return &refusal{status: 400, code: "invalid_function_parameters", message: fmt.Sprintf("Invalid schema for function '%s': In context=(), 'additionalProperties' is required to be supplied and to be false.", t.Name)}
			}
		}
	}
	all, some := true, false
	open := map[string]bool{}
	for i, item := range r.Input {
		switch item.Type {
		case "function_call":
			open[item.CallID] = true
			some = true
			all = all && i > 0 && r.Input[i-1].Type == "reasoning"
		case "function_call_output":
			delete(open, item.CallID)
		case "reasoning":
			switch {
			case item.ID != "":
				// https://github.com/vercel/ai/issues/7543
				return &refusal{status: http.StatusNotFound, param: "input", message: fmt.Sprintf("Item with id '%s' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.", item.ID)}
			case !s.isIssued(item.Encrypted):
				// https://github.com/Wei-Shaw/sub2api/issues/3138
				return &refusal{status: 400, code: "invalid_encrypted_content", message: "The encrypted content could not be verified. Reason: Encrypted content could not be decrypted or parsed."}
			case i+1 == len(r.Input) || r.Input[i+1].Type != "function_call" && r.Input[i+1].Role != "assistant" && r.Input[i+1].Type != "reasoning":
				// https://github.com/continuedev/continue/issues/8933
				return &refusal{status: 400, param: "input", message: "Item 'rs_1' of type 'reasoning' was provided without its required following item."}
			}
		}
	}
	for id := range open {
		return &refusal{status: 400, param: "input", message: fmt.Sprintf("No tool output found for function call %s.", id)}
	}
	s.givenBack(some && all)
	return nil
}
