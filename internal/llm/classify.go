package llm

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"errand/internal/core"
)

func (c *Client) classify(p *provider, r Request, x *exchange, err error) *Error {
	e := &Error{Provider: p.Name, Status: x.status}
	switch {
	case x.status >= http.StatusBadRequest:
		e.RetryAfter = parseRetryAfter(x.header, time.Now())
		reported := parseReport(x.errBody)
		e.Kind = kindOf(x.status, reported)
		e.Reason = reasonOf(e, reported)
		e.describe(p, r, reported)
		if e.Status == http.StatusBadRequest {
			e.tool = refusedTool(reported.message, r)
		}
	case errors.Is(err, errNoFirstToken):
		e.Kind, e.Reason = Unreachable, Silent
		e.about(Hint{Code: "silent", About: p.firstToken.String()})
	case errors.Is(err, errSilent):
		e.Kind, e.Reason = Unreachable, Stalled
		e.about(Hint{Code: "stalled", About: p.idle.String()})
	case x.status == 0:
		var sent *url.Error
		if errors.As(err, &sent) {
			e.Kind = Unreachable
			var hint Hint
			e.Reason, hint = dialHint(err)
			e.about(hint)
		} else { // go-openai itself refused the request
			e.Kind, e.Message = Refused, err.Error()
		}
	case x.body != nil && parseReport(x.body.plain).known():
		// An error within a stream that had started well. Its status, if it has one, is in the
		// event.
		reported := parseReport(x.body.plain)
		e.Status = reported.status
		e.Kind = kindOf(http.StatusInternalServerError, reported)
		if reported.status >= http.StatusBadRequest {
			e.Kind = kindOf(reported.status, reported)
		}
		e.Reason = reasonOf(e, reported)
		e.describe(p, r, reported)
	case errors.Is(err, errErrorChunk):
		e.Kind, e.Reason = Overloaded, BrokenOff
		e.about(Hint{Code: "broken_off"})
	case errors.Is(err, errNoStream):
		e.Kind, e.Reason = BadAnswer, NoProvider
		e.about(Hint{Code: "no_stream"})
	case errors.Is(err, errNotKept):
		e.Kind, e.Reason = Overloaded, BrokenOff
		e.about(Hint{Code: "broken_off"})
	case isDecoding(err):
		e.Kind, e.Reason = BadAnswer, Garbage
		e.about(Hint{Code: "garbage"})
	default:
		e.Kind, e.Reason = Unreachable, BrokenOff
		e.about(Hint{Code: "closed_within"})
	}
	return e
}

func isDecoding(err error) bool {
	var syntax *json.SyntaxError
	var typed *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &typed)
}

// dialHint omits the address, which may hold a password.
func dialHint(err error) (Reason, Hint) {
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &dns):
		return UnknownHost, Hint{Code: "unknown_host"}
	case errors.As(err, &op) && op.Op == "dial":
		return NoConnection, Hint{Code: "no_connection"}
	case errors.Is(err, context.DeadlineExceeded):
		return NoConnection, Hint{Code: "not_in_time"}
	}
	return BrokenOff, Hint{Code: "closed_before"}
}

type report struct {
	code, kind, message string
	status              int // if the code is a number
}

func (r report) known() bool { return r != report{} }

// parseReport reads {"error": {…}} (OpenAI, Ollama, llama.cpp, OpenRouter), {"error":
// "…"}, {"object": "error", "message": …} (vLLM before 0.9), {"message": …} (Mistral)
// and {"detail": …} (FastAPI).
func parseReport(body []byte) report {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0] // Gemini's OpenAI endpoint: a list of one
	}
	var outer struct {
		Error   json.RawMessage `json:"error"`
		Message json.RawMessage `json:"message"`
		Detail  json.RawMessage `json:"detail"`
		Code    json.RawMessage `json:"code"`
		Type    string          `json:"type"`
	}
	if json.Unmarshal(body, &outer) != nil {
		return report{}
	}
	if len(outer.Error) > 0 && string(outer.Error) != "null" {
		var inner report
		if inner = parseReport(outer.Error); !inner.known() {
			inner.message = plainText(outer.Error)
		}
		return inner
	}
	r := report{kind: outer.Type, message: plainText(outer.Message)}
	if r.message == "" {
		r.message = plainText(outer.Detail)
	}
	if json.Unmarshal(outer.Code, &r.status) != nil {
		r.code = plainText(outer.Code)
	}
	return r
}

