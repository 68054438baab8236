package mcpclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/go-openapi/jsonpointer"

	"errand/internal/content"
	"errand/internal/core"
)

// Descriptions and schemas are part of every prompt.
const (
	longestDescription = 1000   // characters
	longestNote        = 300    // characters of a description within a schema
	largestSchema      = 16_000 // bytes
	deepestSchema      = 21     // nesting of the JSON
)

var propertyName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

// cleanSchema returns a JSON Schema (draft 2020-12) of an object. It removes what
// providers refuse or would have to fetch, and shortens descriptions.
func cleanSchema(schema any) (json.RawMessage, error) {
	if schema == nil {
		schema = map[string]any{}
	}
	var c schemaCleaner
	top, ok := c.visible(schema, "", 0).(map[string]any)
	if typ, given := top["type"]; !ok || given && typ != "object" {
		return nil, errors.New("its parameters are no JSON Schema of an object")
	}
	object := c.object(flat(top))
	if c.err != nil {
		return nil, c.err
	}
	for name := range object["properties"].(map[string]any) {
		if !propertyName.MatchString(name) {
			return nil, fmt.Errorf("providers take no parameter with the name %q", core.Cut(content.OneLine(name), 40))
		}
	}
	dropDangling(object, object)
	raw, err := json.Marshal(object) // sorted keys: the same bytes each time
	if err == nil && len(raw) > largestSchema {
		err = fmt.Errorf("its parameters are described in %d bytes, more than %d", len(raw), largestSchema)
	}
	return raw, err
}

// flat merges anyOf, oneOf and allOf at the top level, because providers refuse these
// there. The result has all properties, and requires those that every variant requires.
func flat(top map[string]any) map[string]any {
	out, properties, required := maps.Clone(top), map[string]any{}, texts(top["required"])
	if own, ok := top["properties"].(map[string]any); ok {
		maps.Copy(properties, own)
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		variants, _ := top[key].([]any)
		asked := map[any]int{}
		for _, v := range variants {
			variant, _ := v.(map[string]any)
			if ref, ok := variant["$ref"].(string); ok {
				variant, _ = find(top, ref).(map[string]any)
			}
			more, _ := variant["properties"].(map[string]any)
			for name, p := range more {
				if before, there := properties[name]; there && !reflect.DeepEqual(before, p) {
					p = map[string]any{"anyOf": []any{before, p}}
				}
				properties[name] = p
			}
			for _, name := range texts(variant["required"]) {
				if asked[name]++; key == "allOf" || asked[name] == len(variants) {
					required = append(required, name)
				}
			}
		}
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf", "not", "enum", "const", "if", "then", "else"} {
		delete(out, key) // providers refuse these at the top level
	}
	out["type"], out["properties"], out["required"] = "object", properties, required
	return out
}

func find(top map[string]any, ref string) any {
	path, err := jsonpointer.New(strings.TrimPrefix(ref, "#"))
	if err != nil || !strings.HasPrefix(ref, "#") {
		return nil
	}
	at, _, _ := path.Get(top)
	return at
}

// dropDangling removes references that lead nowhere, because providers refuse the request.
func dropDangling(top map[string]any, v any) {
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			switch find(top, ref).(type) {
			case map[string]any, bool:
			default:
				delete(v, "$ref")
			}
		}
		for _, part := range v {
			dropDangling(top, part)
		}
	case []any:
		for _, part := range v {
			dropDangling(top, part)
		}
	}
}

type schemaCleaner struct{ err error }

