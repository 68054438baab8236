//go:build !linux

package picture

// confine bounds nothing: the time is bounded by whoever started the process, and the
// memory by what the header of the file says. It is that of a process of its own.
func confine(limits) error { return nil }
