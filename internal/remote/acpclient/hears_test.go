package acpclient

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/coder/acp-go-sdk"
)

// FuzzHears proves that no line of a coding agent's breaks what hears it, that requests and
// answers go on, and that what is kept of it is bounded text.
func FuzzHears(f *testing.F) {
	update := func(u string) []byte {
		return []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":` + u + `}}`)
	}
	for _, u := range []string{
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Done.\u0000"}}`,
		`{"sessionUpdate":"tool_call","toolCallId":"c","title":"ls\n-la","kind":"execute","status":"pending","rawInput":{"a":[1]},"locations":[{"path":"/x"}],"content":[{"type":"diff","path":"a","newText":"b"}]}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","content":[{"type":"terminal","terminalId":"t"}]}`,
		`{"sessionUpdate":"plan","entries":[{"content":"x","priority":"high","status":"in_progress"}]}`, `{"sessionUpdate":"future"}`, `null`,
	} {
		f.Add(update(u), "c")
	}
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{}}`), "")
	f.Add([]byte(`{"jsonrpc":"2.0","method":"$/cancel_request"}`), "")
	f.Fuzz(func(t *testing.T, line []byte, id string) {
		s := &session{id: "s-1", calls: map[acp.ToolCallId]*call{}, Work: Work{Doing: func(text string) {
			if !utf8.ValidString(text) || utf8.RuneCountInString(text) > 121 {
				t.Errorf("it is shown doing %q", text)
			}
		}}}
		s.live.Store(true)
		r := &screen{s: s}
		intercepted := r.intercept(line)
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(line, &m) == nil && len(m.ID) > 0 && line[0] == '{' && intercepted {
			t.Fatalf("%q wants an answer, and goes no further", line)
		}
		_, _ = s.note(acp.ToolCallId(id), call{}).permission()
		for _, reason := range []acp.StopReason{acp.StopReasonEndTurn, acp.StopReasonRefusal, acp.StopReason(id)} {
			if out := s.outcome(reason); !utf8.ValidString(out.Text) || utf8.RuneCountInString(out.Text) > longestText+1 {
				t.Fatalf("what is kept is %q", out.Text)
			}
		}
	})
}
