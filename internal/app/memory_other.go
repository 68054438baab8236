//go:build !linux

package app

// unmapProgram does nothing here: the system is not asked to take pages back.
func unmapProgram() {}
