package llm

import (
	"encoding/json"
	"net/url"
	"strings"
)

// A chatState is what providers hand out beside an answer, and want back:
//
//   - reasoning_content: DeepSeek refuses a request with tools whose earlier answers lack it
//     (https://api-docs.deepseek.com/guides/thinking_mode#tool-calls). Ollama, vLLM and
//     OpenRouter call it reasoning.
//   - reasoning_details: OpenRouter's form of what the provider behind it wants back
//     (https://openrouter.ai/docs/guides/best-practices/reasoning-tokens).
//   - extra_content: Gemini's thought signatures, of a call or of the whole answer
//     (https://ai.google.dev/gemini-api/docs/thought-signatures).
type chatState struct {
	ReasoningContent string            `json:"reasoning_content,omitempty"`
	Reasoning        string            `json:"reasoning,omitempty"`
	Details          []json.RawMessage `json:"reasoning_details,omitempty"`
	Extra            json.RawMessage   `json:"extra_content,omitempty"`
	Calls            []json.RawMessage `json:"calls,omitempty"` // extra_content of each call; null: none
}

// isSet reports whether raw is there and says something.
func isSet(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

func (a *assembly) addState(f *fragment) {
	s := &a.chat
	if s.size() > maxState {
		return // it is not kept anyway
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

// addDetail puts the pieces of one detail together, which come in one event each: text
// and summary go on, a signature comes at the end.
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
				continue // as in response
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

// giveBack puts into messages what the provider wants back of the answers that are its
// own, and into the others what it takes instead: the conversation may have been another
// provider's for a while. What it hands out decides which of the two it is, or its address.
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
		// Only where there are calls, or were just now: models that take no tools refuse
		// reasoning that comes back.
		if len(answer.ToolCalls) == 0 && (i == 0 || out[i-1].Role != "tool") {
			continue
		}
		if answer.Role != "assistant" {
			continue
		}
		if s.ReasoningContent != "" || wantsReasoning {
			// An empty one is taken, a missing one is not:
			// https://github.com/deepseek-ai/deepseek-harness/discussions/739
			answer.ReasoningContent = &s.ReasoningContent
		}
		answer.Reasoning, answer.ReasoningDetails, answer.ExtraContent = s.Reasoning, s.Details, s.Extra
		giveSignatures(answer.ToolCalls, s.Calls, wantsSignatures)
	}
}

// unsigned is what Gemini takes for the signature of a call that it has not made itself:
// https://ai.google.dev/gemini-api/docs/thought-signatures
const unsigned = `{"google":{"thought_signature":"skip_thought_signature_validator"}}`

// giveSignatures puts the signatures of an answer's calls into them. Of parallel calls
// only the first has one.
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

// isHost reports whether p is at domain, or below it.
func isHost(p Provider, domain string) bool {
	u, err := url.Parse(p.BaseURL)
	return err == nil && (u.Hostname() == domain || strings.HasSuffix(u.Hostname(), "."+domain))
}
