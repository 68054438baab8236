//go:build !unix

package quickjs

func mayCompile() error { return nil }
