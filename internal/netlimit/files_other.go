//go:build !unix

package netlimit

func openFiles() int { return 8192 }
