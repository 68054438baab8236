package ownerkey

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestChildEnv proves that a process which errand starts is not told what would
// make it the owner, and is told everything else.
func TestChildEnv(t *testing.T) {
	in := []string{"PATH=/bin", "ERRAND_KEY=k", "ERRAND_TOKEN=t", "Errand_Key=k", "ERRAND_DATA=/d", "ERRAND_KEYBOARD=qwerty", "=C:=x", "ERRAND_TOKEN", "TEMPORAL_API_KEY=a", "MY_KEY=k", "COPY=a", "ERRAND_KEY_FILE=/run/secrets/owner.key"}
	want := []string{"PATH=/bin", "ERRAND_DATA=/d", "ERRAND_KEYBOARD=qwerty", "=C:=x"}
	if got := ChildEnv(in); !slices.Equal(got, want) {
		t.Errorf("a child gets %q, want %q", got, want)
	}
	if len(in) != 12 || in[1] != "ERRAND_KEY=k" {
		t.Errorf("the environment was changed: %q", in)
	}
}

// anew start processes with an environment that has nothing of errand's in it but what
// they name.
var anew = []string{"internal/sandbox/process.go", "internal/remote/stdio/process.go", "internal/tools/code/bubblewrap.go"}

// TestEveryChild proves that whatever starts a process uses ChildEnv, or makes an
// environment anew: a command without one of its own inherits all of errand's.
func TestEveryChild(t *testing.T) {
	starters := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && filepath.ToSlash(path) == "../../deploy/packaging" {
			return fs.SkipDir // no part of errand
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text := string(source)
		if strings.Contains(text, "exec.Command") || strings.Contains(text, "os.StartProcess") || strings.Contains(text, "syscall.Exec(") {
			starters++
			name := strings.TrimPrefix(filepath.ToSlash(path), "../../")
			if slices.Contains(anew, name) && strings.Count(text, "exec.Command") == strings.Count(text, "cmd.Env = ") {
				return nil
			}
			if !strings.Contains(text, "ownerkey.ChildEnv(") {
				t.Errorf("%s starts a process and does not use ownerkey.ChildEnv", path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if starters == 0 {
		t.Error("nothing starts processes: this test looks in the wrong place")
	}
}
