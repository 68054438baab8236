package app_test

import (
	"os"
	"os/exec"
	"testing"

	"errand/internal/app"
	"errand/internal/core"
)

// TestOpenAIFromNPM runs the clients that OpenAI and Vercel publish for JavaScript against
// an installation. ERRAND_TEST_NPM is the folder in which they are installed.
func TestOpenAIFromNPM(t *testing.T) {
	npm := os.Getenv("ERRAND_TEST_NPM")
	if npm == "" {
		t.Skip("ERRAND_TEST_NPM names no folder with the clients")
	}
	c := playOpenAI(t)
	chat, _, err := c.in.Store.CreateToken(t.Context(), core.Token{Person: app.Owner, Kind: core.TokenAPI, Scope: "chat"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	script := exec.CommandContext(t.Context(), "node", "clients.mjs")
	script.Dir = npm
	script.Env = append(os.Environ(), "BASE_URL=http://"+c.in.Address+"/v1", "API_KEY="+string(c.key), "CHAT_KEY="+chat)
	out, err := script.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
