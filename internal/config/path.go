package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"errand/internal/content"
)

// A path leads to a value in the file: keys, and indexes such as "[0]".
type path []string

func at(parts ...any) path { return path(nil).at(parts...) }

func (p path) at(parts ...any) path {
	p = slices.Clip(p)
	for _, part := range parts {
		if i, ok := part.(int); ok {
			part = "[" + strconv.Itoa(i) + "]"
		}
		p = append(p, fmt.Sprint(part))
	}
	return p
}

func (p path) key() string { return strings.Join(p, "\x00") }

// String returns the start of an error message: `agent "sasha": model: `, or
// `channels.telegram[0].agent: `.
func (p path) String() string {
	titles := map[string]string{"agents": "agent", "models": "model", "procedures": "procedure"}
	where := ""
	if len(p) > 1 && titles[p[0]] != "" {
		where, p = fmt.Sprintf("%s %q: ", titles[p[0]], p[1]), p[2:]
	}
	if len(p) == 0 {
		return where
	}
	return where + strings.ReplaceAll(strings.Join(p, "."), ".[", "[") + ": "
}

// child returns one part of a path. Errors use the line of key.
func child(n *yaml.Node, part string) (key, value *yaml.Node) {
	if n == nil {
		return nil, nil
	}
	if n.Kind == yaml.SequenceNode {
		if i, err := strconv.Atoi(strings.Trim(part, "[]")); err == nil && i < len(n.Content) {
			return n.Content[i], n.Content[i]
		}
		return nil, nil
	}
	return pair(n, part)
}

func (d *document) find(place []string) (p path, n, parent *yaml.Node) {
	n = d.root
	for _, part := range place {
		parent = n
		if n.Kind == yaml.SequenceNode {
			part = "[" + part + "]"
		}
		p = p.at(part)
		_, n = child(n, part)
	}
	return p, n, parent
}

func (d *document) get(p path) *yaml.Node {
	n := d.root
	for _, part := range p {
		if n == nil {
			return nil
		}
		_, n = child(n, part)
	}
	if n == nil || isNull(n) {
		return nil
	}
	return n
}

func (d *document) has(p path) bool { return d.get(p) != nil }

// given is also true for an invalid value.
func (d *document) given(p path) bool { return d.has(p) || d.isUnfit(p) }

func (d *document) names(p path) (names []string) {
	n := d.get(p)
	for i := 0; n != nil && n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
		names = append(names, n.Content[i].Value)
	}
	return names
}

// line returns the line of p or of its nearest parent; 0: no file.
func (d *document) line(p path) (line int) {
	n := d.root
	if n == nil {
		return 0
	}
	line = n.Line
	for _, part := range p {
		key, value := child(n, part)
		if key == nil {
			break
		}
		line, n = key.Line, value
	}
	return line
}

// fault reports an error at p, unless the value was already removed as invalid.
func (d *document) fault(p path, format string, args ...any) {
	if !d.isUnfit(p) {
		d.faults.add(d.path, d.line(p), "%s%s", p, fmt.Sprintf(format, args...))
	}
}

// isUnfit reports whether the value at p, or one that contains it, was removed as invalid.
func (d *document) isUnfit(p path) bool {
	for i := range len(p) + 1 {
		if d.unfit[p[:i].key()] {
			return true
		}
	}
	return false
}

// hint returns ` (did you mean "sasha"?)`, or a list of the known names.
func hint(word string, known []string) string {
	if near := content.NearestWord(word, known); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	if len(known) == 0 {
		return ""
	}
	return " (known: " + strings.Join(known, ", ") + ")"
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
