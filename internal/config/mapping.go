package config

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"errand"
)

// A document is the file that mappings report their faults to.
type document struct {
	name   string
	faults *faults
}

// A mapping reads one mapping of the file. Its methods overwrite what they are
// pointed at only if the key is there and good; what is there and not good is a
// fault. A nil mapping has no keys.
//
// The keys that were asked for are the keys that are known: once all have been,
// done reports the others.
type mapping struct {
	doc   *document
	where string // `agent "sasha": `, before every fault
	path  string // `price.`, before every key
	line  int
	names []string // in the order of the file
	keys  map[string]*yaml.Node
	vals  map[string]*yaml.Node
	asked []string
}

// newMapping reads n; nil where n is null or, which is a fault, no mapping.
func newMapping(doc *document, where, path string, line int, n *yaml.Node) *mapping {
	m := &mapping{doc: doc, where: where, path: path, line: line, keys: map[string]*yaml.Node{}, vals: map[string]*yaml.Node{}}
	if isNull(n) {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		m.fault(n.Line, "", "want settings, one \"key: value\" a line, found %s", kind(n))
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.Kind != yaml.ScalarNode {
			m.fault(k.Line, "", "a key must be a word, found %s", kind(k))
			continue
		}
		if first, dup := m.keys[k.Value]; dup {
			m.fault(k.Line, "", "%q is there twice, first on line %d", k.Value, first.Line)
			continue
		}
		m.names = append(m.names, k.Value)
		m.keys[k.Value], m.vals[k.Value] = k, v
	}
	return m
}

// fault reports what is wrong with the value of key, or with m for no key.
func (m *mapping) fault(line int, key, format string, args ...any) {
	at := m.where
	switch {
	case key != "":
		at += m.path + key + ": "
	case m.path != "":
		at += strings.TrimSuffix(m.path, ".") + ": "
	}
	m.doc.faults.add(m.doc.name, line, "%s%s", at, fmt.Sprintf(format, args...))
}

// get returns the value of key; nil where it is absent or null.
func (m *mapping) get(key string) *yaml.Node {
	if m == nil {
		return nil
	}
	if !slices.Contains(m.asked, key) {
		m.asked = append(m.asked, key)
	}
	if n := m.vals[key]; n != nil && !isNull(n) {
		return n
	}
	return nil
}

func (m *mapping) lineOf(key string) int {
	if m == nil {
		return 0
	}
	if k := m.keys[key]; k != nil {
		return k.Line
	}
	return m.line
}

// done reports the keys that nobody asked for.
func (m *mapping) done() {
	if m == nil {
		return
	}
	for _, name := range m.names {
		if slices.Contains(m.asked, name) {
			continue
		}
		hint := didYouMean(name, m.asked)
		if hint == "" {
			hint = fmt.Sprintf(" (known: %s)", strings.Join(m.asked, ", "))
		}
		m.fault(m.keys[name].Line, "", "unknown key %q%s", name, hint)
	}
}

func (m *mapping) section(key string) *mapping {
	n := m.get(key)
	if n == nil {
		return nil
	}
	return newMapping(m.doc, m.where, m.path+key+".", m.lineOf(key), n)
}

// text reads a string. Numbers and the like are taken as they are written.
func (m *mapping) text(key string, into *string) (found bool) {
	n := m.get(key)
	if n == nil {
		return false
	}
	s, ok := scalar(n)
	if !ok {
		m.fault(n.Line, key, "want text, found %s", kind(n))
		return false
	}
	*into = s
	return true
}

// texts reads a list of strings and the line of each; found and empty is not nil.
func (m *mapping) texts(key string) (list []string, lines []int) {
	n := m.get(key)
	if n == nil {
		return nil, nil
	}
	if n.Kind != yaml.SequenceNode {
		m.fault(n.Line, key, "want a list such as [one, two], found %s", kind(n))
		return nil, nil
	}
	list = []string{}
	for _, item := range n.Content {
		s, ok := scalar(item)
		if !ok || s == "" {
			m.fault(item.Line, key, "want words in the list, found %s", kind(item))
			continue
		}
		list, lines = append(list, s), append(lines, item.Line)
	}
	return list, lines
}

