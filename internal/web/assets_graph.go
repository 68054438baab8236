package web

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// part is where a page names a style sheet or a script, imported where a module names another
// that it cannot begin without.
var (
	part     = regexp.MustCompile(`(<link rel="stylesheet" href|<script(?: type="module")? src)="/?([^"]+\.(?:css|js))"`)
	module   = regexp.MustCompile(`<script type="module" src="/?([^"]+)"`)
	imported = regexp.MustCompile(`(?m)(?:^|[;}])(?:import|export)\b[^"();]*?"(\.[^"]+)"`)
)

// assemble has a page name its parts by their hash, and all modules at once that its own
// begins with: a browser that finds one in another asks for them after each other.
func (a *assets) assemble(page []byte) []byte {
	html := string(page)
	var early strings.Builder
	if m := module.FindStringSubmatch(html); m != nil {
		for _, name := range a.needed(m[1])[1:] {
			fmt.Fprintf(&early, "<link rel=\"modulepreload\" href=\"%s%s/%s\">\n", assetsPath, a.hash, name)
		}
	}
	html = part.ReplaceAllString(html, `$1="`+assetsPath+a.hash+`/$2"`)
	return []byte(strings.Replace(html, "</head>", early.String()+"</head>", 1))
}

// needed are the names of a module and of all that it imports, the nearest first.
func (a *assets) needed(name string) []string {
	all := []string{name}
	for i := 0; i < len(all); i++ {
		one := a.byName[all[i]]
		if one == nil {
			continue // a browser will say so
		}
		for _, m := range imported.FindAllSubmatch(one.body, -1) {
			if next := path.Join(path.Dir(all[i]), string(m[1])); !slices.Contains(all, next) {
				all = append(all, next)
			}
		}
	}
	return all
}
