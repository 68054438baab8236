//go:build !race

package sandbox

// RaceDetector is the memory of the race detector, in bytes. This build has no race detector.
const RaceDetector = 0
