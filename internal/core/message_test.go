package core_test

import (
	"testing"

	"errand/internal/core"
)

// TestIsCommand proves what is taken for a command and what is a message.
func TestIsCommand(t *testing.T) {
	for text, want := range map[string]bool{
		"/tasks": true, " \n/tasks": true, "/task t-7k3/x": true, "/cancel\nt-7k3": true, "/": true, "/ tasks": true, "/¿qué?": true,
		"": false, " ": false, "tasks": false, "//tasks": false, "//": false, "/usr/bin/x is what?": false, "/etc/": false,
		"what is /etc?": false, "\u00a0/tasks": true, "／tasks": false,
	} {
		if got := core.IsCommand(text); got != want {
			t.Errorf("%q is a command: %v, want %v", text, got, want)
		}
	}
}
