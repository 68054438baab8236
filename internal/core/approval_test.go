package core_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"errand/internal/core"
)

// TestCanonicalArguments proves that arguments have one form: what people read, what a yes
// is bound to, and what the tool is given.
func TestCanonicalArguments(t *testing.T) {
	for _, tt := range []struct{ name, in, want, wrong string }{
		{"sorted", `{"b":1,"a":[true,null,{"d":0,"c":"x"}]}`, "{\n  \"a\": [\n    true,\n    null,\n    {\n      \"c\": \"x\",\n      \"d\": 0\n    }\n  ],\n  \"b\": 1\n}", ""},
		{"none", " ", "{}", ""},
		{"empty", `{"a":{},"b":[]}`, "{\n  \"a\": {},\n  \"b\": []\n}", ""},
		{"a number as it was written", `{"n":1.50e3,"m":12345678901234567890}`, "{\n  \"m\": 12345678901234567890,\n  \"n\": 1.50e3\n}", ""},
		{"what cannot be seen", "{\"a\":\"x\u202ey\u200b\u00a0\"}", "{\n  \"a\": \"x\\u202ey\\u200b\\u00a0\"\n}", ""},
		{"beyond the first plane", "{\"a\":\"\U000e0041\"}", "{\n  \"a\": \"\\udb40\\udc41\"\n}", ""},
		{"the end of a block", "{\"a\":\"```\"}", "{\n  \"a\": \"\\u0060\\u0060\\u0060\"\n}", ""},
		{"a key twice", `{"a":1,"a":2}`, "", "twice"},
		{"a key twice in another case", `{"to":1,"TO":2}`, "", "twice"},
		{"a key twice below", `{"x":{"a":1,"a":2}}`, "", "twice"},
		{"no object", `[1]`, "", "no JSON object"},
		{"no JSON", `{"a":`, "", "no JSON object"},
		{"something behind", `{} {}`, "", "behind"},
		{"too deep", strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200), "", "too deep"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := core.CanonicalArguments(tt.in)
			if got != tt.want || (err == nil) != (tt.wrong == "") || err != nil && !strings.Contains(err.Error(), tt.wrong) {
				t.Errorf("it is %q, %v; want %q, %q", got, err, tt.want, tt.wrong)
			}
		})
	}
}

// FuzzCanonicalArguments proves that the form says what was written, that it is the form of
// itself, and that every character of it is seen.
func FuzzCanonicalArguments(f *testing.F) {
	for _, seed := range []string{`{"a":1}`, `{"b":"\u202e","a":[1.5e3,{}]}`, "{\"a\":\"```\"}", `{"é":"\ud800"}`, `{"a":1,"A":2}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got, err := core.CanonicalArguments(in)
		if err != nil {
			return
		}
		again, err := core.CanonicalArguments(got)
		if err != nil || again != got {
			t.Fatalf("the form of %q is %q, and of that %q (%v)", in, got, again, err)
		}
		if i := strings.IndexFunc(got, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) || r == '`' }); i >= 0 {
			t.Fatalf("the form %q has what is not seen at %d", got, i)
		}
		var before, after any
		if strings.TrimSpace(in) == "" {
			return
		}
		if err := json.Unmarshal([]byte(in), &before); err != nil {
			return // a number that no machine holds
		}
		if err := json.Unmarshal([]byte(got), &after); err != nil || !reflect.DeepEqual(before, after) {
			t.Fatalf("%q has become %q (%v)", in, got, err)
		}
	})
}
