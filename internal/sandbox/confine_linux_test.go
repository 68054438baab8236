package sandbox

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestConfined proves what the process of a job has: nothing of errand's environment, no
// more than its limits, and, where it is to be nobody, none of root's rights.
func TestConfined(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-the-key")
	cmd, _, in := startJob(t, "wait")
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join("/proc", fmt.Sprint(cmd.Process.Pid), name))
		require.NoError(t, err)
		return string(data)
	}
	have := strings.Join(strings.Fields(read("limits")), " ")
	for _, want := range []string{fmt.Sprintf("Max data size %[1]d %[1]d ", testLimits.Memory), "Max cpu time 2 2 ", "Max core file size 0 0 ", "Max file size 0 0 ", "Max open files 0 0 "} {
		require.Contains(t, have, want)
	}
	require.Equal(t, "1000\n", read("oom_score_adj"), "where memory is short, the kernel ends it first")
	require.Equal(t, "GOTRACEBACK=none\x00", read("environ"))
	if os.Getuid() == 0 {
		require.Contains(t, read("status"), "Uid:\t65534\t65534\t65534\t65534")
		require.Contains(t, read("status"), "CapEff:\t0000000000000000")
	}
	require.NoError(t, in.Close())
	require.NoError(t, cmd.Wait())
}

// TestEndsWithParent proves that a job ends with the process that started it, when that one
// is killed: before the job is confined, and when it has become nobody.
func TestEndsWithParent(t *testing.T) {
	for _, parent := range []string{"have-wait-free", "have-wait"} {
		t.Run(parent, func(t *testing.T) {
			cmd, said, _ := startJob(t, parent)
			require.NoError(t, cmd.Process.Kill())
			require.NoError(t, said.(*os.File).SetReadDeadline(time.Now().Add(20*time.Second)))
			rest, err := io.ReadAll(said) // the job holds the other end while it is there
			require.NoError(t, err)
			require.Empty(t, rest)
			require.Error(t, cmd.Wait())
		})
	}
}
