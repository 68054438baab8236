package browser

import (
	"os"
	"testing"

	"errand/internal/sim/mcp"
)

func TestMain(m *testing.M) {
	if mcp.Main() { // the MCP server that a test starts
		return
	}
	os.Exit(m.Run())
}
