package api_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"errand/api"
)

func playing(status int, says string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, says)
	}))
}

func Example() {
	server := playing(http.StatusCreated, `{"id": "t-7k3m9q2x", "agent": "sasha", "state": "submitted"}`)
	defer server.Close()

	errand := &api.Client{Base: server.URL, Token: "a token of errand tokens add"}
	task, err := api.Call(context.Background(), errand, api.CreateTask, api.CreateTaskInput{
		Body: api.NewTask{Agent: "sasha", Text: "compare night trains to Oslo", Chat: "main"},
	})
	var no *api.Problem
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

// A stream continues after the last event that was seen. With 0 it begins with the first.
func ExampleReadStream() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println("asked for", r.URL, "behind", r.Header.Get("Last-Event-ID"))
		io.WriteString(w, ": a comment\n\nid: 1\ndata: {\"type\": \"message\",\ndata: \"text\": \"Hello\"}\n\ndata: {\"type\": \"delta\"}\n\nid: 9\ndata: {\"cut")
	}))
	defer server.Close()

	in := api.EventsInput{ChatName: api.ChatName{Chat: "main"}, LastEventID: "0"}
	resp, err := api.Open(context.Background(), &api.Client{Base: server.URL}, api.GetEvents, in)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	for e, err := range api.ReadStream(resp.Body) {
		if err != nil {
			fmt.Println("broke off:", err)
			break
		}
		fmt.Printf("%q %q\n", e.ID, e.Data)
	}
	// Output:
	// asked for /api/sessions/main/events behind 0
	// "1" "{\"type\": \"message\",\n\"text\": \"Hello\"}"
	// "" "{\"type\": \"delta\"}"
}

// TestStreamBreaksOff proves that a stream that breaks off is an error, and that its reader may
// leave early.
func TestStreamBreaksOff(t *testing.T) {
	n, last := 0, error(nil)
	for _, err := range api.ReadStream(io.MultiReader(strings.NewReader("data: 1\n\n"), iotest.ErrReader(io.ErrUnexpectedEOF))) {
		n, last = n+1, err
	}
	if n != 2 || !errors.Is(last, io.ErrUnexpectedEOF) {
		t.Errorf("there are %d events, the last %v", n, last)
	}
	for _, err := range api.ReadStream(strings.NewReader("data: " + strings.Repeat("x", 9<<20))) {
		last = err
	}
	if !errors.Is(last, bufio.ErrTooLong) {
		t.Errorf("an endless line is %v", last)
	}
	for range api.ReadStream(strings.NewReader("data: 1\n\ndata: 2\n\n")) {
		break
	}
}

// TestNoErrand proves that a response which is not errand's is an error.
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
		_, err := api.Call(t.Context(), &api.Client{Base: server.URL}, api.GetTask, api.GetTaskInput{TaskID: api.TaskID{ID: "a/b"}})
		server.Close()
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%d %.20q is %v, and should be %s", test.status, test.says, err, test.want)
		}
	}
}
