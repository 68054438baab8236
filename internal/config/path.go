package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"errand/internal/nearest"
)

// A path leads to a value of the file: keys, and indexes such as "[0]".
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

// String is how faults begin: `agent "sasha": model: `, or `channels.telegram[0].agent: `.
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

// child returns the value of n at one part of a path, and what its line is that of.
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

// find returns the value at a place that the schema's library names.
func (l *loader) find(place []string) (p path, n, parent *yaml.Node) {
	n = l.root
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

// get returns the value at p; nil: it is not there, or null.
func (l *loader) get(p path) *yaml.Node {
	n := l.root
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

func (l *loader) has(p path) bool { return l.get(p) != nil }

// given reports whether the file says something at p, be it wrong.
func (l *loader) given(p path) bool { return l.has(p) || l.isUnfit(p) }

// names returns the keys of the mapping at p, in the order of the file.
func (l *loader) names(p path) (names []string) {
	n := l.get(p)
	for i := 0; n != nil && n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
		names = append(names, n.Content[i].Value)
	}
	return names
}

// line returns the line of p, or of the nearest that is there around it; 0: there is no file.
func (l *loader) line(p path) (line int) {
	n := l.root
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

// fault reports what is wrong at p, unless what is there has a fault already.
func (l *loader) fault(p path, format string, args ...any) {
	if !l.isUnfit(p) {
		l.faults.add(l.cfg.File, l.line(p), "%s%s", p, fmt.Sprintf(format, args...))
	}
}

// isUnfit reports whether a value at p, or around it, had a fault and was taken out.
func (l *loader) isUnfit(p path) bool {
	for i := range len(p) + 1 {
		if l.unfit[p[:i].key()] {
			return true
		}
	}
	return false
}

// hint returns ` (did you mean "sasha"?)`, or the names that there are if none is near word.
func hint(word string, known []string) string {
	if near := nearest.Word(word, known); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	if len(known) == 0 {
		return ""
	}
	return " (known: " + strings.Join(known, ", ") + ")"
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
