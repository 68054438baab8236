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

// assetsPath begins the addresses by which pages name their parts. What follows is the hash
// of all parts together: a browser keeps what it has by such an address, and a newer errand
// has others. A part names the next one relatively, so it has the same.
const assetsPath = "/assets/"

// assets are the parts of pages as browsers are sent them. It says nothing of anybody, and
// holds nothing of who asks: compressed, it tells nobody what else is in it (BREACH).
type assets struct {
	hash   string
	byName map[string]*asset
}

// An asset is one part. It is compressed when somebody first wants it so.
type asset struct {
	kind, tag string
	permits   string // of a page: what it has within, as its policy names it
	body      []byte
	zipped    func() []byte
}

// ownAssets are the parts that are in the program: the same for all servers of a process.
var ownAssets = sync.OnceValues(func() (*assets, error) {
	a := &assets{byName: map[string]*asset{}}
	for _, folder := range []string{"static", "bundle"} {
		files, err := fs.Sub(parts, folder)
		if err == nil {
			err = a.read(files)
		}
		if err != nil {
			return nil, err
		}
	}
	a.assemble()
	return a, nil
})

// read adds the files of a folder. failure.html is no part: it is written anew for each failure.
func (a *assets) read(files fs.FS) error {
	return fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || name == "failure.html" {
			return err
		}
		body, err := fs.ReadFile(files, name)
		if err == nil {
			a.byName[name] = newAsset(name, body)
		}
		return err
	})
}

func newAsset(name string, body []byte) *asset {
	kind := mime.TypeByExtension(path.Ext(name))
	switch path.Ext(name) {
	case ".js": // whatever this machine takes them for
		kind = "text/javascript; charset=utf-8"
	}
	return &asset{kind: kind, tag: fmt.Sprintf("%x", sha256.Sum256(body)), body: body, zipped: sync.OnceValue(func() []byte { return zip(body) })}
}

// zip returns a text compressed; nil where that gains nothing.
func zip(text []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil // there is such a level
	}
	_, err = w.Write(text)
	if err != nil || w.Close() != nil || out.Len() >= len(text) {
		return nil
	}
	return out.Bytes()
}

// serve sends a part. A browser that names no hash asks every time, and is sent only what it
// does not have.
func (a *assets) serve(w http.ResponseWriter, r *http.Request, name string) {
	one := a.byName[name]
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
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(body)) // what is in the program has no time
}

// page serves one of the pages.
func (s *Server) page(name string) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		s.assets.serve(w, r, name)
		return nil
	}
}

// getAsset serves what pages are made of, and says what is not there. Under the hash of
// another errand, whose page is still open somewhere, it serves what it has, not for long.
func (s *Server) getAsset(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	hash, below, hashed := strings.Cut(strings.TrimPrefix("/"+name, assetsPath), "/")
	if hashed = hashed && strings.HasPrefix("/"+name, assetsPath); hashed {
		name = below
	} else if name == "" {
		name = "index.html"
	}
	if one := s.assets.byName[name]; one == nil || path.Ext(name) == ".json" && name != "manifest.json" {
		s.fail(w, r, service.Refuse(service.KindNotFound, "not_found", "refusal.no_page"))
		return
	}
	if hashed && hash == s.assets.hash && path.Ext(name) != ".html" {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	s.assets.serve(w, r, name)
}

// accepts reports whether who asks can read an encoding.
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
