package content

import "strings"

// NearestWord returns the known word that a person who wrote word most likely meant, or "".
func NearestWord(word string, known []string) string {
	word = strings.ToLower(word)
	if len(word) < 2 || len(word) > 64 {
		return ""
	}
	best, least := "", (len(word)+2)/3+1
	for _, k := range known {
		if d := distance(word, strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	if best != "" {
		return best
	}
	for _, k := range known {
		if len(word) >= 3 && strings.HasPrefix(k, word) {
			return k
		}
	}
	for _, k := range known {
		if len(k) >= 3 && strings.HasPrefix(word, k) {
			return k
		}
	}
	return ""
}

// distance counts the letters to insert, delete, replace or swap with a neighbour to turn a into b
// (optimal string alignment).
func distance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			differs := 1
			if a[i-1] == b[j-1] {
				differs = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+differs)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
