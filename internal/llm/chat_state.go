package llm

import (
	"encoding/json"
	"strings"
)

// A chatState is the data that a provider sends along with an answer and wants to get back:
//
//   - reasoning_content: DeepSeek refuses a request with tools if earlier answers lack it
//     (https://api-docs.deepseek.com/guides/thinking_mode#tool-calls). Ollama, vLLM and OpenRouter
//     call it reasoning.
//   - reasoning_details: OpenRouter's form of the data for the provider behind it
//     (https://openrouter.ai/docs/guides/best-practices/reasoning-tokens).
//   - extra_content: Gemini's thought signatures, for one call or for the whole answer
//     (https://ai.google.dev/gemini-api/docs/thought-signatures).
type chatState struct {
	ReasoningContent string            `json:"reasoning_content,omitempty"`
	Reasoning        string            `json:"reasoning,omitempty"`
	Details          []json.RawMessage `json:"reasoning_details,omitempty"`
	Extra            json.RawMessage   `json:"extra_content,omitempty"`
	Calls            []json.RawMessage `json:"calls,omitempty"` // extra_content of each call; null: none
}

func isSet(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

func (a *assembly) addState(f *fragment) {
	s := &a.chat
	if s.size() > maxState {
		return // too large to be kept
	}
	s.ReasoningContent += f.ReasoningContent
	s.Reasoning += contentText(f.Reasoning)
	for _, d := range f.ReasoningDetails {
		s.addDetail(d)
	}
	if isSet(f.ExtraContent) {
		s.Extra = f.ExtraContent
	}
}

func (s *chatState) size() int {
	n := len(s.ReasoningContent) + len(s.Reasoning) + len(s.Extra)
	for _, d := range s.Details {
		n += len(d)
	}
	return n
}

// addDetail appends a detail, or joins it to the one before if it is a continuation. A
// signature comes with the last piece.
func (s *chatState) addDetail(raw json.RawMessage) {
	var next map[string]any
	if json.Unmarshal(raw, &next) != nil {
		return
	}
	if n := len(s.Details) - 1; n >= 0 {
		var last map[string]any
		if json.Unmarshal(s.Details[n], &last) == nil && last["type"] == next["type"] && last["index"] == next["index"] && last["type"] != "reasoning.encrypted" {
			for k, v := range next {
				before, _ := last[k].(string)
				if piece, ok := v.(string); ok && (k == "text" || k == "summary") {
					last[k] = before + piece
				} else if v != nil {
					last[k] = v
				}
			}
			s.Details[n] = mustMarshal(last)
			return
		}
	}
	s.Details = append(s.Details, raw)
}

func mustMarshal(v any) json.RawMessage {
	b, _ := json.Marshal(v)
	return b
}

func (chatWire) state(a *assembly, out Response) any {
	s := a.chat
	if len(out.Calls) > 0 {
		for _, c := range a.calls {
			if c.name == "" && c.args.Len() == 0 {
				continue // skipped as in response
			}
			s.Calls = append(s.Calls, c.extra)
			if c.extra == nil {
				s.Calls[len(s.Calls)-1] = json.RawMessage("null")
			}
		}
		if !anySet(s.Calls) {
			s.Calls = nil
		}
	}
	if s.size() == 0 && s.Calls == nil {
		return nil
	}
	return s
}

func anySet(list []json.RawMessage) bool {
	for _, raw := range list {
		if isSet(raw) {
			return true
		}
	}
	return false
}

// giveBack returns each state to the provider that sent it. Answers of other providers get a
// substitute that this provider accepts, because the conversation may have used another
// provider for a while.
func giveBack(out []chatMessage, from []wireMessage, p Provider) {
	wantsReasoning, wantsSignatures := isHost(p, "deepseek.com"), isHost(p, "googleapis.com")
	states := make([]chatState, len(from))
	for i, m := range from {
		if m.state != nil && json.Unmarshal(m.state, &states[i]) == nil {
			wantsReasoning = wantsReasoning || states[i].ReasoningContent != ""
			wantsSignatures = wantsSignatures || anySet(states[i].Calls)
		}
	}
	for i := range out {
		s, answer := states[i], &out[i]
		// Only answers with calls, or right after results: models without tools refuse a request
		// that returns their reasoning.
		if len(answer.ToolCalls) == 0 && (i == 0 || out[i-1].Role != "tool") {
			continue
		}
		if answer.Role != "assistant" {
			continue
		}
		if s.ReasoningContent != "" || wantsReasoning {
			// DeepSeek accepts an empty value but not a missing one:
			// https://github.com/deepseek-ai/deepseek-harness/discussions/739
			answer.ReasoningContent = &s.ReasoningContent
		}
		answer.Reasoning, answer.ReasoningDetails, answer.ExtraContent = s.Reasoning, s.Details, s.Extra
		giveSignatures(answer.ToolCalls, s.Calls, wantsSignatures)
	}
}

// Gemini accepts unsigned for a call that another model made:
// https://ai.google.dev/gemini-api/docs/thought-signatures
const unsigned = `{"google":{"thought_signature":"skip_thought_signature_validator"}}`

// giveSignatures sets unsigned only on the first of parallel calls: Gemini signs only that
// one.
func giveSignatures(calls []chatCall, signatures []json.RawMessage, wanted bool) {
	if len(signatures) == len(calls) {
		for i, raw := range signatures {
			if isSet(raw) {
				calls[i].ExtraContent = raw
			}
		}
		return
	}
	if wanted && len(calls) > 0 {
		calls[0].ExtraContent = json.RawMessage(unsigned)
	}
}

func isHost(p Provider, domain string) bool {
	host := HostOf(p.BaseURL)
	return host == domain || strings.HasSuffix(host, "."+domain)
}
