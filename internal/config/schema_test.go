package config_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"errand/internal/config"
)

func schemaOf(t *testing.T) (*jsonschema.Schema, *jsonschema.Resolved) {
	t.Helper()
	var s jsonschema.Schema
	require.NoError(t, json.Unmarshal([]byte(config.Schema()), &s))
	resolved, err := s.Resolve(nil)
	require.NoError(t, err)
	return &s, resolved
}

func value(t *testing.T, text string) (v any) {
	t.Helper()
	require.NoError(t, yaml.Unmarshal([]byte(text), &v), text)
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	v = nil
	require.NoError(t, json.Unmarshal(raw, &v))
	return v
}

var (
	commented = regexp.MustCompile(`(?m)^# ?[a-z_]+:( .*)?\n(# ?  .*\n)*`) // a part of the example that is switched off
	comment   = regexp.MustCompile(`(?m)^# ?`)
	fenced    = regexp.MustCompile("(?ms)^( *)```yaml\n(.*?)\n *```") // a block of YAML, indented in a list
)

// TestSchemaAcceptsTheDocuments proves that an editor finds no fault with what the
// documents show: the whole example, the commented parts of it, and each block of YAML.
func TestSchemaAcceptsTheDocuments(t *testing.T) {
	_, schema := schemaOf(t)
	example, err := os.ReadFile("../../docs/errand.example.yaml")
	require.NoError(t, err)
	require.NoError(t, schema.Validate(value(t, string(example))))
	parts := commented.FindAllString(string(example), -1)
	require.Greater(t, len(parts), 10)
	for _, part := range parts {
		part = comment.ReplaceAllString(part, "")
		if strings.HasPrefix(part, "reactions:") {
			continue // a sentence
		}
		require.NoError(t, schema.Validate(value(t, part)), part)
	}

	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	blocks := 0
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, m := range fenced.FindAllStringSubmatch(string(text), -1) {
			block := strings.ReplaceAll("\n"+m[2], "\n"+m[1], "\n")
			if strings.Contains(block, "services:") || strings.Contains(block, "apiVersion:") || strings.Contains(block, "scrape_configs:") || strings.Contains(block, "  - value: ") {
				continue // of other programs
			}
			blocks++
			require.NoError(t, schema.Validate(value(t, block)), "%s:\n%s", page, block)
		}
	}
	require.Greater(t, blocks, 10)
}

// TestExampleHasTheKeys proves that the example shows each key of the schema, switched on, in a
// comment or by its name.
func TestExampleHasTheKeys(t *testing.T) {
	root, _ := schemaOf(t)
	example, err := os.ReadFile("../../docs/errand.example.yaml")
	require.NoError(t, err)
	words := strings.FieldsFunc(string(example), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	keys := 0
	for _, s := range sections("", root) {
		for key := range s.schema.Properties {
			if keys++; !slices.Contains(words, key) {
				t.Errorf("docs/errand.example.yaml does not show %s", strings.TrimPrefix(s.path+"."+key, "."))
			}
		}
	}
	require.Greater(t, keys, 200)
}

// A section is an object of the schema, and where it is in a file.
type section struct {
	path   string // as in errand.yaml: agents.*.price, channels.telegram.[]
	schema *jsonschema.Schema
}

func sections(path string, s *jsonschema.Schema) (list []section) {
	below := func(key string) string { return strings.TrimPrefix(path+"."+key, ".") }
	if s.Properties != nil {
		list = append(list, section{path, s})
	}
	for _, key := range slices.Sorted(maps.Keys(s.Properties)) {
		list = append(list, sections(below(key), s.Properties[key])...)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Not == nil {
		list = append(list, sections(below("*"), s.AdditionalProperties)...)
	}
	if s.Items != nil {
		list = append(list, sections(below("[]"), s.Items)...)
	}
	return list
}

var beside = map[string]map[string]any{
	"web.search":      {"engine": "brave"},
	"remote_agents.*": {"acp": "opencode acp", "folder": "x"},
}

func document(path string, with map[string]any) string {
	var in any = map[string]any{}
	maps.Copy(in.(map[string]any), beside[path])
	maps.Copy(in.(map[string]any), with)
	keys := strings.Split(path, ".")
	if path == "" {
		keys = nil
	}
	for _, key := range slices.Backward(keys) {
		switch key {
		case "[]":
			in = []any{in}
		case "*":
			in = map[string]any{"some": in}
		default:
			in = map[string]any{key: in}
		}
	}
	text, _ := yaml.Marshal(in)
	return string(text)
}

var (
	known = regexp.MustCompile(`unknown key "qqqqqqqq" \(known: ([^)]*)\)`)
	oneOf = regexp.MustCompile(`"qqqqqqqq" is (?:not one|none) of ([a-z0-9_, ]+)`)
)

// TestSchemaHasTheKeys proves that the keys of each section, and the words that a key
// takes, are those that errand itself knows: an unknown one is put into each.
func TestSchemaHasTheKeys(t *testing.T) {
	root, schema := schemaOf(t)
	list, words := sections("", root), 0
	require.Greater(t, len(list), 40)
	t.Chdir(t.TempDir())
	for _, s := range list {
		text := document(s.path, map[string]any{"qqqqqqqq": 1})
		_, err := load(t, text, nil, config.Flags{})
		found := known.FindStringSubmatch(err.Error())
		require.NotNil(t, found, "%s: %v", s.path, err)
		want := strings.Split(found[1], ", ")
		slices.Sort(want)
		require.Equal(t, want, slices.Sorted(maps.Keys(s.schema.Properties)), s.path)
		require.Error(t, schema.Validate(value(t, text)), s.path)

		for key, p := range s.schema.Properties {
			if len(p.Enum) == 0 {
				continue
			}
			words++
			_, err := load(t, document(s.path, map[string]any{key: "qqqqqqqq"}), nil, config.Flags{})
			found := oneOf.FindStringSubmatch(err.Error())
			require.NotNil(t, found, "%s.%s: %v", s.path, key, err)
			var enum []string
			for _, e := range p.Enum {
				enum = append(enum, e.(string))
			}
			slices.Sort(enum)
			want := strings.FieldsFunc(found[1], func(r rune) bool { return r == ',' || r == ' ' })
			slices.Sort(want)
			require.Equal(t, want, enum, "%s.%s", s.path, key)
		}
	}
	require.Greater(t, words, 12)
}
