package clientgen

import (
	"strings"
	"testing"
)

func of(path, operation, schemas string) string {
	return `{"paths": {"` + path + `": {"get": {"summary": "Look", ` + operation + `}}}, "components": {"schemas": {"Error": {"type": "object"}` + schemas + `}}}`
}

func TestGenerate(t *testing.T) {
	const thing = `"operationId": "getThing", "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/ThingView"}}}}}`
	tests := []struct {
		name, doc string
		want      []string
	}{
		{"a type without the word for its direction", of("/api/thing", thing, `, "ThingView": {"type": "object", "properties": {"task_id": {"type": "string"}, "since": {"type": "string", "format": "date-time"}, "size": {"type": "integer", "format": "int64"}}}`),
			[]string{"func (c *Client) GetThing(ctx context.Context) (Answer[Thing], error) {", "TaskID string `json:\"task_id\"`", "time.Time `json:\"since\"`", "int64 `json:\"size\"`"}},
		{"its own name where the short one is taken", of("/api/thing", thing, `, "ThingView": {"type": "object"}, "Thing": {"type": "object"}`), []string{"(Answer[ThingView], error)"}},
		{"the root package's word", of("/api/thing", thing, `, "ThingView": {"type": "object", "x-go-type": "Plan"}`), []string{"(Answer[errand.Plan], error)"}},
		{"a word that is embedded", of("/api/thing", thing, `, "ThingView": {"type": "object", "x-go-embeds": "Task", "x-go-own": "depth", "properties": {"depth": {"type": "integer"}, "title": {"type": "string"}}}`),
			[]string{"type Thing struct { errand.Task Depth int `json:\"depth\"` }"}},
		{"parts of the path, escaped", of("/api/{of}/n/{n}", `"operationId": "getN", "parameters": [{"name": "of", "in": "path", "schema": {"type": "string"}}, {"name": "n", "in": "path", "schema": {"type": "integer"}}]`, ""),
			[]string{"GetN(ctx context.Context, of string, n int64) (*http.Response, error)", `"/api/" + url.PathEscape(of) + "/n/" + strconv.FormatInt(n, 10)`}},
		{"a query and a header", of("/api/n", `"operationId": "getN", "parameters": [{"name": "page_size", "in": "query", "schema": {"type": "integer"}}, {"name": "Last-Event-ID", "in": "header", "schema": {"type": "integer", "format": "int64"}}]`, ""),
			[]string{"PageSize int", "LastEventID int64", `add(&r.query, "page_size", p.PageSize)`, `add(&r.header, "Last-Event-ID", p.LastEventID)`}},
		{"a number that may be zero", of("/api/n", `"operationId": "getN", "parameters": [{"name": "after", "in": "query", "schema": {"type": "integer", "format": "int64", "minimum": 0}}]`, ""),
			[]string{"After *int64", `addGiven(&r.query, "after", p.After)`}},
		{"what may be left out of a request", of("/api/n", `"operationId": "setN", "requestBody": {"content": {"application/json": {"schema": {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "array", "items": {"type": "string"}}}}}}}`, ""),
			[]string{"A string `json:\"a\"`", "B *string `json:\"b,omitempty\"`", "C []string `json:\"c,omitempty\"`"}},
		{"where a file is", of("/api/n/{id}", `"operationId": "getN", "parameters": [{"name": "id", "in": "path", "schema": {"type": "integer"}}], "responses": {"200": {"content": {"application/octet-stream": {}}}}`, ""),
			[]string{`func GetNPath(id int64) string { return "/api/n/" + strconv.FormatInt(id, 10) }`, "path: GetNPath(id)"}},
		{"a stream", of("/api/n", `"operationId": "getN", "responses": {"200": {"content": {"text/event-stream": {}}}}`, ""), []string{"GetN(ctx context.Context) (*http.Response, error)"}},
		{"a stream, or else JSON", of("/api/n", `"operationId": "getN", "responses": {"200": {"content": {"text/event-stream": {}, "application/json": {"schema": {"type": "string"}}}}}`, ""),
			[]string{"GetN(ctx context.Context, accept string) (*http.Response, error)"}},
	}
	for _, test := range tests {
		raw, err := Generate([]byte(test.doc))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		got := strings.Join(strings.Fields(string(raw)), " ")
		for _, want := range test.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: there is no %s in\n%s", test.name, want, raw)
			}
		}
	}
}

// TestRefuses proves that what is not known here is said, and not left out.
func TestRefuses(t *testing.T) {
	body := func(schema string) string {
		return `"operationId": "n", "responses": {"200": {"content": {"application/json": {"schema": ` + schema + `}}}}`
	}
	tests := []struct{ name, doc, want string }{
		{"no JSON", "openapi: 3.1.0", "read the document"},
		{"no name", of("/api/n", `"responses": {}`, ""), "GET /api/n has no operationId"},
		{"a name twice", `{"paths": {"/a": {"get": {"operationId": "n"}}, "/b": {"get": {"operationId": "n"}}}}`, "GET /b is called n, as GET /a is"},
		{"one of several", of("/api/n", body(`{"oneOf": [{"type": "string"}]}`), ""), "oneOf"},
		{"a type of the future", of("/api/n", body(`{"type": "tuple"}`), ""), `type "tuple"`},
		{"an object without a name", of("/api/n", body(`{"type": "object", "properties": {"a": {"type": "string"}}}`), ""), "a name of its own"},
		{"a schema that is not there", of("/api/n", body(`{"$ref": "#/components/schemas/Gone"}`), ""), "no schema Gone"},
		{"a part of the path", of("/api/{n}", `"operationId": "n"`, ""), "the part n"},
		{"a cookie", of("/api/n", `"operationId": "n", "parameters": [{"name": "c", "in": "cookie", "schema": {"type": "string"}}]`, ""), `"cookie"`},
		{"in both directions", of("/api/n", body(`{"$ref": "#/components/schemas/N"}`)+`, "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/N"}}}}`, `, "N": {"type": "object"}`), "both asked and answered"},
	}
	for _, test := range tests {
		if _, err := Generate([]byte(test.doc)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: it is %v, and should say %q", test.name, err, test.want)
		}
	}
}
