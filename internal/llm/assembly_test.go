package llm

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
)

func event(fragments string) string {
	return `{"choices":[{"index":0,"delta":{"tool_calls":[` + fragments + `]}}]}`
}

// How servers that differ spell the same calls.
func TestCallsAreAssembled(t *testing.T) {
	sasha := core.ToolCall{ID: "a", Name: "call_agent", Arguments: `{"agent":"sasha"}`}
	finn := core.ToolCall{ID: "b", Name: "call_agent", Arguments: `{"agent":"finn"}`}
	unnamed := func(c core.ToolCall, id string) core.ToolCall { c.ID = id; return c }
	tests := []struct {
		name   string
		events []string
		want   []core.ToolCall
	}{
		{"OpenAI: interleaved fragments", []string{
			event(`{"index":0,"id":"a","type":"function","function":{"name":"call_agent","arguments":""}}`),
			event(`{"index":1,"id":"b","type":"function","function":{"name":"call_agent","arguments":""}}`),
			event(`{"index":0,"function":{"arguments":"{\"agent\":"}},{"index":1,"function":{"arguments":"{\"agent\":"}}`),
			event(`{"index":1,"function":{"arguments":"\"finn\"}"}}`), event(`{"index":0,"function":{"arguments":"\"sasha\"}"}}`),
		}, []core.ToolCall{sasha, finn}},
		{"no index, whole calls in one event", []string{
			event(`{"id":"a","function":{"name":"call_agent","arguments":"{\"agent\":\"sasha\"}"}},{"id":"b","function":{"name":"call_agent","arguments":"{\"agent\":\"finn\"}"}}`),
		}, []core.ToolCall{sasha, finn}},
		{"no index, fragments", []string{
			event(`{"id":"a","function":{"name":"call_agent","arguments":"{\"agent\""}}`), event(`{"function":{"arguments":":\"sasha\"}"}}`),
			event(`{"id":"b","function":{"name":"call_agent","arguments":"{\"agent\""}}`), event(`{"function":{"arguments":":\"finn\"}"}}`),
		}, []core.ToolCall{sasha, finn}},
		{"index 0 for every call", []string{
			event(`{"index":0,"id":"a","function":{"name":"call_agent","arguments":"{\"agent\":\"sasha\"}"}}`),
			event(`{"index":0,"id":"b","function":{"name":"call_agent","arguments":"{\"agent\":\"finn\"}"}}`),
		}, []core.ToolCall{sasha, finn}},
		{"index 0 for every call, and no ids", []string{
			event(`{"index":0,"function":{"name":"call_agent","arguments":"{\"agent\":\"sasha\"}"}}`),
			event(`{"index":0,"function":{"name":"call_agent","arguments":"{\"agent\":\"finn\"}"}}`),
		}, []core.ToolCall{unnamed(sasha, "call_1"), unnamed(finn, "call_2")}},
		{"neither index nor id", []string{
			event(`{"function":{"name":"call_agent","arguments":"{\"agent\":\"sasha\"}"}},{"function":{"name":"call_agent","arguments":"{\"agent\":\"finn\"}"}}`),
		}, []core.ToolCall{unnamed(sasha, "call_1"), unnamed(finn, "call_2")}},
		{"id and name in every fragment", []string{
			event(`{"index":0,"id":"a","function":{"name":"call_agent","arguments":"{\"agent\""}}`),
			event(`{"index":0,"id":"a","function":{"name":"call_agent","arguments":":\"sasha\"}"}}`),
		}, []core.ToolCall{sasha}},
		{"the same id twice", []string{
			event(`{"index":0,"id":"a","function":{"name":"call_agent","arguments":"{\"agent\":\"sasha\"}"}}`),
			event(`{"index":1,"id":"a","function":{"name":"call_agent","arguments":"{\"agent\":\"finn\"}"}}`),
		}, []core.ToolCall{sasha, unnamed(finn, "call_2")}},
		{"arguments as an object", []string{event(`{"id":"a","function":{"name":"call_agent","arguments":{"agent":"sasha"}}}`)}, []core.ToolCall{sasha}},
		{"nulls", []string{
			`{"choices":[{"index":0,"delta":{"content":null,"tool_calls":null},"finish_reason":null}],"usage":null,"error":null}`,
			event(`{"index":0,"id":null,"function":{"name":"recall","arguments":null}}`),
		}, []core.ToolCall{{ID: "call_1", Name: "recall"}}},
		{"an empty fragment is no call", []string{event(`{"index":0}`), event(`{}`)}, nil},
		{"no JSON is passed on", []string{event(`{"id":"a","function":{"name":"no_such_tool","arguments":"agent=sasha"}}`)}, []core.ToolCall{{ID: "a", Name: "no_such_tool", Arguments: "agent=sasha"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := &assembly{}
			for _, e := range tt.events {
				_, err := a.addChunk([]byte(e))
				require.NoError(t, err)
			}
			require.Equal(t, tt.want, a.response().Calls)
		})
	}
}

func TestTextIsMadeStorable(t *testing.T) {
	a := &assembly{}
	for _, content := range []string{`"a\u0000b"`, "\"c\xffd\"", `"\ud800e"`, `[{"type":"thinking","text":"hm"},{"type":"text","text":"f"}]`} {
		_, err := a.addChunk([]byte(`{"choices":[{"delta":{"content":` + content + `}}]}`))
		require.NoError(t, err)
	}
	require.Equal(t, "a\uFFFDbc\uFFFDd\uFFFDef", a.response().Text)
}

// Whatever comes, what is put together keeps the promises of Response.
func FuzzAssembly(f *testing.F) {
	f.Add(`{"choices":[{"index":0,"delta":{"content":"hi"}}]}`, event(`{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}`), uint8(3))
	f.Add(event(`{"id":"call_2","function":{"name":"x"}}`), event(`{"function":{"name":"y","arguments":"{}"}},{"function":{"name":"y"}}`), uint8(200))
	f.Add("{\"choices\":[{\"delta\":{\"content\":\"\xff\\u0000\",\"tool_calls\":[{\"function\":{\"arguments\":{\"\xff\":1}}}]}}]}", `{}`, uint8(1))
	f.Fuzz(func(t *testing.T, first, second string, times uint8) {
		a := &assembly{}
		streamed := ""
		for range int(times) {
			for _, e := range []string{first, second} {
				text, _ := a.addChunk([]byte(e)) // an error is an answer too
				streamed += text
			}
		}
		r := a.response()
		require.LessOrEqual(t, len(r.Calls), maxCalls)
		require.Equal(t, streamed, r.Text, "what was streamed is the answer")
		size, ids := len(r.Text), map[string]bool{}
		require.True(t, storable(r.Text))
		for _, c := range r.Calls {
			require.NotEmpty(t, c.ID)
			require.False(t, ids[c.ID], "id %q twice", c.ID)
			ids[c.ID] = true
			require.True(t, storable(c.ID) && storable(c.Name) && storable(c.Arguments))
			size += len(c.Name) + len(c.Arguments)
		}
		require.LessOrEqual(t, size, maxAnswer)
	})
}

func storable(s string) bool { return utf8.ValidString(s) && !strings.Contains(s, "\x00") }

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 21, 4, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"":                              0,
		"0":                             0,
		"-5":                            0,
		"7":                             7 * time.Second,
		" 7 ":                           7 * time.Second,
		"1.5":                           1500 * time.Millisecond,
		"1e300":                         10 * time.Minute,
		"NaN":                           0,
		"99999999999999999999":          10 * time.Minute,
		"soon":                          0,
		"Sat, 21 Nov 2026 04:01:30 GMT": 90 * time.Second,
		"Sat, 21 Nov 2026 03:00:00 GMT": 0,
		"Sun, 22 Nov 2026 04:00:00 GMT": 10 * time.Minute,
	} {
		require.Equal(t, want, parseRetryAfter(http.Header{"Retry-After": {value}}, now), value)
	}
}

