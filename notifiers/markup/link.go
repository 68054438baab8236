package markup

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
)

// target returns the address of a link in a form that ends no mark early, and
// whether a person may be sent there: only http and https, with a host, and
// nothing before the host that could be taken for it.
func target(raw string) (_ string, ok bool) {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil || u.Host == "" || u.User != nil || u.Opaque != "" {
		return "", false
	}
	if s := strings.ToLower(u.Scheme); s != "http" && s != "https" {
		return "", false
	}
	if strings.ContainsFunc(u.Host, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(`<>()[]|\"'*~`+"`", r)
	}) {
		return "", false
	}
	return quoteAddress(u.String()), true
}

var addressEscapes = strings.NewReplacer(
	"(", "%28", ")", "%29", "<", "%3C", ">", "%3E", " ", "%20", `\`, "%5C",
	"|", "%7C", "*", "%2A", "`", "%60", "\n", "", "\t", "",
)

// quoteAddress writes an address so that it neither ends a mark nor pings.
func quoteAddress(s string) string {
	s = addressEscapes.Replace(s)
	return pings.ReplaceAllString(s, "%40$1")
}

// pings finds what reaches everybody on Discord.
var pings = regexp.MustCompile(`(?i)@(everyone|here)`)

var claim = regexp.MustCompile(`(?i)(://|^\s*www\.|^\s*[\pL\pN-]+(\.[\pL\pN-]+)*\.\pL{2,}\s*(/|$))`)

// deceives reports whether the text of a link claims to be another address than
// the one it leads to.
func deceives(label, to string) bool {
	if !claim.MatchString(label) {
		return false
	}
	short := func(s string) string {
		s = strings.ToLower(strings.TrimSpace(s))
		s = strings.TrimPrefix(strings.TrimPrefix(s, "https://"), "http://")
		return strings.TrimSuffix(strings.TrimPrefix(s, "www."), "/")
	}
	l, t := short(label), short(to)
	// "example.com" may lead to example.com/page, which is more and not other.
	return l != t && !(!strings.Contains(l, "/") && strings.HasPrefix(t, l+"/"))
}

// bareAddress writes an address that stands in plain sight so that it holds no
// marks and does not ping; what it shows otherwise stays.
func bareAddress(s string) string {
	return pings.ReplaceAllString(bareEscapes.Replace(s), "%40$1")
}

var bareEscapes = strings.NewReplacer(
	"<", "%3C", ">", "%3E", `\`, "%5C", "|", "%7C", "*", "%2A", "`", "%60", " ", "%20", "\n", "%0A",
)
