// Package whisper is a server for tests that writes down speech as the servers do that
// people have at home: each takes what its kind takes, and answers and refuses in its words.
package whisper

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
)

// A Kind is a program.
type Kind string

// The kinds.
const (
	// Cpp is whisper.cpp's server, started with
	// --inference-path /v1/audio/transcriptions and, except for Unconverted, --convert
	// (https://github.com/ggml-org/whisper.cpp/tree/master/examples/server).
	Cpp Kind = "whisper.cpp"
	// Speaches is what was faster-whisper-server (https://github.com/speaches-ai/speaches).
	Speaches Kind = "speaches"
	// LocalAI: https://github.com/mudler/LocalAI/issues/5327
	LocalAI Kind = "localai"
)

// A Server is one of them, below /v1.
type Server struct {
	Kind Kind
	// Says is what is on every recording.
	Says string
	// Unconverted has whisper.cpp take WAV only.
	Unconverted bool
	// Model is the one that is installed.
	Model string

	mu     sync.Mutex
	fields map[string]string
	file   []byte
}

// Got is what the latest request had: its fields, and the recording.
func (s *Server) Got() (fields map[string]string, file []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fields, s.file
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/v1/audio/transcriptions" || r.ParseMultipartForm(32<<20) != nil {
		answer(w, http.StatusNotFound, map[string]any{"detail": "Not Found"})
		return
	}
	fields := map[string]string{}
	for name, values := range r.MultipartForm.Value {
		fields[name] = values[0]
	}
	file, head, err := r.FormFile("file")
	if err != nil {
		answer(w, http.StatusOK, map[string]any{"error": "no 'file' field in the request"})
		return
	}
	data, _ := io.ReadAll(file) // it is in memory
	fields["filename"] = head.Filename
	s.mu.Lock()
	s.fields, s.file = fields, data
	s.mu.Unlock()
	switch s.Kind {
	case Cpp:
		if s.Unconverted && !strings.HasPrefix(string(data), "RIFF") {
			// It is 400 in today's server.cpp, and 200 in those of before.
			answer(w, http.StatusOK, map[string]any{"error": "failed to read audio data"})
			return
		}
		answer(w, http.StatusOK, map[string]any{"text": " " + s.Says + "\n"})
	case Speaches:
		if fields["model"] != s.Model {
			// https://github.com/Osmantic/ODS/issues/1247
			answer(w, http.StatusNotFound, map[string]any{"detail": "Model '" + fields["model"] + "' is not installed locally. You can download the model using `POST /v1/models`"})
			return
		}
		answer(w, http.StatusOK, map[string]any{"text": s.Says})
	case LocalAI:
		// Times are nanoseconds, there is no duration, and tokens may be null.
		answer(w, http.StatusOK, map[string]any{"text": s.Says, "segments": []any{map[string]any{"id": 0, "start": 0, "end": int64(2_480_000_000), "text": s.Says, "tokens": nil}}})
	}
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that left is its own test
}
