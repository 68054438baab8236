package openaiwire

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// TestTools proves which tools of a client are taken, and that what is hostile is refused.
func TestTools(t *testing.T) {
	own := func(name string) bool { return name == "remember" || name == strings.Repeat("r", 60) }
	tool := func(name, rest string) string {
		return `{"type":"function","function":{"name":"` + name + `"` + rest + `}}`
	}
	many := strings.Repeat(tool("a", "")+",", mostTools) + tool("a", "")
	deep := `,"parameters":{"type":"object","properties":` + strings.Repeat(`{"a":`, 40) + `1` + strings.Repeat(`}`, 40) + `}`
	for name, tt := range map[string]struct {
		in   string
		want string // names of what is taken and whether it has to be called, or the error
	}{
		"nothing":                    {`{}`, ""},
		"two":                        {`{"tools":[` + tool("a", "") + `,` + tool("b", `,"parameters":{"type":"object"},"strict":true`) + `]}`, "a b"},
		"as items":                   {`{"tools":[{"type":"function","name":"a","parameters":null}]}`, "a"},
		"none":                       {`{"tools":[` + tool("a", "") + `],"tool_choice":"none"}`, ""},
		"required":                   {`{"tools":[` + tool("a", "") + `],"tool_choice":"required"}`, "a must"},
		"one of them":                {`{"tools":[` + tool("a", "") + `,` + tool("b", "") + `],"tool_choice":{"type":"function","function":{"name":"b"}}}`, "a b must b"},
		"one of them, as an item":    {`{"tools":[` + tool("a", "") + `],"tool_choice":{"type":"function","name":"a"}}`, "a must a"},
		"some":                       {`{"tools":[` + tool("a", "") + `,` + tool("b", "") + `],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"b"}}]}}}`, "b"},
		"some, as an item":           {`{"tools":[` + tool("a", "") + `,` + tool("b", "") + `],"tool_choice":{"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"a"}]}}`, "a must"},
		"one at a time":              {`{"tools":[` + tool("a", "") + `],"parallel_tool_calls":false}`, "a single"},
		"errand's own name":          {`{"tools":[` + tool("remember", "") + `,` + tool("a", "") + `],"tool_choice":{"type":"function","function":{"name":"remember"}}}`, "client__remember a must client__remember"},
		"errand's own name, allowed": {`{"tools":[` + tool("remember", "") + `],"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"remember"}]}}`, "client__remember"},
		"the prefix":                 {`{"tools":[` + tool("client__a", "") + `]}`, "client__client__a"},
		"errand's own, long":         {`{"tools":[` + tool(strings.Repeat("r", 60), "") + `]}`, "of its own"},
		"no name":                    {`{"tools":[{"type":"function"}]}`, "a tool's name"},
		"a hostile name":             {`{"tools":[` + tool(`a\nb`, "") + `]}`, "a tool's name"},
		"a long name":                {`{"tools":[` + tool(strings.Repeat("a", 65), "") + `]}`, "a tool's name"},
		"twice":                      {`{"tools":[` + tool("a", "") + `,` + tool("a", "") + `]}`, "twice"},
		"too many":                   {`{"tools":[` + many + `]}`, "more than 128"},
		"another kind":               {`{"tools":[{"type":"web_search"}]}`, "not supported"},
		"no tool":                    {`{"tools":[7]}`, "not valid"},
		"a list":                     {`{"tools":[` + tool("a", `,"parameters":[]`) + `]}`, "not a JSON Schema"},
		"a schema of a text":         {`{"tools":[` + tool("a", `,"parameters":{"type":"string"}`) + `]}`, "must be an object"},
		"a deep schema":              {`{"tools":[` + tool("a", deep) + `]}`, "nested more than"},
		"a long schema":              {`{"tools":[` + tool("a", `,"parameters":{"title":"`+strings.Repeat("x", mostSchema)+`"}`) + `]}`, "longer than 32 kB"},
		"a long description":         {`{"tools":[` + tool("a", `,"description":"`+strings.Repeat("x", mostDescription+1)+`"`) + `]}`, "description is longer"},
		"a choice that is not there": {`{"tools":[` + tool("a", "") + `],"tool_choice":{"type":"function","function":{"name":"b"}}}`, "no tool \"b\""},
		"required, of none":          {`{"tool_choice":"required"}`, "the request has none"},
		"a strange choice":           {`{"tools":[` + tool("a", "") + `],"tool_choice":"maybe"}`, "none, auto, required"},
		"a number for a choice":      {`{"tools":[` + tool("a", "") + `],"tool_choice":7}`, "neither a word"},
		"functions":                  {`{"functions":[{}]}`, "give functions as tools"},
	} {
		t.Run(name, func(t *testing.T) {
			var in toolsIn
			if err := json.Unmarshal([]byte(tt.in), &in); err != nil {
				t.Fatal(err)
			}
			got, err := in.read(own)
			if wire := (*wireError)(nil); err != nil {
				if !errors.As(err, &wire) || wire.status != 400 || !strings.Contains(err.Error(), tt.want) || tt.want == "" {
					t.Errorf("the error is %v, want %q", err, tt.want)
				}
				return
			}
			var words []string
			if got != nil {
				for _, tool := range got.Tools {
					words = append(words, tool.Name)
				}
				if got.Must {
					words = append(words, "must")
				}
				if got.Only != "" {
					words = append(words, got.Only)
				}
				if got.Single {
					words = append(words, "single")
				}
			}
			if said := strings.Join(words, " "); said != tt.want {
				t.Errorf("taken is %q, want %q", said, tt.want)
			}
		})
	}
}

