package web

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// part is where a page names a style sheet or a script, script the module that it begins with.
var (
	part   = regexp.MustCompile(`(<link rel="stylesheet" href|<script(?: type="module")? src)="/?([^"]+\.(?:css|js))"`)
	script = regexp.MustCompile(`(<script type="module" src="/?)([^"]+)(")`)
)

// assemble joins what pages are made of, and has them name it by the hash of all.
func (a *assets) assemble() error {
	for name, one := range maps.Clone(a.byName) {
		m := script.FindSubmatch(one.body)
		if path.Ext(name) != ".html" || m == nil {
			continue
		}
		joined, err := a.join(string(m[2]))
		if err != nil {
			return err
		}
		for name, text := range joined {
			a.byName[name] = newAsset(name, []byte(text))
		}
	}
	a.modules = nil
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(a.byName)) {
		one := a.byName[name]
		fmt.Fprintf(sum, "%s %d\n%s", name, len(one.body), one.body)
	}
	a.hash = fmt.Sprintf("%x", sum.Sum(nil)[:8])
	for name, one := range a.byName {
		if path.Ext(name) == ".html" {
			a.byName[name] = newAsset(name, a.named(string(one.body)))
		}
	}
	return nil
}

// named is a page that names its parts by their hash.
func (a *assets) named(page string) []byte {
	page = script.ReplaceAllStringFunc(page, func(s string) string {
		m := script.FindStringSubmatch(s)
		return m[1] + strings.TrimSuffix(m[2], path.Ext(m[2])) + "/" + m[2] + m[3]
	})
	return []byte(part.ReplaceAllString(page, `$1="`+assetsPath+a.hash+`/$2"`))
}
