package whatsapp

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"path"
	"strings"
)

const mediaHost = "mmg.whatsapp.net"

func (s *Server) serveMedia(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	var fault int
	if len(s.media) > 0 && r.Header.Get(phoneHeader) == "" {
		fault, s.media = s.media[0], s.media[1:]
	}
	s.mu.Unlock()
	switch {
	case fault != 0:
		w.Header().Set("Retry-After", "0") // so that nobody waits for clients that try again
		http.Error(w, http.StatusText(fault), fault)
	case r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/mms/"):
		s.upload(w, r)
	case r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/v/"):
		s.mu.Lock()
		file, ok := s.files[path.Base(r.URL.Path)]
		s.mu.Unlock()
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Write(file)
	default:
		http.NotFound(w, r)
	}
}

func (s *Server) upload(w http.ResponseWriter, r *http.Request) {
	file, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.opts.MaxMedia))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	sum := sha256.Sum256(file)
	if path.Base(r.URL.Path) != base64.URLEncoding.EncodeToString(sum[:]) {
		http.Error(w, "the token is not the hash of the file", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	name := s.stanza() + ".enc"
	s.files[name] = file
	s.happened()
	s.mu.Unlock()
	at := "/v/t62.0-24/" + name + "?ccb=11-4"
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]string{"url": "https://" + mediaHost + at, "direct_path": at})
}
