package web

//go:generate ./bundle.sh

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"errand/internal/service"
)

// assetsPath is the prefix of the assets' paths. The hash of all assets follows, so that browsers
// may cache them forever. Assets refer to each other by relative paths, which keep the hash.
const assetsPath = "/assets/"

// assets contain nothing about the caller, so compression reveals no secrets (BREACH).
type assets struct {
	hash   string
	byName map[string]*asset
	pages  map[string]map[string]*asset // by name and language
}

// An asset is compressed at the first request for its compressed form.
type asset struct {
	kind, tag string
	permits   string // of a page: what its policy adds for the inline style and script
	body      []byte
	zipped    func() []byte
}

// ownParts omits failure.html, which is rendered for each failure.
var ownParts = sync.OnceValues(func() (map[string]*asset, error) {
	byName := map[string]*asset{}
	for _, folder := range []string{"static", "bundle"} {
		err := fs.WalkDir(parts, folder, func(path string, entry fs.DirEntry, err error) error {
			name := strings.TrimPrefix(path, folder+"/")
			if err != nil || entry.IsDir() || name == "failure.html" {
				return err
			}
			body, err := fs.ReadFile(parts, path)
			byName[name] = newAsset(name, body)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return byName, nil
})

func newAsset(name string, body []byte) *asset {
	kind := mime.TypeByExtension(path.Ext(name))
	switch path.Ext(name) {
	case ".js": // not the type that this machine is configured with
		kind = "text/javascript; charset=utf-8"
	}
	return &asset{kind: kind, tag: fmt.Sprintf("%x", sha256.Sum256(body)), body: body, zipped: sync.OnceValue(func() []byte { return zip(body) })}
}

// zip returns nil if compression gains nothing.
func zip(text []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil // the level is valid
	}
	_, err = w.Write(text)
	if err != nil || w.Close() != nil || out.Len() >= len(text) {
		return nil
	}
	return out.Bytes()
}

// serve answers 304 if the browser has the asset.
func (one *asset) serve(w http.ResponseWriter, r *http.Request, name string) {
	h, body, tag := w.Header(), one.body, one.tag
	h.Set("Content-Type", one.kind)
	if one.permits != "" {
		h.Set(policyHeader, h.Get(policyHeader)+one.permits)
	}
	h.Set("Vary", "Accept-Encoding")
	if accepts(r, "gzip") {
		if z := one.zipped(); z != nil {
			body, tag = z, tag+"-gzip"
			h.Set("Content-Encoding", "gzip")
			h.Set("Content-Length", strconv.Itoa(len(body)))
		}
	}
	h.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(body)) // embedded files have no time
}

func (s *Server) page(name string) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		s.assets.pages[name][s.readersTexts(r).Language().Tag].serve(w, r, name)
		return nil
	}
}

// getAsset also serves an asset under the hash of another version, but without a long cache life.
func (s *Server) getAsset(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	hash, below, hashed := strings.Cut(strings.TrimPrefix("/"+name, assetsPath), "/")
	if hashed = hashed && strings.HasPrefix("/"+name, assetsPath); hashed {
		name = below
	} else if name == "" {
		name = "index.html"
	}
	one := s.assets.byName[name]
	switch {
	case one == nil || path.Ext(name) == ".json" && name != "manifest.json":
		s.fail(w, r, service.Refuse(service.KindNotFound, "not_found", "refusal.no_page"))
		return
	case path.Ext(name) == ".html":
		one = s.assets.pages[name][s.readersTexts(r).Language().Tag]
	case hashed && hash == s.assets.hash:
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	one.serve(w, r, name)
}

func accepts(r *http.Request, encoding string) bool {
	for _, list := range r.Header.Values("Accept-Encoding") {
		for one := range strings.SplitSeq(list, ",") {
			name, weight, _ := strings.Cut(strings.TrimSpace(one), ";")
			if !strings.EqualFold(strings.TrimSpace(name), encoding) {
				continue
			}
			q, err := strconv.ParseFloat(strings.TrimPrefix(strings.ReplaceAll(weight, " ", ""), "q="), 64)
			return weight == "" || err == nil && q > 0
		}
	}
	return false
}
