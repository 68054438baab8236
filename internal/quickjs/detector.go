//go:build !race

package quickjs

// detector is the memory of the race detector, which this build is without.
const detector = 0
