package mcpserver

import "testing"

// TestCalledTool proves that only what surely calls one tool is offered that one alone.
func TestCalledTool(t *testing.T) {
	for body, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_task","arguments":{}}}`: "get_task",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no_such_tool"}}`:            "no_such_tool",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`:                                 "",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}`:                         "",
		`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"delegate"}}`:               "",
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`:                                             "",
		`{`: "",
	} {
		if got := messageOf([]byte(body)).tool(); got != want {
			t.Errorf("%s calls %q, want %q", body, got, want)
		}
	}
}
