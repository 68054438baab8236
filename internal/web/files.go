package web

import (
	"io"
	"mime"
	"net/http"
	"path"
	"strconv"

	"errand/internal/content"
	"errand/internal/service"
)

// maxFile is the largest file that is taken, in bytes; the store has its own bound.
const maxFile = 20_000_000

const (
	filesAbout = "A session and all tasks that are delegated from it share their files, and so does the next session of the chat. The id may be shortened."
	fileAbout  = "It comes as an attachment, with the type that its content has. For whoever may read the conversation; for others it is not there."
)

type workspacesIn struct {
	ofPerson
	inPage
	Limit int `query:"limit" default:"100" maximum:"1000" description:"at most so many, 100 by default"`
}

func (s *Server) getWorkspaces(r *http.Request, in workspacesIn, p service.Page) ([]service.Workspace, error) {
	return s.Backend.Workspaces(r.Context(), actor(r), in.Person, p)
}

type filesIn struct {
	Of     string `path:"of" id:"session" description:"id of a session or a task, or its beginning"`
	Folder string `query:"folder" maxLength:"400" description:"only what is in this folder"`
	After  string `query:"after" maxLength:"400" description:"only what is behind this path: for the next page"`
	Limit  int    `query:"limit" default:"1000" maximum:"10000" description:"at most so many, 1000 by default"`
}

func (s *Server) getFiles(r *http.Request, in filesIn) ([]service.File, error) {
	return s.Backend.Files(r.Context(), actor(r), in.Of, service.FileFilter{Folder: in.Folder, After: in.After, Limit: in.Limit})
}

type fileIn struct {
	Of   string `path:"of" id:"session" description:"id of a session or a task, or its beginning"`
	Path string `query:"path" maxLength:"400" description:"of the file, such as notes/plan.md"`
}

type fileVersionIn struct {
	fileIn
	Version int `query:"version" maximum:"1000000000" description:"an earlier version; the latest when left out"`
}

func (s *Server) getFile(w http.ResponseWriter, r *http.Request, in fileVersionIn) error {
	f, from, err := s.Backend.OpenFile(r.Context(), actor(r), in.Of, in.Path, in.Version)
	if err != nil {
		return err
	}
	return handOver(w, f, from)
}

type sentFileIn struct {
	ID int64 `path:"id" id:"file" description:"of the version, as the event or the delivery says"`
}

func (s *Server) getFileVersion(w http.ResponseWriter, r *http.Request, in sentFileIn) error {
	f, from, err := s.Backend.OpenFileVersion(r.Context(), actor(r), in.ID)
	if err != nil {
		return err
	}
	return handOver(w, f, from)
}

// handOver writes a file. It is never shown as a page of ours, whatever is in it.
func handOver(w http.ResponseWriter, f service.File, from io.Reader) error {
	h := w.Header()
	h.Set("Content-Type", f.Type)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": content.Name(path.Base(f.Path), f.Type)}))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("Content-Length", strconv.FormatInt(f.Size, 10))
	h.Set("X-Errand-Version", strconv.Itoa(f.Version))
	if _, err := io.Copy(w, from); err != nil {
		panic(http.ErrAbortHandler) // what has been written is not the whole
	}
	return nil
}

func (s *Server) putFile(w http.ResponseWriter, r *http.Request, in fileIn) error {
	data, err := readBody(w, r, maxFile)
	if err != nil {
		return err
	}
	done, err := s.Backend.PutFile(r.Context(), actor(r), in.Of, in.Path, data)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, done)
}

func (s *Server) deleteFile(r *http.Request, in fileIn) (service.File, error) {
	return s.Backend.RemoveFile(r.Context(), actor(r), in.Of, in.Path)
}
