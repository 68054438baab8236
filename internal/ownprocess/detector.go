//go:build !race

package ownprocess

// RaceDetector is the memory of the race detector, which this build is without.
const RaceDetector = 0
