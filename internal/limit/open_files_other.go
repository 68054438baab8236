//go:build !unix

package limit

func openFiles() int { return 8192 }
