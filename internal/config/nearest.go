package config

import (
	"fmt"

	"errand/internal/nearest"
)

// didYouMean returns ` (did you mean "sasha"?)`, or nothing where none of known
// is near word.
func didYouMean(word string, known []string) string {
	if near := nearest.Word(word, known); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}
