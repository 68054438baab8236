package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestOpenAPIKeepsItsPromises proves that nothing has left the document that programs
// were once told: no operation, parameter, field, word, status or media type. What is
// new may be added to the list; a line that goes breaks somebody's program.
func TestOpenAPIKeepsItsPromises(t *testing.T) {
	status, raw := request(t, serve(t, &memory{}, nil), http.MethodGet, "/api/openapi.json", "", nil)
	var doc map[string]any
	if err := json.Unmarshal([]byte(raw), &doc); err != nil || status != http.StatusOK {
		t.Fatal(status, err)
	}
	promised, err := os.ReadFile("testdata/openapi.txt")
	if err != nil {
		t.Fatal(err)
	}
	there := promises(doc)
	for line := range strings.Lines(string(promised)) {
		if line = strings.TrimSuffix(line, "\n"); !there[line] {
			t.Errorf("no longer described: %s", line)
		}
	}
}

// promises are the lines of a document: each operation with its parameters, bodies and
// answers, and each field with its type.
func promises(doc map[string]any) map[string]bool {
	p := promiser{lines: map[string]bool{}, doc: doc}
	for path, methods := range asMap(doc["paths"]) {
		for method, o := range asMap(methods) {
			at := strings.ToUpper(method) + " " + path
			p.add(at)
			p.add(fmt.Sprintf("%s is called %s", at, asMap(o)["operationId"]))
			for _, q := range asList(asMap(o)["parameters"]) {
				q := asMap(q)
				p.schema(fmt.Sprintf("%s %s %s", at, q["in"], q["name"]), q["schema"], nil)
			}
			for media, c := range asMap(asMap(asMap(o)["requestBody"])["content"]) {
				p.schema(at+" body "+media, asMap(c)["schema"], nil)
			}
			for status, answer := range asMap(asMap(o)["responses"]) {
				for name, h := range asMap(asMap(answer)["headers"]) {
					p.schema(at+" "+status+" header "+name, asMap(h)["schema"], nil)
				}
				for media, c := range asMap(asMap(answer)["content"]) {
					p.add(at + " " + status + " " + media)
					p.schema(at+" "+status+" "+media, asMap(c)["schema"], nil)
				}
			}
		}
	}
	for name, s := range asMap(asMap(doc["components"])["schemas"]) {
		p.schema(name, s, nil)
	}
	return p.lines
}

type promiser struct {
	lines map[string]bool
	doc   map[string]any
}

func (p *promiser) add(line string) { p.lines[line] = true }

func (p *promiser) schema(at string, v any, within []string) {
	s := asMap(v)
	if ref, ok := s["$ref"].(string); ok {
		name := ref[strings.LastIndex(ref, "/")+1:]
		p.add(at + " = " + name)
		if !slices.Contains(within, name) {
			p.schema(at, asMap(asMap(p.doc["components"])["schemas"])[name], append(slices.Clone(within), name))
		}
		return
	}
	kind := fmt.Sprint(s["type"])
	if format, ok := s["format"]; ok && kind == "string" {
		kind += " " + fmt.Sprint(format)
	}
	p.add(at + ": " + kind)
	for _, word := range asList(s["enum"]) {
		p.add(fmt.Sprintf("%s may be %v", at, word))
	}
	for _, name := range asList(s["required"]) {
		p.add(fmt.Sprintf("%s.%v is required", at, name))
	}
	for name, property := range asMap(s["properties"]) {
		p.schema(at+"."+name, property, within)
	}
	if items, ok := s["items"]; ok {
		p.schema(at+"[]", items, within)
	}
	if more, ok := s["additionalProperties"].(map[string]any); ok {
		p.schema(at+".*", more, within)
	}
}

func asMap(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func asList(v any) []any {
	l, _ := v.([]any)
	return l
}