// TestCallsBefore proves what of the calls that a client tells of is said now, and what was
// before; and that outputs of calls that nobody knows are refused.
func TestCallsBefore(t *testing.T) {
	call := `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"weather","arguments":"{}"}}]}`
	out := `{"role":"tool","tool_call_id":"c1","content":"wet"}`
	ask := `{"role":"user","content":"will it rain?"}`
	for name, tt := range map[string]struct {
		in            string
		before, now   string
		text, problem string
	}{
		"what came now": {ask + `,` + call + `,` + out, "user: will it rain?|assistant: (calls weather with {}, as c1)", "c1=wet", "", ""},
		"and more":      {ask + `,` + call + `,` + out + `,` + `{"role":"user","content":"hurry"}`, "user: will it rain?|assistant: (calls weather with {}, as c1)", "c1=wet", "hurry", ""},
		"of before":     {ask + `,` + call + `,` + out + `,{"role":"assistant","content":"Yes."},` + ask, "user: will it rain?|assistant: (calls weather with {}, as c1)|tool: (weather, c1) wet|assistant: Yes.", "", "will it rain?", ""},
		"not answered":  {ask + `,` + call + `,` + ask, "user: will it rain?|assistant: (calls weather with {}, as c1)", "", "will it rain?", ""},
		"items":         {`{"type":"function_call","call_id":"c1","name":"weather","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"wet"}`, "assistant: (calls weather with {}, as c1)", "c1=wet", "", ""},
		"of nobody's":   {ask + `,` + out + `,{"role":"assistant","content":"Yes."},` + ask, "", "", "", "no call \"c1\""},
		"twice":         {call + `,` + out + `,` + out, "", "", "", "already has its output"},
		"no id":         {`{"role":"tool","content":"wet"}`, "", "", "", "id of the call is missing"},
		"a picture":     {`{"role":"tool","tool_call_id":"c1","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}`, "", "", "", "must be text"},
		"long":          {`{"role":"tool","tool_call_id":"c1","content":"` + strings.Repeat("x", mostOutput+1) + `"}`, "", "", "", "longer than 64 kB"},
		"a call last":   {ask + `,{"type":"function_call","call_id":"c1","name":"weather","arguments":"{}"}`, "", "", "", "not supported here"},
	} {
		t.Run(name, func(t *testing.T) {
			var messages []message
			if err := json.Unmarshal([]byte(`[`+tt.in+`]`), &messages); err != nil {
				t.Fatal(err)
			}
			got, err := read(messages, "messages")
			if tt.problem != "" {
				if err == nil || !strings.Contains(err.Error(), tt.problem) {
					t.Errorf("the error is %v, want %q", err, tt.problem)
				}
				return
			}
			var before, now []string
			for _, l := range got.before {
				before = append(before, l.who+": "+l.text)
			}
			for _, o := range got.outputs {
				now = append(now, o.Call+"="+o.Text)
			}
			if err != nil || strings.Join(before, "|") != tt.before || strings.Join(now, "|") != tt.now || got.text != tt.text {
				t.Errorf("before is %q, now %q, %q, %v", before, now, got.text, err)
			}
		})
	}
}
