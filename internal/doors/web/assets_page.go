package web

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"errand/internal/texts"
)

// These match a page's scripts, style sheets, early script and texts.
var (
	script  = regexp.MustCompile(`(<script (?:type="module"|defer data-texts) src=")/?([^"]+)(")`)
	sheet   = regexp.MustCompile(`<link rel="stylesheet" href="/?([^"]+)">\n`)
	early   = regexp.MustCompile(`<script src="/?([^"]+)"></script>`)
	textKey = regexp.MustCompile(`\{\{([a-z_.]+)\}\}`)
)

func newAssets(catalog *texts.Catalog) (*assets, error) {
	own, err := ownParts()
	if err != nil {
		return nil, err
	}
	a := &assets{byName: maps.Clone(own), pages: map[string]map[string]*asset{}}
	for _, l := range catalog.Languages() {
		body, err := textsScript(catalog, l.Tag)
		if err != nil {
			return nil, err
		}
		a.byName[textsOf(l.Tag)] = newAsset(textsOf(l.Tag), body)
	}
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(a.byName)) {
		fmt.Fprintln(sum, name, a.byName[name].tag)
	}
	a.hash = fmt.Sprintf("%x", sum.Sum(nil)[:8])
	for name, one := range own {
		if path.Ext(name) != ".html" {
			continue
		}
		a.pages[name] = map[string]*asset{}
		for _, l := range catalog.Languages() {
			a.pages[name][l.Tag] = a.named(string(one.body), catalog.For(l.Tag))
		}
	}
	return a, nil
}

func textsOf(tag string) string { return "texts/" + tag + ".js" }

var pageTexts = []string{"outcome.", "page.", "push.", "question.", "role.", "state."}

func textsScript(catalog *texts.Catalog, tag string) ([]byte, error) {
	names := map[string]string{}
	for _, l := range catalog.Languages() {
		names[l.Tag] = l.Name
	}
	languages, err := json.Marshal(names)
	if err != nil {
		return nil, err
	}
	list, err := json.Marshal(catalog.For(tag).Under(pageTexts...))
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "globalThis.errandLanguages=%s;\n(globalThis.errandTexts??={})[%q]=%s;\n", languages, tag, list), nil
}

// shellValues fills the placeholders of texts that are part of the page and not set by a script.
var shellValues = strings.NewReplacer("{command}", "<code>errand open</code>", "{short}", "<code>go run ./starter open</code>",
	"{file}", "<code>data/owner.key</code>", "{variable}", "<code>ERRAND_TOKEN</code>")

// named renders a page in a language. It inlines the style sheets and the early script, so that the
// browser can paint the page after one request.
func (a *assets) named(page string, t texts.Texts) *asset {
	page = textKey.ReplaceAllStringFunc(page, func(s string) string {
		return shellValues.Replace(html.EscapeString(t.Localize(strings.Trim(s, "{}"))))
	})
	page = strings.Replace(page, `<html lang="en">`, `<html lang="`+t.Language().Tag+`">`, 1)
	page = strings.Replace(page, "texts.js", textsOf(t.Language().Tag), 1)
	page = script.ReplaceAllString(page, "${1}"+assetsPath+a.hash+"/${2}${3}")
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
