package openaiwire

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"errand/internal/core"
)

// TestPieces proves that the pieces of a reply end with all of it, also where its call began
// anew.
func TestPieces(t *testing.T) {
	delta := func(text string) core.Event { return core.Event{Type: core.EventDelta, Text: text} }
	for _, tt := range []struct {
		name   string
		events []core.Event
		text   string
		want   string
	}{
		{"nothing before", nil, "hello", "hello"},
		{"all of it", []core.Event{delta("hel"), delta("lo")}, "hello", "hello"},
		{"the beginning", []core.Event{delta("hel")}, "hello", "hello"},
		{"of a task", []core.Event{{Type: core.EventDelta, Task: "t-1", Text: "no"}}, "hello", "hello"},
		{"begun anew", []core.Event{delta("bye"), {Type: core.EventReset}, delta("hel")}, "hello", "bye\n\nhello"},
		{"something late in the middle", []core.Event{delta("hel"), {Type: core.EventLate, Task: "t-1", Text: "the cake"}}, "hello", "hello\n\n---\n\nthe cake"},
		{"text before a tool", []core.Event{delta("Let me look."), {Type: core.EventStep}, delta("It "), delta("rains.")}, "It rains.", "Let me look.\n\nIt rains."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got strings.Builder
			p := pieces{to: func(text string) error { got.WriteString(text); return nil }}
			for _, e := range tt.events {
				if err := p.take(e); err != nil {
					t.Fatal(err)
				}
			}
			if err := p.end(tt.text); err != nil || got.String() != tt.want {
				t.Errorf("it is %q, %v; want %q", &got, err, tt.want)
			}
		})
	}
}

// TestLate proves that a result which came late is told with the next answer, once.
func TestLate(t *testing.T) {
	late, reply := core.Event{Type: core.EventLate, Text: "the cake"}, core.Event{Type: core.EventReply, Text: "yes"}
	for name, tt := range map[string]struct {
		events []core.Event
		want   string
	}{
		"none":               {[]core.Event{reply}, ""},
		"since":              {[]core.Event{reply, late, late}, "the cake\n\n---\n\nthe cake\n\n---\n\n"},
		"a turn that failed": {[]core.Event{reply, late, {Type: core.EventMessage}, {Type: core.EventError}}, "the cake\n\n---\n\n"},
		"told already":       {[]core.Event{late, {Type: core.EventMessage}, reply}, ""},
	} {
		if got := lateOf(tt.events); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestChatNamed proves that every name is a chat's own, and fits the names of chats.
func TestChatNamed(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{"ada", "a/b", "a-b", "a b", "ä", strings.Repeat("x", 48), strings.Repeat("x", 49), strings.Repeat("x", 500), "..", "conv_68"} {
		got, err := chatNamed("", "", name)
		if err != nil || got == "" || len(got) > 64 || seen[got] != "" {
			t.Errorf("%q is %q, %v, as %q is", name, got, err, seen[got])
		}
		seen[got] = name
	}
	if got, err := chatNamed("Main chat", "ada"); err != nil || got != "Main chat" {
		t.Errorf("the header names %q, %v", got, err)
	}
}

// FuzzRequest proves that no request makes us panic, and that what is wrong is the client's.
func FuzzRequest(f *testing.F) {
	for _, seed := range []string{
		`[{"role":"user","content":"hello"}]`,
		`[{"role":"system","content":null},{"role":"user","content":[{"type":"text","text":"x"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}]`,
		`[{"role":"user","content":[{"type":"input_image","image_url":"data:;base64,"},{"type":"file","file":{"filename":"a","file_data":"data:text/plain;base64,eA=="}}]}]`,
		`[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"x"},{"role":"user","content":"y"}]`,
		`[{"type":"item_reference","id":"fc_1_bWFpbg_z"},{"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"x"}]}]`,
		`[{"type":"function_call_output","content":{}}]`, `[{"role":"user","content":[null]}]`, `[null]`,
	} {
		f.Add(seed, "resp_bWFpbg_z", `{"id":"x"}`)
		f.Add(seed, "", `"y"`)
	}
	for _, body := range []string{
		"", "null", "{}", "[]", `"x"`, `{"messages":null,"input":null}`, `{"model":null,"messages":[null],"input":[null],"tools":[null],"tool_choice":null}`,
		`{"messages":{},"input":{},"stream":"x","stream_options":null,"metadata":[],"previous_response_id":7}`,
		`{"model":"errand","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"},"strict":true}}],"tool_choice":{"type":"function","function":{"name":"f"}}}`,
		`{"input":"x","tools":[{"type":"function","name":"f"},null],"tool_choice":{"type":"allowed_tools","mode":"required","tools":[{"name":"f"}]},"parallel_tool_calls":false}`,
		`{"messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"remember"}}],"functions":[{}],"n":2,"stream":true,"stream_options":{"include_usage":true}}`,
	} {
		f.Add(body, "resp_bWFpbg_1", "1")
		f.Add(body, "msg_bWFpbg_1", "-1")
	}
	f.Fuzz(func(t *testing.T, raw, previous, conversation string) {
		fuzzDoor(t, raw, previous)
		var wire *wireError
		in := responseIn{Input: json.RawMessage(raw), Previous: previous, Conversation: json.RawMessage(conversation)}
		got, err := in.turn(&request{Request: &http.Request{}}, nil)
		if err != nil && !errors.As(err, &wire) {
			t.Errorf("the error is %v", err)
		}
		if err == nil && strings.TrimSpace(got.input.text) == "" && len(got.input.files)+len(got.input.outputs) == 0 {
			t.Error("nothing is said")
		}
		if chat, event, err := parseResponseID(previous); err == nil {
			if back, n, err := parseResponseID(responseID(chat, event)); err != nil || back != chat || n != event {
				t.Errorf("%q, %d is %q, %d, %v", chat, event, back, n, err)
			}
		}
	})
}
