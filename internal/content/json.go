package content

import (
	"mime"
	"net/http"
	"strings"
)

// MaxJSONDepth is the maximum nesting of a body. No valid request is deeper, and a body within the
// limit is cheap to parse.
const MaxJSONDepth = 64

// IsJSONDeclared reports whether the header of a request allows a JSON body. It accepts a missing
// Content-Type, because scripts often omit it. A browser always declares the type of a form, so a
// page of another site cannot make it send JSON.
func IsJSONDeclared(h http.Header) bool {
	declared := h.Values("Content-Type")
	if len(declared) == 0 {
		return true
	}
	kind, _, err := mime.ParseMediaType(declared[0])
	return err == nil && len(declared) == 1 && (kind == "application/json" || strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json"))
}

// IsJSONTooDeep reports whether a body is nested deeper than [MaxJSONDepth]. It does not parse the
// body, and does not detect invalid JSON.
func IsJSONTooDeep(body []byte) bool { return isJSONDeeper(body, MaxJSONDepth) }

func isJSONDeeper(body []byte, most int) bool {
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
