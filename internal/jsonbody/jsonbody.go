// Package jsonbody is what errand's doors take for a body of JSON.
package jsonbody

import (
	"mime"
	"net/http"
	"strings"
)

// MostDepth is how deep a body may be nested: deeper than anything that errand's doors are
// meant to be told, and not so deep that reading it costs more than its length.
const MostDepth = 64

// IsDeclared reports whether a request may have a body of JSON by what it says of it. Scripts
// often say nothing, and so do requests without a body. What a browser sends of a form it
// declares as something else: a page of another site cannot have one send JSON unasked.
func IsDeclared(h http.Header) bool {
	declared := h.Values("Content-Type")
	if len(declared) == 0 {
		return true
	}
	kind, _, err := mime.ParseMediaType(declared[0])
	return err == nil && len(declared) == 1 && (kind == "application/json" || strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json"))
}

// IsTooDeep reports whether a body is nested deeper than [MostDepth]. It parses nothing: what
// is no JSON it does not find.
func IsTooDeep(body []byte) bool { return isDeeper(body, MostDepth) }

func isDeeper(body []byte, most int) bool {
	depth, quoted := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > most {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}
