package web

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"errand/api"
	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/service"
)

// TestBadBodies proves that no operation reads what is declared as anything but JSON, nor what
// is nested too deep, and that each says so as a problem.
func TestBadBodies(t *testing.T) {
	backend := &memory{reply: true, seen: map[string]int64{}}
	server := serve(t, backend, nil)
	deep := `{"agent":"sasha","task":"x","context":` + strings.Repeat(`{"session":`, content.MaxJSONDepth) + `1` + strings.Repeat("}", content.MaxJSONDepth) + `}`
	for _, path := range []string{"/api/tasks", "/trigger-bot"} {
		body := `{"agent":"sasha","text":"x"}`
		if path == "/trigger-bot" {
			body = `{"agent":"sasha","task":"x"}`
		}
		for _, tt := range []struct {
			name, kind, body string
			status           int
			want             string
		}{
			{"a form", "application/x-www-form-urlencoded", body, 415, "urn:errand:problem:media_type"},
			{"a form of text", "text/plain;charset=UTF-8", body, 415, "application/json"},
			{"a form of files", "multipart/form-data; boundary=x", body, 415, "media_type"},
			{"a form with nothing in it", "application/x-www-form-urlencoded", "", 415, "media_type"},
			{"nested too deep", "application/json", deep, 400, "urn:errand:problem:too_deep"},
		} {
			given := len(backend.given)
			status, answer := request(t, server, "POST", path, tt.body, map[string]string{"Content-Type": tt.kind})
			if status != tt.status || !strings.Contains(answer, tt.want) || len(backend.given) != given {
				t.Errorf("%s at %s is answered %d %s, and %d tasks are given", tt.name, path, status, answer, len(backend.given)-given)
			}
		}
		for _, kind := range []string{"", "application/json; charset=utf-8"} {
			header := map[string]string{}
			if kind != "" {
				header["Content-Type"] = kind
			}
			if status, answer := request(t, server, "POST", path, body, header); status/100 != 2 {
				t.Errorf("%q at %s is answered %d %s", kind, path, status, answer)
			}
		}
	}
	if status, answer := request(t, server, "POST", "/api/pause", "", map[string]string{"Content-Type": "text/plain"}); status != 415 {
		t.Errorf("what takes no body is answered %d %s", status, answer)
	}
	if status, answer := request(t, server, "PUT", "/api/files/5f/content?path=a.txt", "hello", map[string]string{"Content-Type": "text/plain"}); status != 200 {
		t.Errorf("a file is answered %d %s", status, answer)
	}
}

// FuzzDecode proves that nothing a request says breaks what reads it, that what is wrong with
// it is the client's, and that what is taken from path and query is text for any database.
func FuzzDecode(f *testing.F) {
	f.Add("t-1", "7", "ABCD-EFGH", "limit=3&state=working,completed&role=member&before=2026-11-26&tree&q=x&plain=y", []byte(`{"text":"x","list":[1],"more":{"a":null}}`))
	f.Add("\x00", "-1", "%", "limit=1001&state=%ff&before=x&tree=maybe&q=\x00;&plain=%00", []byte(`{"text":"x"}{}`))
	f.Add("é", "9223372036854775808", " ", "limit=&limit=2&after=W10", []byte(`[[[`))
	f.Add("", "", "", "", []byte("{\"text\":\"\xff\"}"))
	type in struct {
		api.After
		ID     string           `path:"id" id:"task"`
		Free   string           `path:"free"`
		Number int64            `path:"number" id:"delivery"`
		Code   string           `path:"code" id:"code"`
		Limit  int              `query:"limit" default:"100" maximum:"1000"`
		States []core.TaskState `query:"state"`
		Role   core.Role        `query:"role"`
		Before dateOrTime       `query:"before"`
		Tree   bool             `query:"tree"`
		Text   string           `query:"q" maxLength:"20"`
		Plain  string           `query:"plain"`
		Body   struct {
			Text string         `json:"text"`
			List []int          `json:"list"`
			More map[string]any `json:"more"`
		}
	}
	f.Fuzz(func(t *testing.T, id, number, code, query string, body []byte) {
		r := httptest.NewRequest(http.MethodPost, "/api/x", strings.NewReader(string(body)))
		r.URL.RawQuery = query
		for name, value := range map[string]string{"id": id, "free": id, "number": number, "code": code} {
			r.SetPathValue(name, value)
		}
		var got in
		err := decode(httptest.NewRecorder(), r, &got)
		if err == nil {
			_, err = service.ParseCursor("listTasks", got.After.After)
		}
		var known *service.Error
		if err != nil {
			if !errors.As(err, &known) || statusFor(known.Kind) >= 500 {
				t.Fatalf("the error is %v", err)
			}
			return
		}
		for _, text := range []string{got.ID, got.Free, got.Code, got.Text, got.Plain, got.After.After, string(got.Role)} {
			if !service.IsText(text) {
				t.Fatalf("%q is taken for text", text)
			}
		}
		if got.Limit < 1 || got.Limit > 1000 || got.Number < 1 || len(got.Body.List) > mostEntries {
			t.Fatalf("it is taken as %+v", got)
		}
	})
}
