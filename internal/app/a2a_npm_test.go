package app_test

import (
	"os"
	"os/exec"
	"testing"

	"errand/internal/ownerkey"
)

// TestA2AFromNPM runs the clients for JavaScript of the protocol's own project, of versions 1.0 and 0.3,
// against an agent of an installation. ERRAND_TEST_A2A_NPM is the folder in which they are installed.
func TestA2AFromNPM(t *testing.T) {
	npm := os.Getenv("ERRAND_TEST_A2A_NPM")
	if npm == "" {
		t.Skip("ERRAND_TEST_A2A_NPM names no folder with the clients")
	}
	in, _ := play(t, nil)
	owner, err := ownerkey.Read(in.opts.Config.Data)
	if err != nil {
		t.Fatal(err)
	}
	script := exec.CommandContext(t.Context(), "node", "clients.mjs")
	script.Dir = npm
	script.Env = append(os.Environ(), "AGENT_URL=http://"+in.Address+"/a2a/sasha", "API_KEY="+string(owner),
		"ASKS="+do(tool("ask_user", map[string]string{"question": "Which day?"})))
	out, err := script.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
