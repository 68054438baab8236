package notifiertest

import (
	"slices"
	"strings"
)

// IsProgress reports whether a message on a platform is one of those that say how
// far tasks are: nothing was delivered by it, and it may be there or not.
func IsProgress(text string) bool {
	return slices.ContainsFunc([]string{"⏳", "✔", "✖", "❓"}, func(mark string) bool { return strings.HasPrefix(text, mark) })
}
