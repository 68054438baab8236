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

	"errand"
	"errand/internal/content"
)

// Bounds of what a tool may say of itself: all of it is in every prompt.
const (
	longestDescription = 1000   // characters
	longestNote        = 300    // of a description inside a schema
	largestSchema      = 16_000 // bytes
	deepestSchema      = 21     // levels of JSON
)

var propertyName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

// cleanSchema converts a server's schema to one that models take: an object of JSON Schema
// draft 2020-12, without what providers refuse or would have to fetch, and with short
// descriptions. It returns an error where that is not possible.
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
			return nil, fmt.Errorf("providers take no parameter with the name %q", errand.Cut(content.OneLine(name), 40))
		}
	}
	dropDangling(object, object)
	raw, err := json.Marshal(object) // keys in order: the same bytes each time
	if err == nil && len(raw) > largestSchema {
		err = fmt.Errorf("its parameters are described in %d bytes, more than %d", len(raw), largestSchema)
	}
	return raw, err
}

// flat merges what stands under anyOf, oneOf and allOf at the top, which providers refuse
// there: it has the properties of all of them, and requires what each of them requires.
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
		delete(out, key) // providers refuse these at the top
	}
	out["type"], out["properties"], out["required"] = "object", properties, required
	return out
}

// find returns what a reference into the document points to; nil: nothing.
func find(top map[string]any, ref string) any {
	path, err := jsonpointer.New(strings.TrimPrefix(ref, "#"))
	if err != nil || !strings.HasPrefix(ref, "#") {
		return nil
	}
	at, _, _ := path.Get(top)
	return at
}

// dropDangling removes references to what is no schema of the document. Providers refuse a
// request that has one.
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

// A schemaCleaner cleans the parts of one schema. It keeps the last reason why that is not possible.
type schemaCleaner struct{ err error }

// visible removes the characters that cannot be seen from all texts below a key.
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

// schema cleans a schema, which may be true or false.
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
	for name, p := range properties { // draft 3 says it in the property
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

// keyword cleans the value of a keyword; nil: the keyword is left out. One whose value is none
// that it takes would make the provider refuse the whole request.
func (c *schemaCleaner) keyword(key string, value any) any {
	switch key {
	case "$schema", "$id", "id", "$comment", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef",
		"additionalItems", "dependencies", "items", "prefixItems": // array reads the latter two
		return nil
	case "description", "title":
		if text, ok := value.(string); ok {
			return errand.Cut(strings.TrimSpace(text), longestNote)
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

// only returns a value if it has a type.
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

// array gives an array the one schema for its items that every provider understands. A tuple
// becomes a list of that many items, each of one of its schemas.
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

// typeOf is a type of draft 2020-12, or several; nil: anything.
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

// texts returns the texts in a list.
func texts(v any) []any {
	list, _ := v.([]any)
	return slices.DeleteFunc(slices.Clone(list), func(v any) bool { _, ok := v.(string); return !ok })
}
