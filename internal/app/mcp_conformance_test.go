package app_test

import (
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"errand/internal/ownerkey"
)

// TestMCPConformance runs the server scenarios of the protocol's own conformance suite
// against the door of an installation. ERRAND_TEST_MCP_NPM is the folder in which the suite is
// installed.
func TestMCPConformance(t *testing.T) {
	npm := os.Getenv("ERRAND_TEST_MCP_NPM")
	if npm == "" {
		t.Skip("ERRAND_TEST_MCP_NPM names no folder with the suite")
	}
	in, _ := play(t, nil)
	owner, err := ownerkey.Read(in.opts.Config.Data)
	if err != nil {
		t.Fatal(err)
	}
	door := httptest.NewServer(&httputil.ReverseProxy{ // the suite shows no token
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: in.Address})
			r.Out.Host = r.In.Host // some scenarios come by a name that is another's
		},
		Transport: bearer(owner), FlushInterval: -1,
	})
	defer door.Close()
	baseline, err := filepath.Abs("../../.ci/mcp/baseline.yml")
	if err != nil {
		t.Fatal(err)
	}
	suite := exec.CommandContext(t.Context(), "node", filepath.Join(npm, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js"),
		"server", "--url", door.URL+"/mcp", "--suite", "all", "--expected-failures", baseline)
	suite.Dir = t.TempDir()
	out, err := suite.CombinedOutput()
	_, summary, _ := strings.Cut(string(out), "=== SUMMARY ===")
	if err != nil || !strings.Contains(summary, "✓ server-initialize") {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Log(summary[max(0, strings.LastIndex(summary, "Total")):])
}
