package web

import "bytes"

// mostEntries is how many entries a list in the body of a request may have. A body of a
// few megabytes has room for millions, each of which takes more in memory than in JSON.
const mostEntries = 1000

// longestList returns how many entries the longest list has that is directly in a JSON
// object; or an object there, how many fields.
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
