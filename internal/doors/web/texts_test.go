package web

import (
	"io/fs"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"errand/internal/texts"
)

// TestTextsOfPages proves that a page comes in the language of the person, or else of the
// browser, or else of the installation; and that it names a script, which browsers may keep,
// with the texts of this installation in that language.
func TestTextsOfPages(t *testing.T) {
	catalog, err := texts.New(map[string]map[string]string{"es": {"page.chats": "Charlas"}, "de": {"page.tasks": "Aufgaben", "language": "Deutsch"}})
	if err != nil {
		t.Fatal(err)
	}
	m := &memory{}
	server := serve(t, m, func(o *Options) { o.Logins, o.Texts, o.Language = spanish{m}, catalog, "de" })
	cookie := testCookie + "=token-p-mia"
	for _, tt := range []struct{ path, cookie, accepts, lang, title, text string }{
		{"/", cookie, "en-US,en;q=0.9", "es", "errand", `"page.chats":"Charlas"`},
		{"/tasks", cookie, "", "es", "errand: Tareas", `"page.tasks":"Tareas"`},
		{"/login.html", "", "es-MX,es;q=0.9", "es", "errand: Iniciar sesión", `"state.working":"en curso"`},
		{"/login.html", "", "en", "en", "errand: Log in", `"page.chats":"Chats"`},
		{"/open", "", "fr", "de", "errand: Log in", `"page.tasks":"Aufgaben"`},
	} {
		header := map[string]string{"Authorization": "", "Cookie": tt.cookie, "Accept-Language": tt.accepts, "Accept": "text/html"}
		_, page := request(t, server, http.MethodGet, tt.path, "", header)
		if !strings.Contains(page, `<html lang="`+tt.lang+`">`) || !strings.Contains(page, "<title>"+tt.title+"</title>") || strings.Contains(page, "{{") {
			t.Errorf("%s accepting %q is %s", tt.path, tt.accepts, page)
			continue
		}
		named := regexp.MustCompile(`<script defer data-texts src="([^"]+)">`).FindStringSubmatch(page)
		if named == nil || strings.Index(page, named[0]) > strings.Index(page, `<script type="module"`) {
			t.Fatalf("%s does not name its texts before its script: %s", tt.path, page)
		}
		script := get(t, server.URL, named[1], "Authorization", "")
		if kept := script.header.Get("Cache-Control"); !strings.Contains(kept, "immutable") || !strings.Contains(string(script.body), tt.text) ||
			!strings.Contains(string(script.body), `{"de":"Deutsch","en":"English","es":"Español"}`) {
			t.Errorf("%s is kept %q: %.300s", named[1], kept, script.body)
		}
	}
}

// TestTextsAreSent proves that pages have every text that their sources name.
func TestTextsAreSent(t *testing.T) {
	sent, key := texts.Shipped().Under(pageTexts...), regexp.MustCompile(`(?:"|\{\{)([a-z]+(?:\.[a-z0-9_]+)+)(?:"|\}\})`)
	var named []string
	err := fs.WalkDir(os.DirFS("."), "static", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "/vendor/") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range key.FindAllStringSubmatch(string(source), -1) {
			if texts.Shipped().Localize(m[1]) != m[1] {
				named = append(named, m[1])
			}
		}
		return err
	})
	if err != nil || len(named) < 500 {
		t.Fatalf("%d keys, %v", len(named), err)
	}
	for _, key := range slices.Compact(slices.Sorted(slices.Values(named))) {
		if sent[key] == "" {
			t.Errorf("pages are not sent %s: add its prefix to pageTexts", key)
		}
	}
}
