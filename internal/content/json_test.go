package content

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestIsJSONDeclared proves what a request may say of its body.
func TestIsJSONDeclared(t *testing.T) {
	for _, tt := range []struct {
		said []string
		want bool
	}{
		{nil, true},
		{[]string{"application/json"}, true},
		{[]string{"Application/JSON; charset=utf-8"}, true},
		{[]string{"application/a2a+json"}, true},
		{[]string{"application/x-www-form-urlencoded"}, false},
		{[]string{"multipart/form-data; boundary=x"}, false},
		{[]string{"text/plain"}, false},
		{[]string{"text/plain; application/json"}, false},
		{[]string{"text/x+json"}, false},
		{[]string{"application/json, text/plain"}, false},
		{[]string{"application/json", "text/plain"}, false},
		{[]string{"json"}, false},
		{[]string{""}, false},
	} {
		if got := IsJSONDeclared(http.Header{"Content-Type": tt.said}); got != tt.want {
			t.Errorf("%q is declared: %v", tt.said, got)
		}
	}
}

// FuzzJSONDepth proves that the depth of JSON is found as a parser of it finds it.
func FuzzJSONDepth(f *testing.F) {
	f.Add([]byte(`[[[{"a":"\"]}[","b":[{}]}]]]`))
	f.Add([]byte(strings.Repeat("[", MaxJSONDepth+1) + strings.Repeat("]", MaxJSONDepth+1)))
	f.Fuzz(func(t *testing.T, body []byte) {
		deep := IsJSONTooDeep(body)
		if !json.Valid(body) {
			return
		}
		depth := depthOfJSON(body)
		if deep != (depth > MaxJSONDepth) || isJSONDeeper(body, depth) || depth > 0 && !isJSONDeeper(body, depth-1) {
			t.Fatalf("%s is %d deep, and found otherwise", body, depth)
		}
	})
}

func depthOfJSON(body []byte) int {
	depth, most := 0, 0
	for d := json.NewDecoder(strings.NewReader(string(body))); ; {
		token, err := d.Token()
		if err != nil {
			return most
		}
		if delim, ok := token.(json.Delim); ok {
			if slices.Contains([]json.Delim{'{', '['}, delim) {
				depth++
			} else {
				depth--
			}
			most = max(most, depth)
		}
	}
}
