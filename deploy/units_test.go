package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/config"
)

// TestUnits proves that errand takes what the units for systemd give it, and, where
// systemd is installed, that it understands them.
func TestUnits(t *testing.T) {
	for _, name := range []string{"errand.service", "errand@.service"} {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		unit := string(raw)
		asked := map[string]bool{}
		_, err = config.Load(config.Sources{Client: true, Env: func(name string) string { asked[name] = true; return "" }})
		require.NoError(t, err)
		for _, line := range regexp.MustCompile(`(?m)^Environment=(.*)$`).FindAllStringSubmatch(unit, -1) {
			for _, variable := range strings.Fields(line[1]) {
				variable, _, _ = strings.Cut(variable, "=")
				assert.True(t, asked[variable], "%s: errand does not read %s", name, variable)
			}
		}
		start := regexp.MustCompile(`(?m)^ExecStart=/usr/local/bin/errand serve(.*)$`).FindStringSubmatch(unit)
		require.NotNil(t, start, name)
		_, err = config.ParseFlags("errand", strings.Fields(strings.ReplaceAll(start[1], "%i", "1")), new(strings.Builder))
		require.NoError(t, err, name)
		assert.Contains(t, unit, "\nOOMPolicy=continue\n", "%s: a program that the kernel ends for its memory would end errand", name)
		verifyUnit(t, strings.ReplaceAll(name, "@.", "@1."), strings.ReplaceAll(unit, "/usr/local/bin/errand", "/bin/true"))
	}
}

func verifyUnit(t *testing.T, name, unit string) {
	t.Helper()
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Log("systemd is not installed: the units were not verified by it")
		return
	}
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(unit), 0o600))
	if strings.Contains(name, "@") {
		require.NoError(t, os.WriteFile(strings.ReplaceAll(path, "@1.", "@."), []byte(unit), 0o600))
	}
	out, err := exec.CommandContext(t.Context(), analyze, "verify", path).CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Empty(t, string(out))
}
