// Package version says which errand a program is.
package version

import (
	_ "embed"
	"runtime/debug"
	"strings"
)

// deploy/release names its archives after this file.
//
//go:embed VERSION
var file string

// Number returns errand's version: 0.9.0.
func Number() string { return strings.TrimSpace(file) }

// Commit returns the commit of errand's source, with "+changes" if files were changed after it. It
// returns "" for a program that was built without git's data, as by go run.
func Commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return commitIn(info.Settings)
}

func commitIn(settings []debug.BuildSetting) string {
	var commit, changes string
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changes = "+changes"
		}
	}
	if commit == "" {
		return ""
	}
	return commit + changes
}
