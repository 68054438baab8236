package sqldb

import (
	"strconv"
	"strings"
)

func (d *DB) text(query string) string {
	d.opened.Trace(query)
	if d.postgres {
		return numbered(query)
	}
	return query
}

// numbered replaces ? with $1, $2 …. The queries contain no other question marks.
func numbered(query string) string {
	var b strings.Builder
	n := 0
	for _, r := range query {
		if r != '?' {
			b.WriteRune(r)
			continue
		}
		n++
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(n))
	}
	return b.String()
}

func firstWords(query string) string {
	words := strings.Fields(query)
	if len(words) > 3 {
		words = words[:3]
	}
	return strings.ToLower(strings.Join(words, " "))
}

// Placeholders returns n placeholders for IN (…).
func Placeholders(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }
