package sqldb

import (
	"strconv"
	"strings"
)

// text is a query in the words of the database.
func (d *DB) text(query string) string {
	d.opened.Trace(query)
	if d.postgres {
		return numbered(query)
	}
	return query
}

// numbered turns ? into $1, $2 …: our queries have no ? of their own.
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

// firstWords names a query in an error, without its arguments.
func firstWords(query string) string {
	words := strings.Fields(query)
	if len(words) > 3 {
		words = words[:3]
	}
	return strings.ToLower(strings.Join(words, " "))
}

// Placeholders is n of them, for IN (…).
func Placeholders(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }
