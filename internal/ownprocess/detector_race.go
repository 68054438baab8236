//go:build race

package ownprocess

// RaceDetector is the memory of the race detector, which a job gets besides its own.
const RaceDetector = 8 << 30
