package web

import (
	"bufio"
	"bytes"
	"errors"
	goflag "flag"
	"go/token"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/swaggest/jsonschema-go"

	"errand"
	"errand/client"
	"errand/internal/clientgen"
)

var update = goflag.Bool("update", false, "write the client of the API anew")

// TestClientIsGenerated proves that package client is what the API's document says: what
// is changed here without it, or there by hand, is seen.
func TestClientIsGenerated(t *testing.T) {
	raw, err := describeWith((&Server{}).api(), describeWords)
	if err != nil {
		t.Fatal(err)
	}
	want, err := clientgen.Generate(raw)
	if err != nil {
		t.Fatal(err)
	}
	const path = "../../client/client.gen.go"
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("client/client.gen.go is not what the API says: go generate ./client")
	}
}

// describeWords is [describeType] that also says what the root package calls a thing. The
// client uses its words; the document that is served has no Go.
func describeWords(p jsonschema.InterceptSchemaParams) (stop bool, err error) {
	if stop, err = describeType(p); !p.Processed || err != nil {
		return stop, err
	}
	t := p.Value.Type()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if isWord(t) {
		p.Schema.WithExtraPropertiesItem("x-go-type", t.Name())
	}
	if t.Kind() != reflect.Struct {
		return stop, nil
	}
	var own []string
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.Anonymous {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			own = append(own, name)
		} else if isWord(f.Type) {
			p.Schema.WithExtraPropertiesItem("x-go-embeds", f.Type.Name())
		}
	}
	p.Schema.WithExtraPropertiesItem("x-go-own", strings.Join(own, ","))
	return stop, nil
}

// isWord reports whether t is of the root package.
func isWord(t reflect.Type) bool { return t.PkgPath() == "errand" && token.IsExported(t.Name()) }

// TestClientReadsAnswers proves that each method of the client reaches its operation and
// reads what is answered: nothing is not found for want of a route, and no answer is one
// that the client's types do not know.
func TestClientReadsAnswers(t *testing.T) {
	server := serve(t, &memory{}, nil)
	api := reflect.ValueOf(&client.Client{Base: server.URL, Token: testKey})
	answered := 0
	for i := range api.NumMethod() {
		method := api.Type().Method(i)
		args := []reflect.Value{reflect.ValueOf(t.Context())}
		for n := 1; n < api.Method(i).Type().NumIn(); n++ {
			arg := reflect.New(api.Method(i).Type().In(n)).Elem()
			if arg.Kind() == reflect.String {
				arg.SetString("t-1")
			} else if arg.CanInt() {
				arg.SetInt(1)
			}
			args = append(args, arg)
		}
		out := api.Method(i).Call(args)
		if resp, ok := out[0].Interface().(*http.Response); ok && resp != nil {
			resp.Body.Close()
		}
		var no *client.Problem
		switch err, _ := out[1].Interface().(error); {
		case err == nil:
			answered++
		case !errors.As(err, &no), no.Code == "not_errand", strings.Contains(no.Message, "openapi.json"):
			t.Errorf("%s: %v", method.Name, err)
		}
	}
	if most := api.NumMethod(); most != len((&Server{}).api()) || answered < most/2 {
		t.Errorf("of %d methods %d were answered, and there are %d operations", most, answered, len((&Server{}).api()))
	}
}

// TestClientSays proves what the client sends: a query, a body, a header, who asks; and
// how it tells what is refused.
func TestClientSays(t *testing.T) {
	m := &memory{}
	server := serve(t, m, nil)
	api := &client.Client{Base: server.URL, Token: testKey}

	tasks, err := api.ListTasks(t.Context(), &client.ListTasksParams{State: []errand.TaskState{errand.Working, errand.Failed}, Limit: 1})
	if err != nil || len(tasks.Value) != 1 || tasks.Value[0].ID != "t-1" || tasks.Value[0].Agent != "sasha" || !strings.HasPrefix(string(tasks.Raw), "[{") {
		t.Errorf("tasks are %+v, %v", tasks.Value, err)
	}
	if _, err := api.ListTasks(t.Context(), &client.ListTasksParams{State: []errand.TaskState{"late"}}); err == nil {
		t.Error("a state that there is not is taken")
	}
	done, err := api.CancelTask(t.Context(), "t-1", client.CancelTaskBody{Reason: new("enough")}, nil)
	if err != nil || done.Value.Error != "enough" || done.Value.State != errand.Canceled {
		t.Errorf("the task is %+v, %v", done.Value, err)
	}

	m.add(errand.Event{Type: errand.EventReply, Text: "first"})
	m.add(errand.Event{Type: errand.EventReply, Text: "second"})
	resp, err := api.GetEvents(t.Context(), "main", &client.GetEventsParams{LastEventID: new(int64(1))}, "text/event-stream")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "data:") {
	}
	if !strings.Contains(lines.Text(), "second") {
		t.Errorf("the stream goes on with %s", lines.Text())
	}

	var no *client.Problem
	_, err = api.GetTask(t.Context(), "t-9", nil)
	if !errors.As(err, &no) || no.Status != http.StatusNotFound || no.Code != "not_found" || no.Message == "" {
		t.Errorf("a task that is not there is %#v", err)
	}
	_, err = (&client.Client{Base: server.URL, Token: "wrong"}).GetMe(t.Context())
	if !errors.As(err, &no) || no.Status != http.StatusUnauthorized {
		t.Errorf("a stranger is told %v", err)
	}
}
