package discord

import (
	"fmt"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"time"
)

type stored struct {
	kind string
	data []byte
}

// linkLives is how long the link to a file is good for. One gets another with
// the message.
const linkLives = 24 * time.Hour

var unsafe = regexp.MustCompile(`[^A-Za-z0-9._-]`)

func (s *Server) store(c *Channel, name, kind string, data []byte) attachment {
	a := attachment{ID: s.id(), Filename: unsafe.ReplaceAllString(path.Base(name), "_"), ContentType: kind, Size: len(data)}
	if a.ContentType == "" {
		a.ContentType = http.DetectContentType(data)
	}
	a.path = "/attachments/" + c.ID + "/" + a.ID + "/" + a.Filename
	s.files[a.path] = &stored{a.ContentType, data}
	return a
}

func (s *Server) sign(a attachment) attachment {
	q := url.Values{"ex": {strconv.FormatInt(s.until(linkLives).Unix(), 16)}, "is": {strconv.FormatInt(s.opts.Now().Unix(), 16)}, "hm": {fmt.Sprintf("%064s", a.ID)}}
	a.URL = "https://cdn.discordapp.com" + a.path + "?" + q.Encode()
	a.ProxyURL = "https://media.discordapp.net" + a.path + "?" + q.Encode()
	return a
}

// download serves /attachments/: no token is needed but the one in the link.
func (s *Server) download(w http.ResponseWriter, hr *http.Request) {
	call := &Call{Route: Download, Path: hr.URL.RequestURI(), At: s.opts.Now()}
	s.mu.Lock()
	s.calls = append(s.calls, call)
	fault := s.takeFault(Download)
	s.happened()
	f := s.files[hr.URL.Path]
	expires, err := strconv.ParseInt(hr.URL.Query().Get("ex"), 16, 64)
	if err != nil || s.opts.Now().Unix() >= expires {
		f = nil
	}
	s.mu.Unlock()
	if fault.Kind != "" && fault.Kind != Slow || f == nil {
		s.meet(w, &request{Request: hr, route: Download, call: call}, fault, func() (any, error) { return nil, errNotFound })
		return
	}
	if fault.Kind == Slow && !s.wait(fault, hr.Context().Done()) {
		return
	}
	w.Header().Set("Content-Type", f.kind)
	w.Write(f.data)
	s.answered(call, http.StatusOK)
}
