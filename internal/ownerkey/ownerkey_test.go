package ownerkey

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestEnsure proves that a data folder has one key, that only its user can read
// it, and that everybody who asks at the same moment gets that one.
func TestEnsure(t *testing.T) {
	dir := t.TempDir()
	if _, err := Read(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("Read of an empty folder: %v, want fs.ErrNotExist", err)
	}
	keys := make([]string, 16)
	var wg sync.WaitGroup
	for i := range keys {
		wg.Go(func() {
			key, err := Ensure(dir)
			if err != nil {
				t.Error(err)
			}
			keys[i] = key
		})
	}
	wg.Wait()
	for _, key := range keys {
		if key != keys[0] {
			t.Fatalf("two keys: %q and %q", keys[0], key)
		}
	}
	info, err := os.Stat(filepath.Join(dir, File))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v, error %v; want 0600", info.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, File+".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	other, err := Ensure(t.TempDir())
	if err != nil || other == keys[0] {
		t.Errorf("another folder has key %q, error %v", other, err)
	}
}

// TestRead proves that a key that is none, or that others can read, is refused
// with what to do.
func TestRead(t *testing.T) {
	good := prefix + strings.Repeat("a", 43)
	tests := []struct {
		name, content string
		mode          os.FileMode
		want          string // part of the error
	}{
		{"others can read", good, 0o644, "chmod 600"},
		{"its group can read", good, 0o640, "chmod 600"},
		{"empty", "", 0o600, "holds no key"},
		{"short", prefix + "abc", 0o600, "holds no key"},
		{"something else", strings.Repeat("x", 60), 0o600, "holds no key"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, File)
			if err := os.WriteFile(path, []byte(tt.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, tt.mode); err != nil {
				t.Fatal(err)
			}
			key, err := Read(dir)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("key %q, error %v; want an error with %q", key, err, tt.want)
			}
		})
	}
}
