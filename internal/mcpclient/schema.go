package mcpclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"errand"
	"errand/internal/content"
)

// Bounds of what a tool may say of itself: all of it is in every prompt.
const (
	longestDescription = 1000   // characters
	longestNote        = 300    // of a description inside a schema
	largestSchema      = 16_000 // bytes
	deepestSchema      = 20
)

var propertyName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

// cleanSchema converts a server's schema to one that models take: an object of JSON Schema
// draft 2020-12, without what providers refuse or would have to fetch, and with short
// descriptions. It returns an error where that is not possible.
func cleanSchema(schema any) (json.RawMessage, error) {
	top, ok := schema.(map[string]any)
	if schema == nil {
		top, ok = map[string]any{}, true
	}
	if typ, given := top["type"]; !ok || given && typ != "object" {
		return nil, errors.New("its parameters are no JSON Schema of an object")
	}
	c := schemaCleaner{top}
	object, err := c.object(c.flat(top), 0)
	if err != nil {
		return nil, err
	}
	object["type"] = "object"
	if _, given := object["properties"].(map[string]any); !given {
		object["properties"] = map[string]any{}
	}
	for name := range object["properties"].(map[string]any) {
		if !propertyName.MatchString(name) {
			return nil, fmt.Errorf("providers take no parameter with the name %q", errand.Cut(content.OneLine(name), 40))
		}
	}
	for _, key := range []string{"not", "enum", "const", "if", "then", "else"} {
		delete(object, key) // providers refuse these at the top
	}
	schemaCleaner{object}.dropDangling(object)
	raw, err := json.Marshal(object) // keys in order: the same bytes each time
	if err == nil && len(raw) > largestSchema {
		err = fmt.Errorf("its parameters are described in %d bytes, more than %d", len(raw), largestSchema)
	}
	return raw, err
}

// A schemaCleaner cleans the parts of one schema.
type schemaCleaner struct{ top map[string]any }

