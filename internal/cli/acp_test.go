package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"errand/internal/test/clitest"
)

// TestACPOnATerminal proves that whoever types "errand acp" is told what an editor needs, and
// that an editor is spoken to in the protocol alone.
func TestACPOnATerminal(t *testing.T) {
	f := clitest.NewFakeWorker(t, Run)
	got := f.AtTerminal(t, "", "acp")
	assert.Zero(t, got.Code, got.Err)
	assert.Contains(t, got.Out, `"agent_servers"`)
	assert.Contains(t, got.Out, `"acp"`)
	assert.Contains(t, got.Out, f.URL)
	assert.NotContains(t, got.Out, "--approve")
	got = f.AtTerminal(t, "", "acp", "--approve")
	assert.Contains(t, got.Out, `"--approve"`)

	got = f.ErrandIn(t, "{\n", "acp")
	assert.Zero(t, got.Code, got.Err)
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"this is not JSON"}}`, got.Out)
}
