//go:build !unix

package netlimit

// openFiles returns how many files this process may have open.
func openFiles() int { return 8192 }
