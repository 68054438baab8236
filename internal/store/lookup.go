package store

import (
	"fmt"
	"strings"
)

// A LookupError is that there is no thing of a name that a person gave, or that there
// are several.
type LookupError struct {
	Thing string   // what was looked for: "task", "session", "reminder", "person", "token", "pairing code"
	Name  string   // as it was given
	Fits  []string // some of those that it fits, where that is known
	Err   error    // ErrNotFound or ErrAmbiguous
}

func (e *LookupError) Error() string {
	if len(e.Fits) > 0 {
		return fmt.Sprintf("%s %q %v: %s", e.Thing, e.Name, e.Err, strings.Join(e.Fits, ", "))
	}
	return fmt.Sprintf("%s %q: %v", e.Thing, e.Name, e.Err)
}

func (e *LookupError) Unwrap() error { return e.Err }
