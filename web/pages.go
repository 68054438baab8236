package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"errand"
)

//go:embed static
var files embed.FS

var templates = template.Must(template.ParseFS(files, "static/*.html"))

// pageData is what the pages know when they are loaded. The rest they ask the
// API for.
type pageData struct {
	Chat      string
	Primary   string // the agent who answers first, as people read it
	Helper    string // another agent, for the suggestions
	Workflows string // prefix of a task's address in the Temporal Web UI; may be empty
	WebUI     string
	DemoModel bool
	Version   string
	Next      string // of the login form: where to go
	Problem   string // of the login form
}

func (s *Server) chatPage(w http.ResponseWriter, r *http.Request) {
	chat := r.URL.Query().Get("chat")
	if chat == "" || !utf8.ValidString(chat) {
		chat = "main"
	}
	s.page(w, http.StatusOK, "chat.html", pageData{Chat: chat})
}

func (s *Server) tasksPage(w http.ResponseWriter, r *http.Request) {
	s.page(w, http.StatusOK, "tasks.html", pageData{Chat: r.URL.Query().Get("chat")})
}

func (s *Server) page(w http.ResponseWriter, status int, name string, data pageData) {
	data.DemoModel, data.Version, data.WebUI = s.DemoModel, s.Version, strings.TrimRight(s.WebUI, "/")
	if data.WebUI != "" {
		data.Workflows = data.WebUI + "/namespaces/" + url.PathEscape(s.Namespace) + "/workflows/"
	}
	data.Primary, data.Helper = s.names()
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, data); err != nil {
		panic(err) // the templates are ours
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(b.Bytes())
}

// names returns the primary agent and one that it could send on an errand.
func (s *Server) names() (primary, helper string) {
	for _, a := range s.Backend.Agents() {
		switch {
		case a.Primary:
			primary = a.Name.Display()
		case helper == "" || a.Name == errand.AgentName("sasha"):
			helper = a.Name.Display()
		}
	}
	return primary, helper
}

// static serves a file of the pages. Browsers keep it and ask whether it has
// changed: a new version of errand is seen at once.
func (s *Server) static(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	content, err := files.ReadFile("static/" + name)
	if err != nil || path.Ext(name) == ".html" {
		http.NotFound(w, r)
		return
	}
	sum := sha256.Sum256(content)
	w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:8])+`"`)
	w.Header().Set("Cache-Control", "no-cache")
	if t := contentTypes[path.Ext(name)]; t != "" {
		w.Header().Set("Content-Type", t)
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}

// contentTypes are given here because the machine's own list may be wrong, and
// browsers do not run a module of another type.
var contentTypes = map[string]string{
	".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml", ".json": "application/json",
}

func (s *Server) openAPI(w http.ResponseWriter, _ *http.Request) error {
	content, err := files.ReadFile("static/openapi.json")
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(content)
	return nil
}
