//go:build race

package sandbox

// RaceDetector is the memory of the race detector, in bytes. A job gets it in addition to its own.
const RaceDetector = 8 << 30
