package web

import "bytes"

// mostEntries limits lists because a body of a few megabytes can hold millions of entries, which
// take more space in memory.
const mostEntries = 1000

// longestList counts the entries of the lists and objects directly in the outermost value.
func longestList(raw []byte) (longest int) {
	depth, entries := 0, 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			i = endOfString(raw, i)
		case '{', '[':
			if depth++; depth == 2 {
				entries = 1
			}
		case '}', ']':
			depth--
		case ',':
			if depth == 2 {
				entries++
				longest = max(longest, entries)
			}
		}
	}
	return longest
}

func endOfString(raw []byte, i int) int {
	for {
		n := bytes.IndexByte(raw[i+1:], '"')
		if n < 0 {
			return len(raw)
		}
		i += n + 1
		escapes := 0
		for raw[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i
		}
	}
}
