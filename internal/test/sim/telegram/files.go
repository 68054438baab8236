package telegram

import (
	"net/http"
	"strconv"
)

const mostFile = 20 << 20

// A stored is a file that somebody sent.
type stored struct {
	File
	data []byte
}

// store keeps a file. size is what is said of it; 0: what is true. The caller
// holds mu.
func (s *Server) store(data []byte, size int, folder string) *File {
	id := strconv.FormatInt(s.id(), 10)
	f := File{ID: "file" + id, UniqueID: "u" + id, Size: len(data), Path: folder + "/" + id}
	if size != 0 {
		f.Size = size
	}
	s.files[f.ID] = &stored{f, data}
	f.Path = "" // getFile tells
	return &f
}

// Expire makes the platform forget all files that were sent so far.
func (s *Server) Expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.files)
}

func (s *Server) getFile(r *request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.files[r.params["file_id"]]
	switch {
	case !ok:
		return nil, bad("invalid file_id")
	case f.Size > mostFile || len(f.data) > mostFile:
		return nil, bad("file is too big")
	}
	return File{ID: f.ID, UniqueID: f.UniqueID, Size: f.Size, Path: f.Path}, nil
}

// download answers /file/bot<token>/<path>. It meets the faults of "download".
func (s *Server) download(w http.ResponseWriter, path string) {
	s.mu.Lock()
	var data []byte
	found := false
	for _, f := range s.files {
		if f.Path == path {
			data, found = f.data, true
		}
	}
	s.calls = append(s.calls, Call{"download", map[string]string{"path": path}, s.opts.Now()})
	fault := s.takeFault("download")
	s.happened()
	s.mu.Unlock()
	switch {
	case fault.Kind == Broken:
		reply(w, nil, &refusal{code: 500, text: "Internal Server Error"})
	case fault.Kind == DieBefore:
		panic(http.ErrAbortHandler)
	case !found:
		reply(w, nil, &refusal{code: 404, text: "Not Found"})
	case fault.Kind == DieAfter: // half of it
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		w.Write(data[:len(data)/2])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	default:
		w.Write(data)
	}
}
