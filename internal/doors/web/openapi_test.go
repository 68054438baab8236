package web

import (
	"encoding/json"
	"flag"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"errand/api"
	"errand/internal/core"
	"errand/internal/rights"
)

var update = flag.Bool("update", false, "write the golden file")

// An apiDoc is the document of the API, as far as it is looked at here.
type apiDoc struct {
	Paths      map[string]map[string]docOperation
	Components struct{ Schemas map[string]schema }
}

type docOperation struct {
	ID        string `json:"operationId"`
	Summary   string
	Role      core.Role `json:"x-role"`
	Needs     string    `json:"x-capability"`
	Responses map[string]struct {
		Content map[string]struct{ Schema schema }
	}
}

type schema struct {
	Ref        string `json:"$ref"`
	Properties map[string]schema
	Items      *schema
	Enum       []string
}

// resolve follows a reference.
func (d apiDoc) resolve(s schema) schema {
	if s.Ref != "" {
		return d.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
	}
	return s
}

func openAPI(t *testing.T) apiDoc {
	t.Helper()
	status, raw := request(t, serve(t, &memory{}, nil), http.MethodGet, "/api/openapi.json", "", nil)
	if status != http.StatusOK {
		t.Fatal(status, raw)
	}
	var doc apiDoc
	if err := json.Unmarshal([]byte(raw), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestOpenAPI proves that the document describes the routes there are, the role that
// each needs, and how each fails.
func TestOpenAPI(t *testing.T) {
	doc := openAPI(t)
	described := 0
	for _, methods := range doc.Paths {
		described += len(methods)
	}
	routes := append((&Server{}).mounted(), (&Server{}).triggerTask())
	for _, r := range routes {
		method, path, _ := strings.Cut(r.pattern, " ")
		operation := doc.Paths[strings.ReplaceAll(path, "...}", "}")][strings.ToLower(method)]
		if operation.Summary == "" {
			t.Errorf("%s is not described", r.pattern)
		}
		if least := api.Rights().Least(rights.Route, r.pattern); operation.Role != least {
			t.Errorf("%s is described as for %q, it is for %q", r.pattern, operation.Role, least)
		}
		if needs := api.Rights().Needs(rights.Route, r.pattern); operation.Needs != needs {
			t.Errorf("%s is described as in need of %q, it needs %q", r.pattern, operation.Needs, needs)
		}
		if _, ok := operation.Responses["default"].Content[problemMedia]; !ok {
			t.Errorf("%s: it is not described how it fails", r.pattern)
		}
	}
	if described != len(routes) {
		t.Errorf("%d operations are described, %d are there", described, len(routes))
	}
}

// TestDocsHaveTheRoutes proves that the pages of docs/ name the operations of the document, and no
// other route below /api.
func TestDocsHaveTheRoutes(t *testing.T) {
	described := map[string]bool{}
	for path, methods := range openAPI(t).Paths {
		for method := range methods {
			described[strings.ToUpper(method)+" "+path] = true
		}
	}
	pages, err := filepath.Glob("../../../docs/*")
	if err != nil {
		t.Fatal(err)
	}
	named, route := map[string]bool{}, regexp.MustCompile(`\b(?:GET|POST|PUT|PATCH|DELETE) /(?:api/[\w/{}.-]*\w\}?|trigger-bot)`)
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			continue // a folder
		}
		for _, pattern := range route.FindAllString(string(text), -1) {
			pattern = strings.ReplaceAll(pattern, "...}", "}")
			if named[pattern] = true; !described[pattern] {
				t.Errorf("%s: there is no %s", filepath.Base(page), pattern)
			}
		}
	}
	for pattern := range described {
		if !named[pattern] {
			t.Errorf("no page of docs/ names %s", pattern)
		}
	}
}

// TestOperations proves that testdata/openapi.txt lists the operations of the document. A line that
// goes or changes breaks programs of others. Package api has the types of what each takes and
// answers.
func TestOperations(t *testing.T) {
	const path = "testdata/openapi.txt"
	var lines []string
	for route, methods := range openAPI(t).Paths {
		for method, operation := range methods {
			lines = append(lines, strings.ToUpper(method)+" "+route+" "+operation.ID+"\n")
		}
	}
	slices.Sort(lines)
	described := strings.Join(lines, "")
	if *update {
		if err := os.WriteFile(path, []byte(described), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	listed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if described != string(listed) {
		t.Errorf("the operations are not those of %s; run the test with -update and read the difference\n%s", path, described)
	}
}

// TestOpenAPIFields proves that the document has the fields that are answered, and no
// others.
func TestOpenAPIFields(t *testing.T) {
	doc := openAPI(t)
	for name, answered := range map[string]any{
		"Session": core.Session{}, "Route": core.Route{}, "Export": core.Export{}, "Message": core.Message{}, "Notice": core.Notice{},
		"Artifact": core.Artifact{}, "ExportedTask": core.ExportedTask{}, "Report": core.Report{},
		"Error": problem{}, "Task": api.Task{}, "Token": core.Token{}, "Reminder": core.Reminder{},
	} {
		compare(t, name, slices.Collect(maps.Keys(doc.Components.Schemas[name].Properties)), fieldsOf(reflect.TypeOf(answered)))
	}
	if kinds := doc.Components.Schemas["Token"].Properties["kind"].Enum; !slices.Equal(kinds, []string{core.TokenAPI, core.TokenLogin, core.TokenLink}) {
		t.Errorf("the kinds of tokens are %v", kinds)
	}
	var reasons []string
	for _, r := range core.Reasons() {
		reasons = append(reasons, string(r))
	}
	if got := doc.resolve(doc.Components.Schemas["Task"].Properties["reason"]).Enum; !slices.Equal(got, reasons) {
		t.Errorf("the reasons of tasks are %v", got)
	}

	server := serve(t, &memory{}, nil)
	status, text := request(t, server, http.MethodGet, "/api/about", "", nil)
	var about map[string]any
	if err := json.Unmarshal([]byte(text), &about); err != nil || status != http.StatusOK {
		t.Fatal(status, text, err)
	}
	described := doc.resolve(doc.Paths["/api/about"]["get"].Responses["200"].Content["application/json"].Schema).Properties
	compare(t, "/api/about", slices.Collect(maps.Keys(described)), slices.Collect(maps.Keys(about)))
	roles, _ := about["roles"].([]any)
	if len(roles) == 0 || described["roles"].Items == nil {
		t.Fatalf("roles are %v, described as %+v", roles, described["roles"])
	}
	role, _ := roles[0].(map[string]any)
	compare(t, "roles of /api/about", slices.Collect(maps.Keys(doc.resolve(*described["roles"].Items).Properties)), slices.Collect(maps.Keys(role)))
}

func compare(t *testing.T, what string, described, answered []string) {
	t.Helper()
	slices.Sort(described)
	slices.Sort(answered)
	if !slices.Equal(described, answered) {
		t.Errorf("%s has the fields\n\t%v, described are\n\t%v", what, answered, described)
	}
}

func fieldsOf(typ reflect.Type) []string {
	var names []string
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			names = append(names, fieldsOf(f.Type)...)
		case name != "-" && f.IsExported():
			names = append(names, name)
		}
	}
	return names
}
