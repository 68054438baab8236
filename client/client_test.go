package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"errand/client"
)

// playing is an errand that answers each request with a status and what says.
func playing(status int, says string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, says)
	}))
}

func Example() {
	server := playing(http.StatusCreated, `{"id": "t-7k3m9q2x", "agent": "sasha", "state": "submitted"}`)
	defer server.Close()

	errand := &client.Client{Base: server.URL, Token: "a token of errand tokens add"}
	task, err := errand.CreateTask(context.Background(), client.CreateTaskBody{
		Agents: []string{"sasha"}, Text: "compare night trains to Oslo", Chat: new("main"),
	})
	var no *client.Problem
	switch {
	case errors.As(err, &no):
		fmt.Println("errand refuses:", no.Message)
	case err != nil:
		fmt.Println(err)
	default:
		fmt.Printf("%s is with %s\n", task.Value.ID, task.Value.Agent)
	}
	// Output: t-7k3m9q2x is with sasha
}

// TestNoErrand proves that what answers otherwise than errand does is an error, whatever
// it answers.
func TestNoErrand(t *testing.T) {
	tests := []struct {
		status int
		says   string
		want   string
	}{
		{http.StatusOK, "<html>", "not understood"},
		{http.StatusOK, "", "not understood"},
		{http.StatusOK, `{"id": 7}`, "not understood"},
		{http.StatusOK, `[]`, "not understood"},
		{http.StatusBadGateway, "<html>", "502 Bad Gateway to GET /api/tasks/a%2Fb"},
		{http.StatusForbidden, `{"error": "no"}`, "403 Forbidden"},
		{http.StatusForbidden, `{"error": {"code": "forbidden", "message": "that is for an admin"}}`, "that is for an admin"},
		{http.StatusForbidden, strings.Repeat("{", 1<<17), "403 Forbidden"},
	}
	for _, test := range tests {
		server := playing(test.status, test.says)
		_, err := (&client.Client{Base: server.URL}).GetTask(t.Context(), "a/b", nil)
		server.Close()
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%d %.20q is %v, and should be %s", test.status, test.says, err, test.want)
		}
	}
}

// TestSnippet proves that what the documentation shows is the example above, line by line.
func TestSnippet(t *testing.T) {
	page, err := os.ReadFile("../docs/interop.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("client_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```go\n")
	snippet, _, found := strings.Cut(rest, "```")
	indented := "\t" + strings.ReplaceAll(strings.TrimSuffix(snippet, "\n"), "\n", "\n\t")
	if !found || !strings.Contains(string(source), indented) {
		t.Errorf("docs/interop.md shows\n%s", snippet)
	}
}
