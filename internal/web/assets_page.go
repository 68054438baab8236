package web

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Where a page names the module that it begins with, its style sheets, and the script that
// runs before it is painted.
var (
	script = regexp.MustCompile(`(<script type="module" src=")/?([^"]+)(")`)
	sheet  = regexp.MustCompile(`<link rel="stylesheet" href="/?([^"]+)">\n`)
	early  = regexp.MustCompile(`<script src="/?([^"]+)"></script>`)
)

// assemble makes pages name their script by the hash of all parts.
func (a *assets) assemble() {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(a.byName)) {
		one := a.byName[name]
		fmt.Fprintf(sum, "%s %d\n%s", name, len(one.body), one.body)
	}
	a.hash = fmt.Sprintf("%x", sum.Sum(nil)[:8])
	for name, one := range a.byName {
		if path.Ext(name) == ".html" {
			a.byName[name] = a.named(string(one.body))
		}
	}
}

// named is a page that names its script by the hash of all, and has in it what it cannot be
// painted without. What a page asks for first is what a browser paints it after.
func (a *assets) named(page string) *asset {
	page = script.ReplaceAllStringFunc(page, func(s string) string {
		m := script.FindStringSubmatch(s)
		return m[1] + assetsPath + a.hash + "/" + m[2] + m[3]
	})
	var style strings.Builder
	for _, m := range sheet.FindAllStringSubmatch(page, -1) {
		style.Write(a.byName[m[1]].body)
	}
	begin := ""
	if m := early.FindStringSubmatch(page); m != nil {
		begin = string(a.byName[m[1]].body)
		page = strings.Replace(page, m[0], "<script>"+begin+"</script>", 1)
	}
	page = sheet.ReplaceAllString(page, "")
	page = strings.Replace(page, "</head>", "<style>"+style.String()+"</style>\n</head>", 1)
	one := newAsset("page.html", []byte(page))
	one.permits = "; style-src 'self' " + permitted(style.String()) + "; script-src 'self' " + permitted(begin)
	return one
}

func permitted(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
