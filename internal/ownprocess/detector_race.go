//go:build race

package ownprocess

// RaceDetector is the memory that the race detector takes at its start and for what it
// notes. A job that is to have all of its memory is given that besides.
const RaceDetector = 8 << 30
