package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"errand/internal/agents"
	"errand/internal/core"
)

var update = flag.Bool("update", false, "write schema.json")

// TestSchemaIsGenerated proves that schema.json is made from the types of errand.yaml as they
// are now; with -update it makes it.
func TestSchemaIsGenerated(t *testing.T) {
	g := generator{comments: comments(t)}
	root := g.object(reflect.TypeFor[file]())
	root.Schema, root.Title = "https://json-schema.org/draft/2020-12/schema", "errand.yaml"
	root.Description = "Who the agents of errand are and how they run."
	root.Defs = map[string]*jsonschema.Schema{"role": {
		Type: "string", Description: "guest, member, partner, master_admin, or what they are called here.", Examples: []any{"guest", "member", "partner", "master_admin"},
	}}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	require.NoError(t, e.Encode(root))
	lists := regexp.MustCompile(`\[\s+("[^\]]*")\s+\]`)
	generated := lists.ReplaceAllStringFunc(text.String(), func(list string) string {
		return strings.NewReplacer("[ ", "[", " ]", "]").Replace(strings.Join(strings.Fields(list), " "))
	})
	if *update {
		require.NoError(t, os.WriteFile("schema.json", []byte(generated), 0o644))
		return
	}
	require.Equal(t, generated, schema, "run go generate ./internal/config")
}

// comments returns those of the package's types, by name, and of their fields, by "Type.Field".
func comments(t *testing.T) map[string]string {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	list := map[string]string{}
	note := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			if spec, ok := n.Specs[0].(*ast.TypeSpec); ok {
				list[spec.Name.Name] = line(n.Doc)
			}
		case *ast.TypeSpec:
			if s, ok := n.Type.(*ast.StructType); ok {
				for _, f := range s.Fields.List {
					for _, name := range f.Names {
						list[n.Name.Name+"."+name.Name] = cmp.Or(line(f.Doc), line(f.Comment))
					}
				}
			}
		}
		return true
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		require.NoError(t, err)
		ast.Inspect(file, note)
	}
	return list
}

func line(c *ast.CommentGroup) string {
	return strings.ReplaceAll(strings.TrimSpace(c.Text()), "\n", " ")
}

// words are taken as they are written.
var words = []string{"string", "number", "boolean"}

type generator struct{ comments map[string]string }

// object describes a struct, whose keys are those that a mapping may have.
func (g generator) object(t reflect.Type) *jsonschema.Schema {
	s := &jsonschema.Schema{
		Types: []string{"object", "null"}, Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
	for i := range t.NumField() {
		f := t.Field(i)
		switch key := f.Tag.Get("yaml"); {
		case key == ",inline":
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			more := g.object(inner)
			for _, key := range more.PropertyOrder {
				s.Properties[key] = more.Properties[key]
			}
			s.PropertyOrder = append(s.PropertyOrder, more.PropertyOrder...)
		case key != "-" && key != "":
			p := g.value(f.Type, f.Tag)
			if p.Description = g.comments[t.Name()+"."+f.Name]; p.Description == "" {
				panic(t.Name() + "." + f.Name + " has no comment, which would describe it")
			}
			s.Properties[key], s.PropertyOrder = p, append(s.PropertyOrder, key)
		case key == "":
			panic(t.Name() + "." + f.Name + " has no tag yaml")
		}
	}
	return s
}

// value describes a value, which may be null where its key is there. Tags of a list or a map
// are about what is in it.
func (g generator) value(t reflect.Type, tag reflect.StructTag) *jsonschema.Schema {
	text := &jsonschema.Schema{Type: "string"}
	switch either := reflect.PointerTo(t).Implements(reflect.TypeFor[yaml.Unmarshaler]()); {
	case t.Kind() == reflect.Pointer:
		return g.value(t.Elem(), tag)
	case either && t.Kind() == reflect.Map:
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{g.value(t.Elem(), tag), {Type: "object", AdditionalProperties: g.value(t.Elem(), tag)}, {Type: "null"}}}
	case either:
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{text, {Type: "array", Items: g.item(t.Elem(), tag)}}}
	case tag.Get("enum") != "" && (t.Kind() == reflect.String || t == reflect.TypeFor[slog.Level]()):
		s := &jsonschema.Schema{}
		for word := range strings.SplitSeq(tag.Get("enum"), ",") {
			s.Enum = append(s.Enum, word)
		}
		return wants(s, tag)
	case t == reflect.TypeFor[time.Duration]():
		return span(strings.TrimSpace("duration " + tag.Get("least") + " " + tag.Get("most")))
	case t == reflect.TypeFor[Age]():
		return span("age 1h")
	case t == reflect.TypeFor[Clock]():
		return &jsonschema.Schema{Type: "string", Format: "clock"}
	case t == reflect.TypeFor[core.Role]():
		return &jsonschema.Schema{Ref: "#/$defs/role"}
	}
	switch t.Kind() {
	case reflect.Struct:
		return wants(g.object(t), tag)
	case reflect.Map:
		of := g.value(t.Elem(), tag)
		if g.describe(of, t.Elem()); of.Type == "string" {
			of.Type, of.Types = "", words
		}
		return &jsonschema.Schema{Types: []string{"object", "null"}, AdditionalProperties: of}
	case reflect.Slice:
		return g.list(t, tag)
	case reflect.String:
		text.Pattern, text.Format = tag.Get("pattern"), tag.Get("check")
		return wants(text, tag)
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Int, reflect.Int64:
		return &jsonschema.Schema{Type: "integer", Minimum: number(tag.Get("least")), Maximum: number(tag.Get("most"))}
	case reflect.Float64:
		return &jsonschema.Schema{Type: "number", Minimum: number(tag.Get("least"))}
	}
	panic(t.String())
}

