package channels

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Decode reads an object of a platform into a T of its vendor's library. The
// library refuses the whole of an object for one field of a kind that it does not
// know, such as came into being after it: then what can be read is read, and left
// names the fields that were left out. Without that, what somebody writes would be
// lost for what it replies to.
//
// An object that loses one of the needed fields means something else without it,
// and is left out itself. Neither left nor an error has anything of what somebody
// wrote, and the work is bounded whatever is in raw.
func Decode[T any](raw []byte, needed ...string) (v *T, left []string, err error) {
	v = new(T)
	err = json.Unmarshal(raw, v)
	if err == nil {
		return v, nil, nil
	}
	if !json.Valid(raw) {
		return nil, nil, errors.New("it is no JSON")
	}
	p := pruner{tests: mostTests, bytes: mostBytes, needed: needed,
		readable: func(raw json.RawMessage) bool { return json.Unmarshal(raw, new(T)) == nil }}
	pruned, ok := p.prune(raw, "", func(raw json.RawMessage) json.RawMessage { return raw }, deepest)
	left = p.names()
	switch {
	case !ok && len(left) > 0:
		return nil, nil, fmt.Errorf("it cannot be read, nor can it be without %s", strings.Join(left, ", "))
	case !ok:
		return nil, nil, errors.New("it cannot be read, nor any part of it")
	}
	v = new(T)
	if err = json.Unmarshal(pruned, v); err != nil {
		return nil, nil, errors.New("it cannot be read, nor what is left of it")
	}
	return v, left, nil
}

func (p *pruner) names() []string {
	list := slices.Clone(p.left)
	slices.Sort(list)
	list = slices.Compact(list)
	if p.more || len(list) > mostLeft {
		list = append(list[:min(len(list), mostLeft)], "…")
	}
	return list
}
