package cli

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/app"
	"errand/internal/sandbox"
)

var mains = map[string]func(args []string) int{
	"errand": func(args []string) int { return Main(args) },
	"worker": func(args []string) int { return app.Main("worker", args) },
}

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && mains[os.Args[1]] != nil {
		os.Exit(mains[os.Args[1]](os.Args[2:]))
	}
	os.Exit(m.Run())
}

// TestCallsItself proves that the programs know what they call themselves for: nobody
// would be told but agents that they do not.
func TestCallsItself(t *testing.T) {
	program, err := os.Executable()
	require.NoError(t, err)
	for name := range mains {
		complaint := func(argument string) string { // of a command that is not known
			var said strings.Builder
			cmd := exec.CommandContext(t.Context(), program, name, argument)
			cmd.Stderr = &said
			_ = cmd.Run() // it is handed nothing, with which some end in an error
			return said.String()
		}
		require.NotEmpty(t, complaint("paint-picture"), name)
		for _, argument := range []string{sandbox.ReadPDF, sandbox.ReadHTML, sandbox.ReadSearchResults, sandbox.ShrinkPicture, sandbox.RunJavaScript} {
			require.Empty(t, complaint(argument), "%s %s", name, argument)
		}
	}
}
