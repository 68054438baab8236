package attack

import (
	"net/http"
	"strings"
	"testing"
)

// TestNoRequestEndsErrand proves that no member's request to the MCP door ends the worker:
// methods of the tasks extension without parameters did.
func TestNoRequestEndsErrand(t *testing.T) {
	for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
		for _, params := range []string{"", `,"params":null`, `,"Params":{}`, `,"params":{"_meta":null}`} {
			got := here.member.ask(t, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"`+method+`"`+params+`}`,
				"Content-Type", "application/json", "Accept", "application/json, text/event-stream", "Mcp-Protocol-Version", "2025-11-25")
			if got.status >= http.StatusInternalServerError || !strings.Contains(got.body, `"error"`) {
				t.Errorf("%s%s is answered %d %s", method, params, got.status, got.body)
			}
		}
	}
}
