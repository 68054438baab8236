//go:build unix && !linux

package code

func usedRoom([]int, int64) int64 { return 0 }
