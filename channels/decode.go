package channels

import (
	"encoding/json"
	"fmt"
	"slices"
)

// deepest is how far into an object it is looked for what cannot be read, and
// mostLeft how many fields are named.
const deepest, mostLeft = 4, 10

// Decode reads an object of a platform into a T of its vendor's library. The
// library refuses the whole of an object for one field of a kind that it does not
// know, such as came into being after it: then what can be read is read, and left
// names the fields that were left out. Without that, what somebody writes would be
// lost for what it replies to.
func Decode[T any](raw []byte) (v *T, left []string, err error) {
	v = new(T)
	if err = json.Unmarshal(raw, v); err == nil {
		return v, nil, nil
	}
	p := pruner{readable: func(raw json.RawMessage) bool { return json.Unmarshal(raw, new(T)) == nil }}
	pruned, ok := p.prune(raw, "", func(raw json.RawMessage) json.RawMessage { return raw }, deepest)
	if !ok || len(p.left) == 0 {
		return nil, nil, err
	}
	v = new(T)
	if again := json.Unmarshal(pruned, v); again != nil {
		return nil, nil, fmt.Errorf("%w, and of what is left: %w", err, again)
	}
	slices.Sort(p.left)
	return v, p.left[:min(len(p.left), mostLeft)], nil
}

type pruner struct {
	readable func(whole json.RawMessage) bool
	left     []string
}

// prune returns what of raw can be read where within puts it; false for nothing.
func (p *pruner) prune(raw json.RawMessage, path string, within func(json.RawMessage) json.RawMessage, depth int) (json.RawMessage, bool) {
	if p.readable(within(raw)) {
		return raw, true
	}
	var fields map[string]json.RawMessage
	if depth == 0 || json.Unmarshal(raw, &fields) != nil || fields == nil {
		p.left = append(p.left, path)
		return nil, false
	}
	kept := map[string]json.RawMessage{}
	for name, field := range fields {
		alone := func(inner json.RawMessage) json.RawMessage {
			return within(object(map[string]json.RawMessage{name: inner}))
		}
		if field, ok := p.prune(field, path+"."+name, alone, depth-1); ok {
			kept[name] = field
		}
	}
	// Fields that can be read by themselves need not make sense without the others.
	if raw = object(kept); !p.readable(within(raw)) {
		p.left = append(p.left, path)
		return nil, false
	}
	return raw, true
}

func object(fields map[string]json.RawMessage) json.RawMessage {
	raw, err := json.Marshal(fields)
	if err != nil { // a field that is no JSON is in no object that was read
		return json.RawMessage("{}")
	}
	return raw
}
