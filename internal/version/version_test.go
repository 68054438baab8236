package version

import (
	"os"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
)

// TestNumber proves that the version is one that archives and packages can be named after.
func TestNumber(t *testing.T) {
	if !regexp.MustCompile(`^\d+\.\d+\.\d+(-[a-z]+\.\d+)?$`).MatchString(Number()) {
		t.Errorf("the version is %q", Number())
	}
}

// TestCommit proves that a program with changed files does not pass for its commit.
func TestCommit(t *testing.T) {
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "712251d2"}
	for want, settings := range map[string][]debug.BuildSetting{
		"":                 {{Key: "vcs.modified", Value: "true"}},
		"712251d2":         {revision, {Key: "vcs.modified", Value: "false"}},
		"712251d2+changes": {revision, {Key: "vcs.modified", Value: "true"}},
	} {
		if got := commitIn(settings); got != want {
			t.Errorf("%v: got %q, want %q", settings, got, want)
		}
	}
}

// TestReadme proves that the README names the archives of this version.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil || !strings.Contains(string(text), "\ntar xzf errand_"+Number()+"_linux_amd64.tar.gz ") {
		t.Errorf("the README names archives of another version than %s: %v", Number(), err)
	}
}
