package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// got is an answer as it came, not decompressed.
type got struct {
	header http.Header
	body   []byte
}

func get(t *testing.T, base, path string, header ...string) got {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+testKey)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := (&http.Transport{DisableCompression: true, DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if strings.Contains(path, "/events") {
		return got{header: resp.Header} // it does not end
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v", path, resp.StatusCode, err)
	}
	return got{resp.Header, body}
}

var asZip = []string{"Accept-Encoding", "br;q=1.0, gzip;q=0.8, *;q=0.1"}

func named(page []byte) (all []string) {
	for _, m := range regexp.MustCompile(`<(?:link rel="(?:stylesheet|modulepreload)" href|script(?: type="module")? src)="([^"]+)"`).FindAllSubmatch(page, -1) {
		all = append(all, string(m[1]))
	}
	return all
}

// TestZipped proves that pages and their parts come compressed to who can read it, and whole
// to who cannot; and that nothing does which says anything of anybody, nor what is a stream.
func TestZipped(t *testing.T) {
	server := serve(t, &memory{}, nil)
	for _, path := range []string{"/", "/tasks", "/tasks/t-1", "/login.html", "/open", "/style.css", "/chat.js", "/icon.svg"} {
		zipped, plain := get(t, server.URL, path, asZip...), get(t, server.URL, path, "Accept-Encoding", "gzip;q=0")
		if zipped.header.Get("Content-Encoding") != "gzip" || plain.header.Get("Content-Encoding") != "" || plain.header.Get("Vary") != "Accept-Encoding" || zipped.header.Get("ETag") == plain.header.Get("ETag") {
			t.Fatalf("%s: %v and %v", path, zipped.header, plain.header)
		}
		r, err := gzip.NewReader(bytes.NewReader(zipped.body))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(r); err != nil || !bytes.Equal(text, plain.body) || len(zipped.body) >= len(text) {
			t.Errorf("%s: %v; %d bytes are %d compressed", path, err, len(plain.body), len(zipped.body))
		}
	}
	for _, path := range []string{"/api/me", "/api/tasks", "/api/sessions/main/events", "/api/openapi.json", "/icon_192.png", "/healthz"} {
		if got := get(t, server.URL, path, asZip...); got.header.Get("Content-Encoding") != "" {
			t.Errorf("%s comes compressed", path)
		}
	}
}

// imported is where a bundled script names another one.
var imported = regexp.MustCompile(`(?:from|import|import\()"(\.[^"]+\.js)"`)

// TestAssets proves that a page names one script, that it and all scripts that it imports have
// addresses under which a browser may keep them for ever, and that other addresses of the
// same scripts are asked for each time.
func TestAssets(t *testing.T) {
	server := serve(t, &memory{}, nil)
	for _, page := range []struct{ path, entry string }{{"/", "chat"}, {"/tasks", "tasks"}, {"/tasks/t-1", "task"}, {"/usage", "usage"}, {"/people", "people"}, {"/login.html", "login"}, {"/open", "open"}} {
		html := get(t, server.URL, page.path)
		if now := html.header.Get("Cache-Control"); now != "no-cache" && page.path != "/open" {
			t.Errorf("%s: %q", page.path, now)
		}
		scripts := named(html.body)
		if len(scripts) != 1 || !strings.HasPrefix(scripts[0], assetsPath) || path.Base(scripts[0]) != page.entry+".js" {
			t.Fatalf("%s names %q", page.path, scripts)
		}
		for i := 0; i < len(scripts); i++ {
			script := get(t, server.URL, scripts[i], "Authorization", "") // the login page needs them too
			if now := script.header.Get("Cache-Control"); now != "public, max-age=31536000, immutable" {
				t.Errorf("%s of %s: %q", scripts[i], page.path, now)
			}
			for _, m := range imported.FindAllSubmatch(script.body, -1) {
				if next := path.Join(path.Dir(scripts[i]), string(m[1])); !slices.Contains(scripts, next) {
					scripts = append(scripts, next)
				}
			}
		}
		if len(scripts) < 4 {
			t.Errorf("%s has only %q", page.path, scripts)
		}
	}
	_, name, _ := strings.Cut(strings.TrimPrefix(named(get(t, server.URL, "/").body)[0], assetsPath), "/")
	for _, path := range []string{"/" + name, assetsPath + "0123456789abcdef/" + name} {
		if now := get(t, server.URL, path).header.Get("Cache-Control"); now != "no-cache" {
			t.Errorf("%s: %q", path, now)
		}
	}
	for _, path := range []string{assetsPath, assetsPath + "x", assetsPath + "x/y.js", "/failure.html", "/vendor", "/static/chat.js", "/bundle/chat.js"} {
		if status, answer := request(t, server, "GET", path, "", nil); status != http.StatusNotFound {
			t.Errorf("%s: %d %s", path, status, answer)
		}
	}
}

// TestPolicyOfPages proves that a page may have the style and the script within that it has,
// and no other; that nothing is to be fetched before it is painted; and that other answers
// may have none.
func TestPolicyOfPages(t *testing.T) {
	server := serve(t, &memory{}, nil)
	policy := get(t, server.URL, "/api/me").header.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'self'; ") || strings.Contains(policy, "unsafe") {
		t.Fatal(policy)
	}
	within := regexp.MustCompile(`(?s)<(style|script)>(.*?)</`)
	for _, path := range []string{"/", "/tasks", "/tasks/t-1", "/usage", "/login.html", "/open"} {
		page := get(t, server.URL, path)
		rules := page.header.Get("Content-Security-Policy")
		blocks := within.FindAllSubmatch(page.body, -1)
		if len(blocks) != 2 || strings.Contains(rules, "unsafe") || !strings.HasPrefix(rules, policy+"; ") || strings.Count(rules, "sha256-") != 2 {
			t.Fatalf("%s has %d blocks and may %s", path, len(blocks), rules)
		}
		for _, b := range blocks {
			sum := sha256.Sum256(b[2])
			if want := fmt.Sprintf("; %s-src 'self' 'sha256-%s'", b[1], base64.StdEncoding.EncodeToString(sum[:])); !strings.Contains(rules, want) || len(b[2]) < 100 {
				t.Errorf("%s may %s: want %s for %.60s", path, rules, want, b[2])
			}
		}
		if bytes.Contains(page.body, []byte(`rel="stylesheet"`)) || bytes.Contains(page.body, []byte("<script src")) {
			t.Errorf("%s is not painted before something is fetched", path)
		}
		if again := get(t, server.URL, path); again.header.Get("Content-Security-Policy") != rules {
			t.Errorf("%s may now %s", path, again.header.Get("Content-Security-Policy"))
		}
	}
	for _, path := range []string{"/chat.js", "/style.css", "/icon.svg"} {
		if rules := get(t, server.URL, path).header.Get("Content-Security-Policy"); rules != policy {
			t.Errorf("%s may %s", path, rules)
		}
	}
}
