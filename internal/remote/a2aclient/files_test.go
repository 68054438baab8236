package a2aclient_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"errand/internal/core"
	"errand/internal/remote/a2aclient"
)

// A scriptedServer is an agent over JSON-RPC of one version: a request is answered with what
// its method has.
type scriptedServer struct {
	*httptest.Server
	mux     *http.ServeMux
	card    string // its capabilities, as JSON
	answers map[string]string
	stream  http.HandlerFunc // of SubscribeToTask
}

func newScriptedServer(t *testing.T) *scriptedServer {
	s := &scriptedServer{mux: http.NewServeMux(), card: `{}`, answers: map[string]string{}}
	s.Server = httptest.NewServer(s.mux)
	t.Cleanup(s.Close)
	s.mux.HandleFunc("GET /card", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"name":"Oracle","capabilities":%s,"supportedInterfaces":[{"url":"%s/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`, s.card, s.URL)
	})
	s.mux.HandleFunc("POST /rpc", func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			ID     any
			Method string
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		if in.Method == "SubscribeToTask" && s.stream != nil {
			s.stream(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, must(json.Marshal(in.ID)), s.answers[in.Method])
	})
	return s
}

func (s *scriptedServer) peer(o a2aclient.Options) *a2aclient.Peer {
	o.Card = s.URL + "/card"
	return must(a2aclient.New(o))
}

// TestFiles proves that the files of a result are there with it: those in it and those
// elsewhere, under harmless names and by the types that their bytes are of; and that what
// cannot be had is said, for each file in a line.
func TestFiles(t *testing.T) {
	png := append([]byte("\x89PNG\r\n\x1a\n"), bytes.Repeat([]byte("["), 200)...) // which as JSON would be too deep
	raw := func(data []byte, more string) string {
		return `{"raw":"` + base64.StdEncoding.EncodeToString(data) + `"` + more + `}`
	}
	for _, test := range []struct {
		name  string
		parts []string
		text  string
		want  []string // name, type and size, or name and fault
	}{
		{"in it", []string{`{"text":"Here."}`, raw(png, `,"filename":"map.png"`)}, "Here.", []string{"map.png image/png 208"}},
		{"nothing beside it", []string{raw([]byte("a,b\n"), `,"filename":"t.csv"`)}, "", []string{"t.csv text/plain 4"}},
		{"elsewhere, with the key", []string{`{"url":"HOME/files/map.png"}`}, "", []string{"map.png image/png 208"}},
		{"of a hostile name and type", []string{raw([]byte("<script>"), `,"filename":"../../etc/\u202epass]wd\u0007","mediaType":"image/png"`)}, "", []string{"pass)wd text/html 8"}},
		{"without a name", []string{raw([]byte("hello"), "")}, "", []string{"file.txt text/plain 5"}},
		{"empty", []string{raw(nil, `,"filename":"nothing"`)}, "", []string{"nothing text/plain 0"}},
		{"too large", []string{raw(make([]byte, 8<<20+1), `,"filename":"big"`)}, "", []string{"big: it is too large"}},
		{"too large elsewhere", []string{`{"url":"HOME/files/big"}`}, "", []string{"big: HOME/files/big: it is too large"}},
		{"not there", []string{`{"url":"HOME/files/none"}`}, "", []string{"none: HOME/files/none: it is answered with 404"}},
		{"in a private network", []string{`{"url":"http://10.0.0.1/a"}`}, "", []string{"a: http://10.0.0.1/a: the host is"}},
		{"led into a private network", []string{`{"url":"HOME/files/away"}`}, "", []string{"away: http://10.0.0.1/a: the host is"}},
		{"on another port of its host", []string{`{"url":"OTHER/a"}`}, "", []string{"a: OTHER/a: the peer's card leads to another port"}},
		{"of another scheme", []string{`{"url":"file:///etc/passwd"}`}, "", []string{"file: file:///etc/passwd: \"file\" is not"}},
		{"of no address", []string{`{"url":"::"}`}, "", []string{"file: "}},
		{"too many", slices.Repeat([]string{raw([]byte("x"), `,"filename":"x"`)}, 13), "", append(slices.Repeat([]string{"x text/plain 1"}, 10), "3 more: a result may have 10")},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScriptedServer(t)
			leaked := false
			other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { leaked = true }))
			defer other.Close()
			s.mux.HandleFunc("GET /files/{name}", func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.Header.Get("Authorization") != "Bearer k":
					w.WriteHeader(http.StatusUnauthorized)
				case r.PathValue("name") == "away":
					http.Redirect(w, r, "http://10.0.0.1/a", http.StatusFound)
				case r.PathValue("name") == "map.png":
					w.Write(png)
				case r.PathValue("name") == "big":
					w.Write(make([]byte, 9<<20))
				default:
					w.WriteHeader(http.StatusNotFound)
				}
			})
			at := strings.NewReplacer("HOME", s.URL, "OTHER", other.URL)
			s.answers["GetTask"] = `"result":{"id":"p-1","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[` + at.Replace(strings.Join(test.parts, ",")) + `]}]}`
			told, err := s.peer(a2aclient.Options{Headers: map[string]string{"Authorization": "Bearer k"}}).Poll(t.Context(), "p-1")
			if err != nil || told.State != core.Completed || told.Text != test.text || len(told.Files) != len(test.want) || leaked {
				t.Fatalf("it stands as %s with %q and %d files, %v; leaked %v", told.State, told.Text, len(told.Files), err, leaked)
			}
			for i, f := range told.Files {
				got := fmt.Sprintf("%s %s %d", f.Name, f.Type, len(f.Data))
				if f.Fault != "" {
					got = f.Name + ": " + f.Fault
				}
				if want := at.Replace(test.want[i]); got != want && !(f.Fault != "" && strings.HasPrefix(got, want)) {
					t.Errorf("a file is %q, want %q", got, want)
				}
			}
		})
	}
}