// flat merges what stands under anyOf, oneOf and allOf at the top, which providers refuse
// there: it has the properties of all of them, and requires what each of them requires.
func (c schemaCleaner) flat(top map[string]any) map[string]any {
	out := maps.Clone(top)
	properties := map[string]any{}
	if own, ok := top["properties"].(map[string]any); ok {
		maps.Copy(properties, own)
	}
	required := texts(top["required"])
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		variants, _ := top[key].([]any)
		delete(out, key)
		asked := map[string]int{}
		for _, v := range variants {
			variant := c.resolved(v)
			more, _ := variant["properties"].(map[string]any)
			for name, p := range more {
				if before, there := properties[name]; there && !equal(before, p) {
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
	slices.Sort(required)
	if required = slices.Compact(required); len(required) > 0 {
		out["required"] = anyList(required)
	}
	out["properties"] = properties
	return out
}

func (c schemaCleaner) resolved(v any) map[string]any {
	node, _ := v.(map[string]any)
	if ref, ok := node["$ref"].(string); ok {
		node, _ = c.find(ref).(map[string]any)
	}
	return node
}

// find returns what a reference into the document points to; nil: nothing.
func (c schemaCleaner) find(ref string) any {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok || path != "" && path[0] != '/' {
		return nil
	}
	var at any = c.top
	for _, step := range strings.Split(path, "/")[1:] {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch node := at.(type) {
		case map[string]any:
			at = node[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(node) {
				return nil
			}
			at = node[i]
		default:
			return nil
		}
	}
	return at
}

// dropDangling removes references to what is no schema of the document any more. Providers refuse
// a request that has one.
func (c schemaCleaner) dropDangling(v any) {
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			switch c.find(ref).(type) {
			case map[string]any, bool:
			default:
				delete(v, "$ref")
			}
		}
		for _, part := range v {
			c.dropDangling(part)
		}
	case []any:
		for _, part := range v {
			c.dropDangling(part)
		}
	}
}

// schema cleans a schema, which may be true or false.
func (c schemaCleaner) schema(v any, depth int) (any, error) {
	if depth > deepestSchema {
		return nil, fmt.Errorf("its parameters are nested deeper than %d", deepestSchema)
	}
	switch v := v.(type) {
	case bool:
		return v, nil
	case map[string]any:
		return c.object(v, depth)
	}
	return nil, errors.New("its parameters are no JSON Schema")
}

func (c schemaCleaner) object(v map[string]any, depth int) (map[string]any, error) {
	out := make(map[string]any, len(v))
	for key, value := range v {
		cleaned, err := c.keyword(key, value, depth+1)
		if err != nil {
			return nil, err
		}
		if cleaned != nil {
			out[content.Visible(key)] = cleaned
		}
	}
	requireMarked(v, out)
	for _, key := range []string{"minimum", "maximum"} { // draft 4 has a number and a flag
		exclusive := "exclusiveM" + key[1:]
		if flag, _ := v[exclusive].(bool); flag && out[key] != nil {
			out[exclusive] = out[key]
			delete(out, key)
		}
	}
	return out, c.array(v, out, depth+1)
}

// keyword cleans the value of a keyword; nil: the keyword is left out. One whose value is none
// that it takes would make the provider refuse the whole request.
func (c schemaCleaner) keyword(key string, value any, depth int) (any, error) {
	text, isText := value.(string)
	_, isNumber := value.(float64)
	_, isFlag := value.(bool)
	keep := true
	switch key {
	case "$schema", "$id", "id", "$comment", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef",
		"additionalItems", "dependencies", "items", "prefixItems": // array reads the latter two
		if key != "id" || isText {
			return nil, nil
		}
	case "$ref":
		keep = isText && c.find(text) != nil
	case "description", "title":
		if !isText {
			return nil, nil
		}
		return errand.Cut(content.Clean(text), longestNote), nil
	case "type":
		return typeOf(value), nil
	case "required":
		if names := texts(value); len(names) > 0 {
			return anyList(names), nil
		}
		return nil, nil
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
		return c.named(value, depth)
	case "anyOf", "oneOf", "allOf":
		return c.list(value, depth)
	case "not", "if", "then", "else", "contains", "propertyNames", "additionalProperties", "unevaluatedItems", "unevaluatedProperties":
		if _, isSchema := value.(map[string]any); !isSchema && !isFlag {
			return nil, nil
		}
		return c.schema(value, depth)
	case "enum":
		list, _ := value.([]any)
		keep = len(list) > 0
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems",
		"minProperties", "maxProperties", "minContains", "maxContains":
		keep = isNumber
	case "pattern", "format", "contentEncoding", "contentMediaType":
		keep = isText
	case "uniqueItems", "deprecated", "readOnly", "writeOnly", "nullable":
		keep = isFlag
	}
	if !keep {
		return nil, nil
	}
	return cleanValue(value, depth)
}

// named cleans schemas by name.
func (c schemaCleaner) named(value any, depth int) (any, error) {
	in, ok := value.(map[string]any)
	if !ok {
		return nil, nil
	}
	out := make(map[string]any, len(in))
	for name, v := range in {
		if content.Visible(name) != name {
			return nil, errors.New("the name of a parameter has characters that cannot be seen")
		}
		cleaned, err := c.schema(v, depth+1)
		if err != nil {
			return nil, err
		}
		out[name] = cleaned
	}
	return out, nil
}

// list cleans a list of schemas.
func (c schemaCleaner) list(value any, depth int) (any, error) {
	in, _ := value.([]any)
	var out []any
	for _, v := range in {
		cleaned, err := c.schema(v, depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, cleaned)
	}
	if len(out) == 0 {
		return nil, nil
	}
	return out, nil
}

// array gives an array the one schema for its items that every provider understands. A tuple
// becomes a list of that many items, each of one of its schemas.
func (c schemaCleaner) array(in, out map[string]any, depth int) error {
	tuple, isTuple := in["items"].([]any)
	if prefix, given := in["prefixItems"].([]any); given {
		tuple, isTuple = prefix, true
	}
	if isTuple && len(tuple) > 0 {
		list, err := c.list(tuple, depth)
		if err != nil {
			return err
		}
		items, _ := list.([]any)
		out["items"] = map[string]any{"anyOf": slices.CompactFunc(items, equal)}
		if out["maxItems"] == nil {
			out["maxItems"] = len(tuple)
		}
		note, _ := out["description"].(string)
		out["description"] = strings.TrimSpace(note + " The items are in the order of anyOf.")
		return nil
	}
	if items, given := in["items"]; given && !isTuple {
		cleaned, err := c.schema(items, depth)
		out["items"] = cleaned
		return err
	}
	if typ := out["type"]; typ == "array" || slices.Contains(texts(typ), "array") {
		out["items"] = map[string]any{}
	}
	return nil
}

// requireMarked requires the properties that say so themselves, as draft 3 has it.
func requireMarked(in, out map[string]any) {
	properties, _ := in["properties"].(map[string]any)
	required := texts(out["required"])
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		p, _ := properties[name].(map[string]any)
		if marked, _ := p["required"].(bool); marked && !slices.Contains(required, name) {
			required = append(required, name)
		}
	}
	if len(required) > 0 {
		out["required"] = anyList(required)
	}
}

// typeOf is a type of draft 2020-12, or several; nil: anything.
func typeOf(value any) any {
	known := func(name string) bool {
		return slices.Contains([]string{"array", "boolean", "integer", "null", "number", "object", "string"}, name)
	}
	if name, ok := value.(string); ok && known(name) {
		return name
	}
	names := texts(value)
	if list, _ := value.([]any); len(names) == 0 || len(names) != len(list) || !slices.ContainsFunc(names, known) {
		return nil
	}
	return anyList(slices.DeleteFunc(names, func(name string) bool { return !known(name) }))
}

// cleanValue cleans the texts in what is no schema, such as a default.
func cleanValue(v any, depth int) (any, error) {
	if depth > deepestSchema {
		return nil, fmt.Errorf("its parameters are nested deeper than %d", deepestSchema)
	}
	var err error
	switch v := v.(type) {
	case string:
		return content.Visible(v), nil
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			if out[content.Visible(key)], err = cleanValue(value, depth+1); err != nil {
				return nil, err
			}
		}
		return out, nil
	case []any:
		out := make([]any, len(v))
		for i, value := range v {
			if out[i], err = cleanValue(value, depth+1); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return v, nil
}

func texts(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, v := range list {
		if text, ok := v.(string); ok {
			out = append(out, content.Visible(text))
		}
	}
	return out
}

func anyList(names []string) []any {
	list := make([]any, len(names))
	for i, name := range names {
		list[i] = name
	}
	return list
}

func equal(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}
