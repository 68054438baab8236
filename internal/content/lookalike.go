package content

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// lookalikePairs are letters that together look like one.
var lookalikePairs = strings.NewReplacer("rn", "m", "vv", "w", "cl", "d")

// Skeleton is what is left of a name when letters that look alike are one letter:
// names with the same skeleton are taken for each other
// (https://www.unicode.org/reports/tr39/#Confusable_Detection). It knows the letters
// that names are borrowed with, not all of Unicode's, and is for comparing only. The
// store keeps it: a change needs a migration that folds all stored names again.
func Skeleton(name string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(name) {
		if l, ok := lookalikes[r]; ok {
			r = l
		}
		r = unicode.ToLower(r)
		if l, ok := lookalikes[r]; ok {
			r = l
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(r)
		}
	}
	return lookalikePairs.Replace(b.String())
}

// lookalikes are letters of other scripts, and digits, that look like Latin ones.
var lookalikes = pairs(
	"АВЕЅІЈКМНОРСТУХ", "abesijkmhopctyx", "авеѕіјкмнорстухԁԛԝһӏ", "abesijkmhopctyxdqwhi", // Cyrillic
	"ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "abezhikmnoptyx", "αβειικνορτυχωγ", "abeiiknoptuxwy", // Greek
	"ԱՕՍօսոհ", "aousunh", // Armenian
	"0135l|!ıøØđĐłŁß", "oiesiiiioodDiib",
	"ɑɡɩʀɴᴏᴡᴇ", "agirnowe",
)

// pairs makes a table of lists of letters and, behind each, what they look like.
func pairs(lists ...string) map[rune]rune {
	table := map[rune]rune{}
	for i := 0; i+1 < len(lists); i += 2 {
		like := []rune(lists[i+1])
		for n, r := range []rune(lists[i]) {
			table[r] = like[n]
		}
	}
	return table
}