func FuzzRetryAfter(f *testing.F) {
	f.Add("7", "")
	f.Add("Sat, 21 Nov 2026 04:01:30 GMT", "-1")
	f.Add("1e309", "Inf")
	f.Fuzz(func(t *testing.T, after, ms string) {
		d := parseRetryAfter(http.Header{"Retry-After": {after}, "Retry-After-Ms": {ms}}, time.Now())
		require.GreaterOrEqual(t, d, time.Duration(0))
		require.LessOrEqual(t, d, maxRetryAfter)
	})
}

// Whatever bodies servers send with an error, reading them must not fail, and
// no key may come out.
func FuzzReport(f *testing.F) {
	f.Add(`{"error":{"message":"m","code":500}}`)
	f.Add(`{"error":{"error":{"error":"sk-0123456789"}}}`)
	f.Add(`{"error":[1],"detail":[{"msg":"x"}]}`)
	f.Fuzz(func(t *testing.T, body string) {
		p := &provider{Provider: Provider{APIKey: "hunter2-hunter2"}}
		d := detail(p, Request{}, parseReport([]byte(body)))
		require.NotContains(t, d, "hunter2-hunter2")
		require.True(t, storable(d))
	})
}

func TestStrictSchema(t *testing.T) {
	for schema, want := range map[string]bool{
		`{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"],"additionalProperties":false}`: true,
		`{"type":"object","properties":{"ok":{"type":"boolean"}},"required":[],"additionalProperties":false}`:     false,
		`{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}`:                              false,
		`{"type":"array","items":{"type":"object"}}`:                                                              false,
		`{"type":"string"}`: true,
		`no JSON`:           false,
	} {
		require.Equal(t, want, strictSchema(json.RawMessage(schema)), schema)
	}
}
