package channels

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// A crowd takes all that a hostile object may have of one kind.
type crowd struct {
	ID     int
	Text   string
	List   []picky
	Map    map[string]picky
	Deeper *crowd
}

type picky struct{}

func (*picky) UnmarshalJSON(raw []byte) error {
	if strings.Contains(string(raw), "bad") {
		return errors.New("bad")
	}
	return nil
}

// prunes looks for what cannot be read, and returns how often and with how many
// bytes it tried.
func prunes(raw string) (kept json.RawMessage, left []string, tests, bytes int) {
	p := pruner{tests: mostTests, bytes: mostBytes, readable: func(raw json.RawMessage) bool {
		tests++
		bytes += len(raw)
		return json.Unmarshal(raw, new(crowd)) == nil
	}}
	kept, _ = p.prune(json.RawMessage(raw), "", func(raw json.RawMessage) json.RawMessage { return raw }, deepest)
	return kept, p.names(), tests, bytes
}

// TestBoundedWork proves that of something hostile, however large or deep, what a
// message is known by is read all the same, with so much work and no more.
func TestBoundedWork(t *testing.T) {
	many := func(n int, field func(i int) string) string {
		list := make([]string, n)
		for i := range list {
			list[i] = field(i)
		}
		return strings.Join(list, ",")
	}
	const head = `"id": 1, "text": "hi", `
	for name, raw := range map[string]string{
		"many in a list": `{` + head + `"list": [` + many(100_000, func(int) string { return `"bad"` }) + `]}`,
		"every other":    `{` + head + `"list": [` + many(10_000, func(i int) string { return []string{`"bad"`, `"good"`}[i%2] }) + `]}`,
		"many fields":    `{` + head + `"map": {` + many(50_000, func(i int) string { return fmt.Sprintf(`"f%d": "bad"`, i) }) + `}}`,
		"unknown fields": `{` + head + many(50_000, func(i int) string { return fmt.Sprintf(`"f%d": "bad"`, i) }) + `, "list": "bad"}`,
		"large":          `{` + head + `"list": ["bad` + strings.Repeat("x", 20<<20) + `"], "deeper": {"text": 7}}`,
		"deep":           strings.Repeat(`{`+head+`"list": ["bad"], "map": {"x": "bad"}, "deeper": `, 900) + `7` + strings.Repeat(`}`, 900),
		"deep lists":     `{` + head + `"list": [` + strings.Repeat(`[`, 9000) + `"bad"` + strings.Repeat(`]`, 9000) + `]}`,
	} {
		kept, left, tests, bytes := prunes(raw)
		var c crowd
		if err := json.Unmarshal(kept, &c); err != nil || c.ID != 1 || c.Text != "hi" {
			t.Errorf("%s: kept is %.100s, %v", name, kept, err)
		}
		if len(left) == 0 || len(left) > mostLeft+1 || tests > mostTests || bytes > mostBytes {
			t.Errorf("%s: %d tries of %d bytes in all, and left out is %.200q", name, tests, bytes, left)
		}
	}
}

// FuzzDecode proves that whatever a platform sends, what is read of it can be
// read, and that the work is bounded.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"id": 1, "list": ["bad", "good"], "map": {"a": "bad", "b": 2}, "deeper": {"id": "x", "deeper": {"list": {}}}}`,
		`{"id": {}, "ID": 1, "id": 2, "\u0000": [], "": {"": {"": "bad"}}}`, `[[[[[[[[{}]]]]]]]]`, `{"list": [[[[[["bad"]]]]]]}`, `null`, `7`, `{`, ``,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		_, left, err := Decode[crowd]([]byte(raw), "deeper")
		if err == nil && len(left) > mostLeft+1 {
			t.Errorf("left out is %q", left)
		}
		for _, name := range left {
			if len(name) > deepest*41 || strings.ContainsAny(name, " \n\"\x00") {
				t.Errorf("left out is %q", name)
			}
		}
		if json.Valid([]byte(raw)) && json.Unmarshal([]byte(raw), new(crowd)) != nil {
			if kept, _, tests, bytes := prunes(raw); tests > mostTests || bytes > mostBytes || kept != nil && json.Unmarshal(kept, new(crowd)) != nil {
				t.Errorf("%d tries of %d bytes in all, and kept is %.200s", tests, bytes, kept)
			}
		}
	})
}