func (m *mapping) items(key string, n *yaml.Node) []*mapping {
	if n.Kind != yaml.SequenceNode {
		m.fault(n.Line, key, "want a list, found %s", kind(n))
		return nil
	}
	list := make([]*mapping, len(n.Content))
	for i, item := range n.Content {
		list[i] = newMapping(m.doc, m.where, fmt.Sprintf("%s%s[%d].", m.path, key, i), item.Line, item)
		if isNull(item) {
			m.fault(item.Line, key, "want settings in the list, found nothing")
		}
	}
	return list
}

func choice[T ~string](m *mapping, key string, into *T, options ...T) {
	var s string
	if !m.text(key, &s) {
		return
	}
	if slices.Contains(options, T(s)) {
		*into = T(s)
		return
	}
	m.fault(m.lineOf(key), key, "%q is not one of %s", s, strings.Join(errand.Strings(options), ", "))
}

func (m *mapping) boolean(key string, into *bool) {
	n := m.get(key)
	if n == nil {
		return
	}
	if n.ShortTag() != "!!bool" || n.Decode(into) != nil {
		m.fault(n.Line, key, "want true or false, found %s", kind(n))
	}
}

func (m *mapping) number(key string, into *int, least, most int) {
	n := m.get(key)
	if n == nil {
		return
	}
	var v int
	switch {
	case n.ShortTag() != "!!int" || n.Decode(&v) != nil:
		m.fault(n.Line, key, "want a whole number, found %s", kind(n))
	case v < 0:
		m.fault(n.Line, key, "%d is negative", v)
	case v < least || v > most:
		m.fault(n.Line, key, "%d is not between %d and %d", v, least, most)
	default:
		*into = v
	}
}

func (m *mapping) money(key string, into *float64) {
	n := m.get(key)
	if n == nil {
		return
	}
	var v float64
	tag := n.ShortTag()
	switch {
	case tag != "!!int" && tag != "!!float" || n.Decode(&v) != nil || math.IsNaN(v) || math.IsInf(v, 0):
		m.fault(n.Line, key, "want an amount in USD such as 0.25, found %s", kind(n))
	case v < 0:
		m.fault(n.Line, key, "%v is negative", v)
	default:
		*into = v
	}
}

// moneyIfSet is money where nothing is not the same as 0.
func (m *mapping) moneyIfSet(key string, into **float64) {
	var v float64
	if m.get(key) != nil {
		m.money(key, &v)
		*into = &v
	}
}

// duration reads a time such as 90s or 1h30m of at least least.
func (m *mapping) duration(key string, into *time.Duration, least time.Duration) {
	var s string
	if !m.text(key, &s) {
		return
	}
	line := m.lineOf(key)
	switch d, err := time.ParseDuration(s); {
	case err != nil:
		m.fault(line, key, "%q is not a duration: write for example 90s, 30m or 1h30m", s)
	case d < 0:
		m.fault(line, key, "%s is negative", s)
	case d < least:
		m.fault(line, key, "%s is less than %s", s, least)
	default:
		*into = d
	}
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

func scalar(n *yaml.Node) (s string, ok bool) {
	if n.Kind != yaml.ScalarNode {
		return "", false
	}
	switch n.ShortTag() {
	case "!!str", "!!int", "!!float", "!!bool", "!!timestamp":
		return n.Value, true
	}
	return "", false
}

// kind says what n is, in the words of a person who does not know YAML's.
func kind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "settings of its own"
	case yaml.SequenceNode:
		return "a list"
	}
	if n.Value == "" || isNull(n) {
		return "nothing"
	}
	return fmt.Sprintf("%.60q", n.Value)
}
