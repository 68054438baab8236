package channels

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A whole is an object or a list.
type whole struct {
	list  bool
	parts []part
}

// A part is a field of an object, or an element of a list.
type part struct {
	key   string // of a field
	place int    // of an element; -1: it is a field
	raw   json.RawMessage
}

func split(raw json.RawMessage) (w whole, ok bool) {
	switch raw = bytes.TrimSpace(raw); {
	case bytes.HasPrefix(raw, []byte("{")):
		var fields map[string]json.RawMessage
		if json.Unmarshal(raw, &fields) != nil {
			return w, false
		}
		for key, raw := range fields {
			w.parts = append(w.parts, part{key, -1, raw})
		}
		slices.SortFunc(w.parts, func(a, b part) int { return strings.Compare(a.key, b.key) })
		return w, true
	case bytes.HasPrefix(raw, []byte("[")):
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil {
			return w, false
		}
		for i, raw := range list {
			w.parts = append(w.parts, part{"", i, raw})
		}
		return whole{true, w.parts}, true
	}
	return w, false
}

func (a part) name() string {
	if a.place >= 0 {
		return fmt.Sprintf("[%d]", a.place)
	}
	return nameOf(a.key)
}

// hollow is a part with nothing in it; nil if it is neither object nor list.
func (a part) hollow() json.RawMessage {
	for _, hollow := range []string{"{}", "[]"} {
		if bytes.HasPrefix(bytes.TrimSpace(a.raw), []byte(hollow[:1])) {
			return json.RawMessage(hollow)
		}
	}
	return nil
}

// replaced are the parts with another raw for one of them; nil: without it.
func (w whole) replaced(one part, raw json.RawMessage) (parts []part) {
	for _, a := range w.parts {
		switch {
		case a.key != one.key || a.place != one.place:
			parts = append(parts, a)
		case raw != nil:
			parts = append(parts, part{a.key, a.place, raw})
		}
	}
	return parts
}

// join is w with these parts only.
func (w whole) join(parts []part) json.RawMessage {
	if w.list {
		parts = slices.Clone(parts)
		slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.place, b.place) })
	}
	ends := "{}"
	if w.list {
		ends = "[]"
	}
	var out bytes.Buffer
	out.WriteByte(ends[0])
	for i, a := range parts {
		if i > 0 {
			out.WriteByte(',')
		}
		if !w.list {
			key, _ := json.Marshal(a.key) // a string always can be
			out.Write(key)
			out.WriteByte(':')
		}
		out.Write(a.raw)
	}
	out.WriteByte(ends[1])
	return out.Bytes()
}

// nameOf is what a field is called for the log. What does not look like a name is
// somebody's words, or an id.
func nameOf(field string) string {
	isName := func(c rune) bool {
		return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
	}
	if field == "" || len(field) > 40 || field[0] >= '0' && field[0] <= '9' || strings.ContainsFunc(field, func(c rune) bool { return !isName(c) }) {
		return ".?"
	}
	return "." + field
}