func (g generator) list(t reflect.Type, tag reflect.StructTag) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "array", Items: g.item(t.Elem(), tag)}
	if most, err := strconv.Atoi(tag.Get("most")); err == nil {
		s.MaxItems = &most
	}
	if fewest, err := strconv.Atoi(tag.Get("fewest")); err == nil {
		s.MinItems = &fewest
	}
	if t.Elem().Kind() == reflect.Struct {
		s.Type, s.Types = "", []string{"array", "null"}
	}
	return s
}

// item describes what is in a list, which is never null.
func (g generator) item(t reflect.Type, tag reflect.StructTag) *jsonschema.Schema {
	switch {
	case t == reflect.TypeFor[Age]():
		return span("age " + tag.Get("least"))
	case t.Kind() == reflect.Struct:
		s := g.object(t)
		s.Type, s.Types = "object", nil
		g.describe(s, t)
		return s
	case tag.Get("enum") != "":
		return g.value(t, tag)
	}
	one := 1
	return &jsonschema.Schema{Types: words, MinLength: &one, Format: tag.Get("check")}
}

func (g generator) describe(s *jsonschema.Schema, t reflect.Type) {
	if t.Kind() == reflect.Struct {
		s.Description = g.comments[t.Name()]
	}
}

// span describes a time such as 90s, or 0.
func span(format string) *jsonschema.Schema {
	zero := 0.0
	return &jsonschema.Schema{Types: []string{"string", "integer", "null"}, Pattern: "^[0-9]", Maximum: &zero, Format: format}
}

// wants adds what an editor and errand say of a value that does not fit.
func wants(s *jsonschema.Schema, tag reflect.StructTag) *jsonschema.Schema {
	if want := tag.Get("want"); want != "" {
		s.Extra = map[string]any{"patternErrorMessage": want}
	}
	return s
}

func number(text string) *float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil
	}
	return &n
}

// TestWordsOfTheTypes proves that the tags list the words, and have the bound, that other
// packages know.
func TestWordsOfTheTypes(t *testing.T) {
	tag := func(of any, field, key string) string {
		f, ok := reflect.TypeOf(of).FieldByName(field)
		require.True(t, ok, field)
		return f.Tag.Get(key)
	}
	require.Equal(t, strings.Join(agents.Efforts(), ","), tag(agentFile{}, "Effort", "enum"))
	require.Equal(t, strings.Join(agents.Verbosities(), ","), tag(agentFile{}, "Verbosity", "enum"))
	require.Equal(t, strings.Join(core.Strings(core.ApprovalRules()), ","), tag(Settings{}, "Approvals", "enum"))
	require.Equal(t, tag(Settings{}, "Approvals", "enum"), tag(MCPServer{}, "Approval", "enum"))
	require.Equal(t, strconv.Itoa(agents.MaxMaxSteps), tag(agentFile{}, "MaxSteps", "most"))
	require.Equal(t, strconv.Itoa(agents.MaxMaxSteps), tag(Sessions{}, "MaxSteps", "most"))
}
