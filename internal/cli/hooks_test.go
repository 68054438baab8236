package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"errand/internal/test/clitest"
)

// TestHooks proves what a person sees of webhooks, and what a script gets of them.
func TestHooks(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/hooks", 200, `[{"id":"w-1","task":"t-22222222","url":"https://example.org/hook","state":"failed","attempts":3,"error":"the receiver answered 500","created":"2026-01-02T03:04:05Z"}]`)
	got := f.Errand(t, "hooks", "list", "--person", "*")
	assert.Equal(t, 0, got.Code, got.Err)
	assert.Regexp(t, `^ID +STATE +TASK +TRIED +SINCE +WHERE +WHY NOT\nw-1 +failed +t-22222222 +3 .*https://example.org/hook +the receiver answered 500\n$`, got.Out)

	f.On("POST /api/hooks/try", 200, `{"id":"w-2","ok":true}`)
	assert.Equal(t, clitest.Result{Out: "w-2 accepted the webhook.\n"}, f.Errand(t, "hooks", "try", "https://example.org/hook"))
	f = newFake(t)
	f.On("POST /api/hooks/try", 200, `{"id":"w-3","ok":false,"status":500,"reason":"the receiver answered 500"}`)
	assert.Equal(t, clitest.Result{Code: 1, Err: "errand: w-3 did not accept the webhook: the receiver answered 500\n"}, f.Errand(t, "hooks", "try", "https://example.org/hook"))
	got = f.Errand(t, "hooks", "try", "https://example.org/hook", "--json")
	assert.Equal(t, 1, got.Code)
	assert.Contains(t, got.Out, `"status": 500`)
	assert.Empty(t, got.Err, "the answer says why")

	f.On("POST /api/hooks/secret", 200, `{"secret":"whsec_x"}`)
	assert.Equal(t, clitest.Result{Out: "whsec_x\n"}, f.Errand(t, "hooks", "secret", "--renew"))
}
