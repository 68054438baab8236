package channels

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

const (
	maxDepth = 6  // of objects in which fields are dropped
	maxNames = 10 // of dropped fields
)

// Decode decodes a platform's JSON object into T, a type of the vendor's library. The
// library refuses a whole object if one field has an unexpected type. Decode drops such
// fields instead, and left names them.
//
// If Decode has to drop one of the needed fields, it drops the whole object. Neither
// left nor an error contains text that a person wrote.
func Decode[T any](raw []byte, needed ...string) (v *T, left []string, err error) {
	v = new(T)
	if json.Unmarshal(raw, v) == nil {
		return v, nil, nil
	}
	if !json.Valid(raw) {
		return nil, nil, errors.New("it is no JSON")
	}
	p := pruner{needed: needed}
	kept, ok := p.prune(raw, reflect.TypeFor[T](), "", maxDepth)
	left = slices.Compact(slices.Sorted(slices.Values(p.left)))
	if len(left) > maxNames {
		left = append(left[:maxNames], "…")
	}
	switch {
	case !ok && len(left) > 0:
		return nil, nil, fmt.Errorf("it cannot be read, nor can it be without %s", strings.Join(left, ", "))
	case !ok:
		return nil, nil, errors.New("it cannot be read, nor any part of it")
	}
	v = new(T)
	return v, left, json.Unmarshal(kept, v)
}

type pruner struct {
	needed []string
	left   []string // paths
}

func (p *pruner) prune(raw json.RawMessage, t reflect.Type, path string, depth int) (json.RawMessage, bool) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Interface || isReadable(raw, t) { // the outer type decodes the interface
		return raw, true
	}
	before := len(p.left)
	if depth > 0 {
		var kept json.RawMessage
		var ok bool
		switch t.Kind() {
		case reflect.Struct, reflect.Map:
			kept, ok = p.pruneObject(raw, t, path, depth)
		case reflect.Slice:
			kept, ok = p.pruneList(raw, t, path, depth)
		}
		if ok && isReadable(kept, t) {
			return kept, true
		}
	}
	if path != "" {
		p.left = append(p.left[:before], path)
	}
	return nil, false
}

func (p *pruner) pruneObject(raw json.RawMessage, t reflect.Type, path string, depth int) (json.RawMessage, bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return nil, false
	}
	types := fieldTypes(t)
	complete := true
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		of := types[strings.ToLower(name)]
		if t.Kind() == reflect.Map {
			of = t.Elem()
		}
		if of == nil {
			unknown = append(unknown, name)
			continue
		}
		kept, ok := p.prune(fields[name], of, path+nameOf(name), depth-1)
		if ok {
			fields[name] = kept
			continue
		}
		delete(fields, name)
		complete = complete && !p.isNeeded(name)
	}
	kept, err := json.Marshal(fields)
	if err != nil || !complete || isReadable(kept, t) {
		return kept, complete && err == nil
	}
	// A custom decoder may read fields that the type does not declare.
	for _, name := range unknown {
		if !p.isNeeded(name) {
			delete(fields, name)
			p.left = append(p.left, path+nameOf(name))
		}
	}
	kept, err = json.Marshal(fields)
	return kept, err == nil
}

func (p *pruner) pruneList(raw json.RawMessage, t reflect.Type, path string, depth int) (json.RawMessage, bool) {
	var list, kept []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil, false
	}
	for i, element := range list {
		if element, ok := p.prune(element, t.Elem(), fmt.Sprintf("%s[%d]", path, i), depth-1); ok {
			kept = append(kept, element)
		}
	}
	raw, err := json.Marshal(kept)
	return raw, err == nil
}

func (p *pruner) isNeeded(name string) bool {
	return slices.ContainsFunc(p.needed, func(needed string) bool { return strings.EqualFold(needed, name) })
}

func isReadable(raw json.RawMessage, t reflect.Type) bool {
	return json.Unmarshal(raw, reflect.New(t).Interface()) == nil
}

func fieldTypes(t reflect.Type) map[string]reflect.Type {
	types := map[string]reflect.Type{}
	if t.Kind() != reflect.Struct {
		return types
	}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.IsExported() && name != "-" {
			types[strings.ToLower(cmp.Or(name, f.Name))] = f.Type
		}
	}
	return types
}

// nameOf hides names that could be an id or a person's text.
func nameOf(field string) string {
	isName := func(c rune) bool {
		return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
	}
	if field == "" || len(field) > 40 || field[0] >= '0' && field[0] <= '9' || strings.ContainsFunc(field, func(c rune) bool { return !isName(c) }) {
		return ".?"
	}
	return "." + field
}
