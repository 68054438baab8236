package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/rights"
)

type listInput struct {
	api.After
	State []core.TaskState `query:"state"`
	Since api.DateOrTime   `query:"since"`
	Limit int              `query:"limit" default:"100" maximum:"1000"`
}

type uploadInput struct {
	Name string `path:"name"`
	Body api.Upload
}

type status struct {
	Code int `json:"code"`
}

func (s status) HTTPStatus() int { return s.Code }

var (
	listOp   = api.Op[listInput, api.List[string]]{Name: "list", Needs: rights.TasksRead, Route: "GET /api/test/list"}
	fileOp   = api.Op[api.None, api.File]{Name: "file", Needs: rights.TasksRead, Route: "GET /api/test/file", Media: "text/plain"}
	uploadOp = api.Op[uploadInput, string]{Name: "upload", Needs: rights.PeopleChange, Route: "PUT /api/test/{name}", MaxBody: 2 << 20, Media: "application/octet-stream", Status: http.StatusCreated}
	statusOp = api.Op[api.None, status]{Name: "status", Needs: rights.TasksRead, Route: "GET /api/test/status"}
)

// operated serves one operation as the owner asks for it.
func operated(t *testing.T, op api.Any, bind func(*ops.Runner)) (*Server, http.Handler) {
	t.Helper()
	m := &memory{}
	s := newServer(t, m, nil)
	bind(s.Runner)
	return s, s.identified(s.answered(func(w http.ResponseWriter, r *http.Request) error { return s.run(w, r, op) }))
}

func asked(h http.Handler, token, method, target, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+token)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// TestListOperation proves that a list has its parameters, its cursor and its link, and is never
// null.
func TestListOperation(t *testing.T) {
	var got listInput
	items := []string{"a", "b"}
	_, h := operated(t, listOp, func(r *ops.Runner) {
		ops.Bind(r, listOp, func(_ context.Context, _ actor.Actor, in listInput) (api.List[string], error) {
			got = in
			return api.List[string]{Items: items, Next: "here"}, nil
		})
	})
	w := asked(h, testKey, "GET", "/api/test/list?state=working,failed&since=2026-11-21&limit=2&after=x", "")
	require.Equal(t, 200, w.Code, w.Body)
	require.Equal(t, `["a","b"]`+"\n", w.Body.String())
	require.Equal(t, `<?after=here&limit=2&since=2026-11-21&state=working%2Cfailed>; rel="next"`, w.Header().Get("Link"))
	require.Equal(t, []core.TaskState{core.Working, core.Failed}, got.State)
	require.Equal(t, "2026-11-21", got.Since.Format("2006-01-02"))
	require.Equal(t, "x 2", fmt.Sprint(got.After.After, " ", got.Limit))
	items = nil
	require.Equal(t, "[]\n", asked(h, testKey, "GET", "/api/test/list", "").Body.String())
	require.Equal(t, 100, got.Limit)
	require.Equal(t, 400, asked(h, testKey, "GET", "/api/test/list?limit=0", "").Code)
}

// TestFileOperation proves that a file with a name is saved and never shown as a page of ours.
func TestFileOperation(t *testing.T) {
	f := api.File{Reader: strings.NewReader("words"), Name: "a b.html", Type: "text/html", Size: 5, Version: 3}
	_, h := operated(t, fileOp, func(r *ops.Runner) {
		ops.Bind(r, fileOp, func(context.Context, actor.Actor, api.None) (api.File, error) { return f, nil })
	})
	w := asked(h, testKey, "GET", "/api/test/file", "")
	require.Equal(t, "words", w.Body.String())
	require.Equal(t, `attachment; filename="a b.html"`, w.Header().Get("Content-Disposition"))
	require.Equal(t, "sandbox; default-src 'none'", w.Header().Get("Content-Security-Policy"))
	require.Equal(t, "text/html 5 3", w.Header().Get("Content-Type")+" "+w.Header().Get("Content-Length")+" "+w.Header().Get("X-Errand-Version"))
	f = api.File{Reader: strings.NewReader("shown")}
	w = asked(h, testKey, "GET", "/api/test/file", "")
	require.Equal(t, "text/plain", w.Header().Get("Content-Type"))
	require.Empty(t, w.Header().Get("Content-Disposition"))
}

// TestUploadOperation proves that the bytes of a request are an upload, that too many are refused,
// and that those of a caller who may not are never read.
func TestUploadOperation(t *testing.T) {
	_, h := operated(t, uploadOp, func(r *ops.Runner) {
		ops.Bind(r, uploadOp, func(_ context.Context, _ actor.Actor, in uploadInput) (string, error) {
			raw, err := io.ReadAll(in.Body)
			return fmt.Sprint(len(raw)), err
		})
	})
	w := asked(h, testKey, "PUT", "/api/test/x", "{not JSON")
	require.Equal(t, 201, w.Code, w.Body)
	require.Equal(t, "\"9\"\n", w.Body.String())
	require.Equal(t, 413, asked(h, testKey, "PUT", "/api/test/x", strings.Repeat("x", 2<<20+1)).Code)
	r := httptest.NewRequest("PUT", "/api/test/x", &unreadable{t})
	r.Header.Set("Authorization", "Bearer token-p-mia")
	refused := httptest.NewRecorder()
	h.ServeHTTP(refused, r)
	require.Equal(t, 403, refused.Code, refused.Body)
}

type unreadable struct{ t *testing.T }

func (u *unreadable) Read([]byte) (int, error) {
	u.t.Error("the body of a refused caller is read")
	return 0, errors.New("read")
}

// TestStatusOfAnswer proves that an answer decides its status.
func TestStatusOfAnswer(t *testing.T) {
	_, h := operated(t, statusOp, func(r *ops.Runner) {
		ops.Bind(r, statusOp, func(context.Context, actor.Actor, api.None) (status, error) { return status{202}, nil })
	})
	require.Equal(t, 202, asked(h, testKey, "GET", "/api/test/status", "").Code)
}

// TestClient proves what the Go client sends and reads: a path, a query, a body, a problem, and an
// answer that it does not understand.
func TestClient(t *testing.T) {
	server := serve(t, &memory{}, nil)
	c := &api.Client{Base: server.URL, Token: testKey}
	in := api.CancelTaskInput{TaskRef: api.TaskRef{TaskID: api.TaskID{ID: "t-1"}, Person: "owner"}}
	in.Body.Reason = "enough"
	done, err := api.Call(t.Context(), c, api.CancelTask, in)
	require.NoError(t, err)
	require.Equal(t, "canceled enough sasha", string(done.Value.State)+" "+done.Value.Error+" "+done.Value.Agent)
	in.ID = "t-9"
	var no *api.Problem
	_, err = api.Call(t.Context(), c, api.CancelTask, in)
	require.ErrorAs(t, err, &no)
	require.Equal(t, "404 not_found", fmt.Sprint(no.Status, " ", no.Code))
	_, err = api.Call(t.Context(), &api.Client{Base: server.URL, Token: "wrong"}, api.CancelTask, in)
	require.ErrorAs(t, err, &no)
	require.Equal(t, http.StatusUnauthorized, no.Status)
	odd := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("[1]")) }))
	defer odd.Close()
	_, err = api.Call(t.Context(), &api.Client{Base: odd.URL}, api.CancelTask, in)
	require.ErrorAs(t, err, new(*api.UnknownAnswerError))
	list, err := api.Call(t.Context(), &api.Client{Base: odd.URL}, api.Op[api.None, api.List[int]]{Route: "GET /x"}, api.None{})
	require.NoError(t, err)
	require.Equal(t, []int{1}, list.Value.Items)
}
