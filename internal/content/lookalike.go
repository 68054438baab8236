package content

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Each of these pairs looks like one letter.
var lookalikePairs = strings.NewReplacer("rn", "m", "vv", "w", "cl", "d")

// Skeleton maps a name so that names that look alike have the same skeleton
// (https://www.unicode.org/reports/tr39/#Confusable_Detection). It knows the letters that are
// common in such names, not all of Unicode's. Use it only to compare names. The store keeps
// skeletons, so a change here needs a migration that computes them again.
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

var lookalikes = pairs(
	"АВЕЅІЈКМНОРСТУХ", "abesijkmhopctyx", "авеѕіјкмнорстухԁԛԝһӏ", "abesijkmhopctyxdqwhi", // Cyrillic
	"ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "abezhikmnoptyx", "αβειικνορτυχωγ", "abeiiknoptuxwy", // Greek
	"ԱՕՍօսոհ", "aousunh", // Armenian
	"0135l|!ıøØđĐłŁß", "oiesiiiioodDiib",
	"ɑɡɩʀɴᴏᴡᴇ", "agirnowe",
)

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
