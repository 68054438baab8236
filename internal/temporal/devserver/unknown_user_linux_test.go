//go:build !nodevserver

package devserver

import (
	"errors"
	"os"
	"os/exec"
	"os/user"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUnknownUser proves that the server starts as a user without a name and a home, as
// containers may run it.
func TestUnknownUser(t *testing.T) {
	if dir := os.Getenv("DEVSERVER_UNKNOWN_USER_DIR"); dir != "" {
		_, err := user.Current()
		require.Error(t, err, "this test needs a user without a name")
		start(t, options(t, dir))
		return
	}
	const uid = 54321
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = []string{"DEVSERVER_UNKNOWN_USER_DIR=" + t.TempDir()}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: uid, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: uid, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL) {
		t.Skipf("this machine gives no namespaces for users: %v", err)
	}
	require.NoError(t, err, "%s", out)
}
