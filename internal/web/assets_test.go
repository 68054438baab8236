package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
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

// get asks as the owner, with headers in pairs.
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

// named are the addresses of a page's parts.
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
	for _, path := range []string{"/", "/tasks", "/tasks/t-1", "/login.html", "/open", "/style.css", "/chat.js", "/vendor/highlight/highlight.min.js", "/icon.svg"} {
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

// TestAssets proves that pages name all modules that they begin with, by addresses under which
// a browser may keep them for ever, and that it asks for what has no such address.
func TestAssets(t *testing.T) {
	server := serve(t, &memory{}, nil)
	for _, path := range []string{"/", "/tasks", "/tasks/t-1", "/usage", "/people", "/login.html", "/open"} {
		page := get(t, server.URL, path)
		if now := page.header.Get("Cache-Control"); now != "no-cache" && path != "/open" {
			t.Errorf("%s: %q", path, now)
		}
		parts := named(page.body)
		if len(parts) < 10 {
			t.Fatalf("%s names only %q", path, parts)
		}
		for _, part := range parts {
			one := get(t, server.URL, part, "Authorization", "") // the way in needs them too
			if now := one.header.Get("Cache-Control"); now != "public, max-age=31536000, immutable" {
				t.Errorf("%s of %s: %q", part, path, now)
			}
			for _, m := range imported.FindAllSubmatch(one.body, -1) {
				if next := string(m[1]); !slices.ContainsFunc(parts, func(p string) bool { return strings.HasSuffix(p, strings.TrimLeft(next, "./")) }) {
					t.Errorf("%s imports %s, which %s does not name", part, next, path)
				}
			}
		}
	}
	_, name, _ := strings.Cut(strings.TrimPrefix(named(get(t, server.URL, "/").body)[0], assetsPath), "/")
	for _, path := range []string{"/" + name, assetsPath + "0123456789abcdef/" + name} {
		if now := get(t, server.URL, path).header.Get("Cache-Control"); now != "no-cache" {
			t.Errorf("%s: %q", path, now)
		}
	}
	for _, path := range []string{assetsPath, assetsPath + "x", assetsPath + "x/y.js", "/failure.html", "/vendor", "/static/chat.js"} {
		if status, answer := request(t, server, "GET", path, "", nil); status != http.StatusNotFound {
			t.Errorf("%s: %d %s", path, status, answer)
		}
	}
}

// TestShell proves what the chat weighs before it is there, compressed: Markdown and colours
// for code come later.
func TestShell(t *testing.T) {
	const most = 60_000
	server := serve(t, &memory{}, nil)
	page := get(t, server.URL, "/", asZip...)
	parts := named(get(t, server.URL, "/").body)
	weight := len(page.body)
	for _, part := range parts {
		weight += len(get(t, server.URL, part, asZip...).body)
		if strings.Contains(part, "highlight") || strings.Contains(part, "markdown-it") || strings.Contains(part, "dompurify") || strings.Contains(part, "/words/") {
			t.Errorf("the chat does not begin without %s", part)
		}
	}
	t.Logf("the shell of the chat: %d bytes in %d parts", weight, len(parts)+1)
	if weight > most {
		t.Errorf("the shell of the chat weighs %d bytes, and may %d", weight, most)
	}
}
