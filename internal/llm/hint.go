package llm

import (
	"maps"
	"slices"
	"strings"
)

// A Hint is errand's own explanation of a failure, for the operator. Package texts has a
// sentence for each, under the key "hint." and the code. The zero value is no hint.
type Hint struct {
	Code   string
	About  string // its subject: a time, a model, a setting
	Detail string // the provider's own words
}

var hints = map[string]string{
	"silent":          "no answer began within {about}",
	"stalled":         "the answer stopped for {about} in the middle",
	"not_heard":       "no transcription arrived within {about}",
	"not_before":      "it asked errand to wait until {about}",
	"unknown_host":    "the host name cannot be resolved; check the base URL",
	"no_connection":   "no connection; is the server running?",
	"not_in_time":     "no connection in time",
	"closed_before":   "the server closed the connection before it answered",
	"closed_within":   "the server closed the connection in the middle of the answer",
	"broken_off":      "the provider broke off the answer",
	"no_stream":       "the answer is not an event stream; is the base URL right?",
	"no_json":         "the answer is not JSON; check the base URL",
	"base_url":        "check the base URL",
	"garbage":         "the answer can't be read",
	"empty":           "the answer was empty",
	"used_up":         "the output limit was used up before the answer began",
	"tools":           "the model asked for tools where none are allowed",
	"filtered":        "the provider's content filter withheld the answer",
	"bad_key":         "the key was not accepted; check {about}",
	"no_key":          "it needs a key, and none was sent; set {about}",
	"no_key_env":      "it needs a key, and none was sent; name the variable that has it in api_key_env",
	"no_credit":       "the account has no credit left",
	"too_long":        "the conversation is longer than the model's context window",
	"no_model":        "it has no model \"{about}\"; check the name and the base URL",
	"wants_responses": "it supports tools only over its Responses API; add api: responses",
	"wants_chat":      "it has no Responses API; add api: chat",
	"no_tools":        "the model \"{about}\" does not support tools there, and agents need them; choose another model",
	"vllm_tools":      "it was started without tools; start vLLM with --enable-auto-tool-choice and --tool-call-parser",
	"jinja":           "it was started without tools; start llama.cpp's server with --jinja",
	"not_configured":  "no model \"{about}\" is configured",
}

// HintCodes returns the codes of all hints, sorted.
func HintCodes() []string { return slices.Sorted(maps.Keys(hints)) }

func (h Hint) String() string {
	return withDetail(strings.ReplaceAll(hints[h.Code], "{about}", h.About), h.Detail)
}

func (e *Error) about(h Hint) *Error {
	e.Hint, e.Message = h, h.String()
	return e
}