func (c *schemaCleaner) visible(v any, key string, depth int) any {
	if depth > deepestSchema {
		c.err = fmt.Errorf("its parameters are nested deeper than %d", deepestSchema)
		return nil
	}
	switch v := v.(type) {
	case string:
		return content.Visible(v)
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, value := range v {
			if content.Visible(name) != name && strings.HasSuffix(strings.ToLower(key), "properties") {
				c.err = errors.New("the name of a parameter has characters that cannot be seen")
			}
			out[content.Visible(name)] = c.visible(value, name, depth+1)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, value := range v {
			out[i] = c.visible(value, key, depth+1)
		}
		return out
	}
	return v
}

// schema accepts booleans too, which are valid schemas.
func (c *schemaCleaner) schema(v any) any {
	switch v := v.(type) {
	case bool:
		return v
	case map[string]any:
		return c.object(v)
	}
	c.err = errors.New("its parameters are no JSON Schema")
	return nil
}

func (c *schemaCleaner) object(in map[string]any) map[string]any {
	out := make(map[string]any, len(in))
	for key, value := range in {
		if cleaned := c.keyword(key, value); cleaned != nil {
			out[key] = cleaned
		}
	}
	required := texts(out["required"])
	properties, _ := in["properties"].(map[string]any)
	for name, p := range properties { // draft 3 marks required in the property
		if p, _ := p.(map[string]any); p["required"] == true {
			required = append(required, name)
		}
	}
	if len(required) > 0 {
		slices.SortFunc(required, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		out["required"] = slices.Compact(required)
	}
	for _, key := range []string{"minimum", "maximum"} { // draft 4 has a number and a flag
		if exclusive := "exclusiveM" + key[1:]; in[exclusive] == true && out[key] != nil {
			out[exclusive] = out[key]
			delete(out, key)
		}
	}
	c.array(in, out)
	return out
}

// keyword returns nil to drop a keyword. An invalid value would fail the whole request.
func (c *schemaCleaner) keyword(key string, value any) any {
	switch key {
	case "$schema", "$id", "id", "$comment", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef",
		"additionalItems", "dependencies", "items", "prefixItems": // array handles the last two
		return nil
	case "description", "title":
		if text, ok := value.(string); ok {
			return core.Cut(strings.TrimSpace(text), longestNote)
		}
		return nil
	case "type":
		return typeOf(value)
	case "required":
		if names := texts(value); len(names) > 0 {
			return names
		}
		return nil
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
		schemas, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		out := make(map[string]any, len(schemas))
		for name, schema := range schemas {
			out[name] = c.schema(schema)
		}
		return out
	case "anyOf", "oneOf", "allOf", "enum":
		list, _ := value.([]any)
		if len(list) == 0 {
			return nil
		}
		if key != "enum" {
			return c.list(list)
		}
	case "not", "if", "then", "else", "contains", "propertyNames", "additionalProperties", "unevaluatedItems", "unevaluatedProperties":
		if object, ok := value.(map[string]any); ok {
			return c.object(object)
		}
		return only[bool](value)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems",
		"minProperties", "maxProperties", "minContains", "maxContains":
		return only[float64](value)
	case "$ref", "pattern", "format", "contentEncoding", "contentMediaType":
		return only[string](value)
	case "uniqueItems", "deprecated", "readOnly", "writeOnly", "nullable":
		return only[bool](value)
	}
	return value
}

func only[T any](value any) any {
	if _, ok := value.(T); ok {
		return value
	}
	return nil
}

func (c *schemaCleaner) list(schemas []any) []any {
	out := make([]any, len(schemas))
	for i, schema := range schemas {
		out[i] = c.schema(schema)
	}
	return out
}

// array gives an array one schema for its items, because some providers understand no
// other form. A tuple becomes a list of that length.
func (c *schemaCleaner) array(in, out map[string]any) {
	items, given := in["items"]
	tuple, isTuple := items.([]any)
	if prefix, ok := in["prefixItems"].([]any); ok {
		tuple, isTuple = prefix, true
	}
	switch {
	case len(tuple) > 0:
		out["items"] = map[string]any{"anyOf": slices.CompactFunc(c.list(tuple), reflect.DeepEqual)}
		if out["maxItems"] == nil {
			out["maxItems"] = len(tuple)
		}
		note, _ := out["description"].(string)
		out["description"] = strings.TrimSpace(note + " The items are in the order of anyOf.")
	case given && !isTuple:
		out["items"] = c.schema(items)
	case out["type"] == "array", slices.Contains(texts(out["type"]), "array"):
		out["items"] = map[string]any{}
	}
}

var types = []any{"array", "boolean", "integer", "null", "number", "object", "string"}

func typeOf(value any) any {
	if slices.Contains(types, value) {
		return value
	}
	list, _ := value.([]any)
	known := slices.DeleteFunc(slices.Clone(list), func(name any) bool { return !slices.Contains(types, name) })
	if len(known) == 0 || len(texts(list)) != len(list) {
		return nil
	}
	return known
}

func texts(v any) []any {
	list, _ := v.([]any)
	return slices.DeleteFunc(slices.Clone(list), func(v any) bool { _, ok := v.(string); return !ok })
}
