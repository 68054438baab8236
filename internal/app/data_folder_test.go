package app

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestPrivateFolder proves that others can neither enter a data folder of errand's
// nor replace what is in it, whoever made it.
func TestPrivateFolder(t *testing.T) {
	tests := []struct {
		name    string
		mode    fs.FileMode
		has     string
		want    fs.FileMode
		refused bool
	}{
		{name: "not there", want: 0o700},
		{name: "empty", mode: 0o755, want: 0o700},
		{name: "everybody's", mode: 0o777, want: 0o700},
		{name: "errand's", mode: 0o755, has: "errand.db", want: 0o700},
		{name: "the root of a volume", mode: 0o755, has: "lost+found", want: 0o700},
		{name: "with other things", mode: 0o755, has: "README.md", want: 0o755},
		{name: "with other things, and everybody's", mode: 0o777, has: "README.md", want: 0o777, refused: true},
		{name: "with other things, and a group's", mode: 0o775, has: "README.md", want: 0o775, refused: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			if tt.mode != 0 {
				if err := os.Mkdir(dir, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if tt.has != "" {
				if err := os.WriteFile(filepath.Join(dir, tt.has), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if tt.mode != 0 {
				if err := os.Chmod(dir, tt.mode); err != nil { // whatever the umask
					t.Fatal(err)
				}
			}
			if err := privateFolder(dir); (err != nil) != tt.refused {
				t.Fatal(err)
			}
			info, err := os.Stat(dir)
			if err != nil || info.Mode().Perm() != tt.want {
				t.Errorf("%v, %v", info.Mode(), err)
			}
		})
	}
}
