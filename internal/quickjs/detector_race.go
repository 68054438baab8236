//go:build race

package quickjs

// detector is the memory that the race detector takes at its start and for what it notes.
const detector = 8 << 30
