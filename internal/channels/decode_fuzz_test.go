package channels_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"errand/internal/channels"
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

// TestDecodeHostile proves that of something hostile, however large or deep, what a
// message is known by is read all the same.
func TestDecodeHostile(t *testing.T) {
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
		c, left, err := channels.Decode[crowd]([]byte(raw))
		if err != nil || c.ID != 1 || c.Text != "hi" || len(left) == 0 || len(left) > 11 {
			t.Errorf("%s: read is %.100v, left out is %.200q, %v", name, c, left, err)
		}
	}
}

// FuzzDecode proves that one field, unknown or of another type, never loses a message,
// and that the log has nothing of what somebody wrote.
func FuzzDecode(f *testing.F) {
	for _, seed := range [][2]string{
		{"list", `["bad", "good"]`}, {"map", `{"a": "bad", "b": 2, "": "bad"}`}, {"deeper", `{"id": "x", "deeper": {"list": {}}}`}, {"Deeper", `7`},
		{"", `{"": {"": "bad"}}`}, {"\x00", `[[[[[[[[{}]]]]]]]]`}, {"list", `[[[[[["bad"]]]]]]`}, {"new", `null`}, {"deeper", `{`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, field, value string) {
		name, err := json.Marshal(field)
		raw := fmt.Appendf(nil, `{"id": 1, "text": "hi", %s: %s}`, name, value)
		if err != nil || strings.EqualFold(field, "id") || strings.EqualFold(field, "text") || !json.Valid([]byte(value)) || !json.Valid(raw) {
			return
		}
		c, left, err := channels.Decode[crowd](raw)
		if err != nil || c.ID != 1 || c.Text != "hi" {
			t.Fatalf("%s is read as %+v, %v", raw, c, err)
		}
		if len(left) > 11 {
			t.Errorf("left out is %q", left)
		}
		for _, name := range left {
			if strings.ContainsAny(name, " \n\"\x00") {
				t.Errorf("left out is %q", name)
			}
		}
	})
}