func plainText(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

func kindOf(status int, r report) Kind {
	switch {
	case r.code == "insufficient_quota" || r.kind == "insufficient_quota":
		return Refused // OpenAI answers 429, but a retry later does not help
	case status == http.StatusTooManyRequests && !tooLargeForEver.MatchString(r.message):
		// Check the status before the phrases: "too many tokens, please wait" is not an overflow.
		return RateLimited
	case r.code == "rate_limit_exceeded": // an error event of the responses wire has no HTTP status
		return RateLimited
	case isOverflow(r) || status == http.StatusRequestEntityTooLarge:
		return ContextOverflow
	case toolHint(r).Code != "":
		return Refused // llama.cpp answers 500, but a retry later does not help
	case status >= 500, status == http.StatusRequestTimeout, status == http.StatusTooEarly, status == http.StatusConflict:
		return Overloaded
	}
	return Refused
}

var tooLargeForEver = regexp.MustCompile(`(?i)request too large for`)

var overflowCode = regexp.MustCompile(`(?i)^(context_length_exceeded|context_window_exceeded|exceed_context_size_error|model_max_prompt_tokens_exceeded|tokens_limit_reached|request_too_large)$`)

var overflowPhrases = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`max(imum)? context length`,                 // OpenAI, vLLM, OpenRouter; Ollama: "exceeded max context length"
	`maximum model length`,                      // vLLM: "longer than the maximum model length"
	`available context size`,                    // llama.cpp
	`context size has been exceeded`,            // llama.cpp in mid-stream
	`exceeds? the context (length|size|window)`, // Ollama: "input length exceeds the context length"
	`context[ _](length|window)[ _]exceeded`,
	`context window`,
	`greater than the context length`, // LM Studio
	`context the overflows`,           // LM Studio
	`prompt (is )?too long`,           // Anthropic, Ollama
	`input token count.*exceeds`,      // Gemini
	`maximum prompt length`,           // xAI
	`too large for model with`,        // Mistral
	`reduce the length of the (messages|input|prompt)`,
	`longer than the model's context`, // SGLang
	`request too large for`,
}, "|"))

func isOverflow(r report) bool {
	return overflowCode.MatchString(r.code) || overflowCode.MatchString(r.kind) || overflowPhrases.MatchString(r.message)
}

func noCredit(e *Error, reported report) bool {
	return e.Kind == Refused && (reported.code == "insufficient_quota" || reported.kind == "insufficient_quota" || e.Status == http.StatusPaymentRequired)
}

func reasonOf(e *Error, reported report) Reason {
	switch {
	case e.Status == http.StatusUnauthorized:
		return BadKey
	case noCredit(e, reported):
		return NoCredit
	case e.Kind != Refused:
		return "" // Kind says enough
	case toolHint(reported).Code != "":
		return NoTools
	case e.Status == http.StatusNotFound && reported.known():
		return NoModel
	case !reported.known() && e.Status != http.StatusForbidden:
		return NoProvider
	case e.Status == http.StatusForbidden:
		return Forbidden
	}
	return Rejected
}

