package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/config"
)

// TestDoctorLooksAtFolders proves that doctor says of each folder whether agents can read
// it, and what to do.
func TestDoctorLooksAtFolders(t *testing.T) {
	at := filepath.Join(t.TempDir(), "notes")
	c := new(cli).checkDisk(config.DiskFolder{Name: "notes", Path: at})
	require.Equal(t, check{"folder notes", false, at + ": the folder cannot be opened on this machine: no such file or directory",
		"make it, let this user read it, or correct files.folders in errand.yaml"}, c)
	require.NoError(t, os.Mkdir(at, 0o755))
	require.Equal(t, check{Name: "folder notes", OK: true, Says: at + ", read-only"}, new(cli).checkDisk(config.DiskFolder{Name: "notes", Path: at}))
	require.Equal(t, check{Name: "folder notes", OK: true, Says: at + ", which agents may write in"}, new(cli).checkDisk(config.DiskFolder{Name: "notes", Path: at, Write: true}))
}
