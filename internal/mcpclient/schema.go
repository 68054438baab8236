package mcpclient

import (
	"encoding/json"
	"errors"
	"fmt"

	"errand"
)

// Bounds of what a tool may say of itself: all of it is in every prompt.
const (
	longestDescription = 1000   // characters
	longestNote        = 300    // of a description inside a schema
	largestSchema      = 16_000 // bytes
	deepestSchema      = 20
)

// cleanSchema makes a server's schema one that models take: of an object, without what
// providers refuse or would have to fetch, and with short descriptions.
func cleanSchema(schema any) (json.RawMessage, error) {
	top, ok := schema.(map[string]any)
	if schema == nil {
		top, ok = map[string]any{}, true
	}
	if !ok {
		return nil, errors.New("its parameters are no JSON Schema of an object")
	}
	if typ, given := top["type"]; given && typ != "object" {
		return nil, errors.New("its parameters are no JSON Schema of an object")
	}
	cleaned, err := cleanNode(top, 0)
	if err != nil {
		return nil, err
	}
	object := cleaned.(map[string]any)
	object["type"] = "object"
	if _, given := object["properties"].(map[string]any); !given {
		object["properties"] = map[string]any{}
	}
	for _, key := range []string{"oneOf", "anyOf", "allOf", "not", "enum", "if", "then", "else"} {
		delete(object, key) // providers refuse these at the top
	}
	raw, err := json.Marshal(object) // keys in order: the same bytes each time
	if err == nil && len(raw) > largestSchema {
		err = fmt.Errorf("its parameters are described in %d bytes, more than %d", len(raw), largestSchema)
	}
	return raw, err
}

// cleanNode cleans what stands in a schema. A reference is kept where it points into the
// schema itself: nothing is ever fetched.
func cleanNode(v any, depth int) (any, error) {
	if depth > deepestSchema {
		return nil, fmt.Errorf("its parameters are nested deeper than %d", deepestSchema)
	}
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			text, isText := value.(string)
			switch {
			case isText && (key == "$schema" || key == "$id" || key == "$comment" || key == "$anchor"):
				continue
			case isText && (key == "$ref" || key == "$dynamicRef") && (text == "" || text[0] != '#'):
				continue
			case isText && (key == "description" || key == "title"):
				out[key] = errand.Cut(text, longestNote)
				continue
			}
			cleaned, err := cleanNode(value, depth+1)
			if err != nil {
				return nil, err
			}
			out[key] = cleaned
		}
		return out, nil
	case []any:
		out := make([]any, len(v))
		for i, value := range v {
			cleaned, err := cleanNode(value, depth+1)
			if err != nil {
				return nil, err
			}
			out[i] = cleaned
		}
		return out, nil
	}
	return v, nil
}
