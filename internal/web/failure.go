package web

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"errand/internal/service"
)

// failures is what people see in a browser where a program would get JSON.
var failures = template.Must(template.ParseFS(static, "static/failure.html"))

// headlines say in a few words what the matter is.
var headlines = map[service.Kind]string{
	service.KindForbidden: "failure.forbidden",
	service.KindNotFound:  "failure.not_found",
	service.KindTooMany:   "failure.too_many",
}

// failurePage shows an error with a way back.
func (s *Server) failurePage(w http.ResponseWriter, r *http.Request, e *service.Error) {
	phrases := s.textsFor(r)
	headline := cmp.Or(headlines[e.Kind], "failure.other")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(statusFor(e.Kind))
	if err := failures.Execute(w, map[string]any{"Language": phrases.Language().Tag, "Headline": phrases.Localize(headline), "Message": e.Text(phrases), "Back": phrases.Localize("failure.back"), "LogIn": phrases.Localize("failure.login")}); err != nil {
		s.Logger.Debug("error not told", "error", err)
	}
}

// files serves the static parts of pages, and says what is not there. A browser
// asks every time and is sent only what it does not have: what is in the program
// has no time, by which it could tell otherwise.
func (s *Server) files(files fs.FS) http.Handler {
	serve := http.FileServerFS(files)
	tags := tagsOf(files)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
		info, err := fs.Stat(files, name)
		if name == "" || err == nil && !info.IsDir() && (path.Ext(name) != ".json" || name == "manifest.json") && name != "failure.html" {
			if tag := tags[name]; tag != "" {
				w.Header().Set("ETag", tag)
			}
			serve.ServeHTTP(w, r)
			return
		}
		s.fail(w, r, service.Refuse(service.KindNotFound, "not_found", "refusal.no_page"))
	})
}

// tagsOf returns the entity tag of every file by its name. A file that cannot be
// read has none, and is sent whole.
func tagsOf(files fs.FS) map[string]string {
	tags := map[string]string{}
	_ = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error { // it returns no error but ours
		if err != nil || entry.IsDir() {
			return nil
		}
		if raw, err := fs.ReadFile(files, name); err == nil {
			tags[name] = fmt.Sprintf(`"%x"`, sha256.Sum256(raw))
		}
		return nil
	})
	return tags
}