func (e *Error) describe(p *provider, r Request, reported report) {
	switch {
	case e.Status == http.StatusUnauthorized && p.APIKeyEnv == "":
		e.about(Hint{Code: "no_key_env"})
	case e.Status == http.StatusUnauthorized && p.APIKey == "":
		e.about(Hint{Code: "no_key", About: p.APIKeyEnv})
	case e.Status == http.StatusUnauthorized:
		e.about(Hint{Code: "bad_key", About: p.APIKeyEnv})
	case noCredit(e, reported):
		e.about(Hint{Code: "no_credit"})
	case e.Reason == NoTools:
		hint := toolHint(reported)
		if hint.About = p.Model; hint.Code == "no_tools" {
			hint.Detail = detail(p, r, reported)
		}
		e.about(hint)
	case p.API == APIResponses && (e.Status == http.StatusNotFound && !namesModel(reported, p.Model) || e.Status == http.StatusMethodNotAllowed):
		e.Reason = NoProvider
		e.about(Hint{Code: "wants_chat"})
	case e.Kind == ContextOverflow:
		e.about(Hint{Code: "too_long"})
	case e.Kind == Refused && e.Status == http.StatusNotFound:
		e.about(Hint{Code: "no_model", About: p.Model, Detail: detail(p, r, reported)})
	case !reported.known() && e.Kind == Refused:
		e.about(Hint{Code: "no_json"})
	default:
		e.Message = detail(p, r, reported)
	}
}

func namesModel(reported report, model string) bool {
	return strings.Contains(reported.code, "model") || strings.Contains(reported.message, model)
}

// toolRefusals are the errors of servers that take no tools, or not in this way.
var toolRefusals = []struct {
	says *regexp.Regexp
	hint string
}{
	{regexp.MustCompile(`(?i)function tools.*use /v1/responses`), "wants_responses"},                                     // OpenAI, of chat completions
	{regexp.MustCompile(`--enable-auto-tool-choice`), "vllm_tools"},                                                      // vLLM
	{regexp.MustCompile(`(?i)tools param requires --jinja|unsupported param: tools`), "jinja"},                           // llama.cpp
	{regexp.MustCompile(`(?i)does not support tools|support tool use|tool.?(use|calling) is not supported`), "no_tools"}, // Ollama, OpenRouter
}

func toolHint(r report) Hint {
	for _, t := range toolRefusals {
		if t.says.MatchString(r.message) {
			return Hint{Code: t.hint}
		}
	}
	return Hint{}
}

func withDetail(s, detail string) string {
	switch {
	case s == "":
		return detail
	case detail == "":
		return s
	}
	return s + ": " + detail
}

var keyLike = regexp.MustCompile(`(?i)\b(sk|pk|gsk|xai|key|bearer)[-_ ][-_a-z0-9*.]{6,}`)

// detail returns the provider's message without keys. It leaves the message out if it
// repeats what people or agents wrote.
func detail(p *provider, r Request, reported report) string {
	s := strings.Join(strings.Fields(clean(reported.message)), " ")
	if len(p.APIKey) >= core.MinSecret {
		s = strings.ReplaceAll(s, p.APIKey, "…")
	}
	s = keyLike.ReplaceAllString(s, "…")
	if runes := []rune(s); len(runes) > 200 {
		s = string(runes[:200]) + "…"
	}
	if quotes(s, r) {
		s = "(its message repeats text of the conversation and is left out)"
	}
	if reported.code != "" && identifier.MatchString(reported.code) {
		s = strings.TrimSpace(reported.code + " " + s)
	}
	return s
}

var identifier = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

// quotes reports whether s shares window bytes in a row with a text of the request, or
// contains a whole short one.
func quotes(s string, r Request) bool {
	const window = 16
	texts := []string{r.System, r.Note}
	for _, m := range r.Messages {
		texts = append(texts, m.Text)
		for _, c := range m.Calls {
			texts = append(texts, c.Arguments)
		}
	}
	for _, t := range texts {
		t = strings.Join(strings.Fields(t), " ")
		if len(t) >= 4 && len(t) < window && strings.Contains(s, t) {
			return true
		}
		for i := 0; i+window <= len(s); i++ {
			if strings.Contains(t, s[i:i+window]) {
				return true
			}
		}
	}
	return false
}
