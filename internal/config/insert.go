package config

import (
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// insertChannel edits the text of a YAML file, because the library would reformat all of
// it. The result may be wrong for an unusual file, so the caller compares the meaning
// before and after.
func insertChannel(text string, c NewChannel) (string, error) {
	e := newEdit(text)
	doc, err := decode([]byte(text))
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if err != nil || isNull(doc.Content[0]) {
		return e.lines(e.count(), 0, "channels:", "  "+c.Kind+":", "    - "+c.Entry()), nil
	}
	root := doc.Content[0]
	if root.Style&yaml.FlowStyle != 0 {
		return e.insertFlow(root, "channels: {"+c.Kind+": ["+c.Entry()+"]}")
	}
	key, channels := pair(root, "channels")
	if key == nil {
		indent := 0
		if len(root.Content) > 0 {
			indent = root.Content[0].Column - 1
		}
		return e.lines(e.count(), indent, "channels:", "  "+c.Kind+":", "    - "+c.Entry()), nil
	}
	if isNull(channels) {
		return e.lines(key.Line, key.Column-1, "  "+c.Kind+":", "    - "+c.Entry()), nil
	}
	kind, list := pair(channels, c.Kind)
	switch {
	case kind == nil && channels.Style&yaml.FlowStyle != 0:
		return e.insertFlow(channels, c.Kind+": ["+c.Entry()+"]")
	case kind == nil:
		return e.lines(e.end(key), e.indent(channels, key.Column+1), c.Kind+":", "  - "+c.Entry()), nil
	case isNull(list):
		return e.lines(kind.Line, kind.Column-1, "  - "+c.Entry()), nil
	case list.Style&yaml.FlowStyle != 0:
		return e.insertFlow(list, c.Entry())
	}
	return e.lines(e.end(kind), list.Column-1, "- "+c.Entry()), nil
}

func pair(m *yaml.Node, key string) (k, v *yaml.Node) {
	for i := 0; m.Kind == yaml.MappingNode && i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return m.Content[i], m.Content[i+1]
		}
	}
	return nil, nil
}

type edit struct {
	text    string
	newline string
	rows    []string // including line breaks
}

func newEdit(text string) *edit {
	e := &edit{text: text, newline: "\n", rows: strings.SplitAfter(text, "\n")}
	if strings.Contains(text, "\r\n") {
		e.newline = "\r\n"
	}
	if e.rows[len(e.rows)-1] == "" {
		e.rows = e.rows[:len(e.rows)-1]
	}
	return e
}

func (e *edit) count() int { return len(e.rows) }

func (e *edit) lines(after, indent int, list ...string) string {
	head, tail := strings.Join(e.rows[:after], ""), strings.Join(e.rows[after:], "")
	if head != "" && !strings.HasSuffix(head, "\n") {
		head += e.newline
	}
	for _, l := range list {
		head += strings.Repeat(" ", indent) + l + e.newline
	}
	return head + tail
}

func (e *edit) indent(m *yaml.Node, def int) int {
	if len(m.Content) == 0 {
		return def
	}
	return m.Content[0].Column - 1
}

// end returns the last line of the key's block. It includes list items that are indented
// as deep as the key.
func (e *edit) end(key *yaml.Node) int {
	last, at := key.Line, key.Column-1
	for i := key.Line; i < len(e.rows); i++ {
		row := strings.TrimRight(e.rows[i], " \t\r\n")
		rest := strings.TrimLeft(row, " ")
		deep := len(row) - len(rest)
		switch {
		case rest == "" || rest[0] == '#' && deep <= at:
		case deep > at, deep == at && (rest == "-" || strings.HasPrefix(rest, "- ")):
			last = i + 1
		default:
			return last
		}
	}
	return last
}

func (e *edit) offset(n *yaml.Node) int {
	at := 0
	for _, row := range e.rows[:n.Line-1] {
		at += len(row)
	}
	column := 1
	for i := range e.rows[n.Line-1] {
		if column == n.Column {
			return at + i
		}
		column++
	}
	return at + len(e.rows[n.Line-1])
}

func (e *edit) insertFlow(n *yaml.Node, item string) (string, error) {
	start := e.offset(n)
	depth, last := 0, start
	for i := start; i < len(e.text); i++ {
		ch, before := e.text[i], byte(' ')
		if i > start {
			before = e.text[i-1]
		}
		switch {
		case ch == '#' && strings.IndexByte(" \t\n", before) >= 0:
			i += len(until(e.text[i:], "\n")) - 1
			continue
		case ch == '"' || ch == '\'':
			if strings.IndexByte(" \t\n[{,:", before) >= 0 {
				i += quoteEnd(e.text[i:])
			}
		case ch == '[' || ch == '{':
			depth++
		case ch == ']' || ch == '}':
			if depth--; depth == 0 {
				return e.text[:last+1] + separator(e.text[last], last == start) + item + e.text[last+1:], nil
			}
		}
		if i < len(e.text) && strings.IndexByte(" \t\r\n", e.text[i]) < 0 {
			last = i
		}
	}
	return "", errors.New("the end of a list is not found")
}

func separator(last byte, first bool) string {
	switch {
	case first:
		return ""
	case last == ',':
		return " "
	}
	return ", "
}

func until(s, end string) string {
	before, _, _ := strings.Cut(s, end)
	return before
}

func quoteEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && s[0] == '"':
			i++
		case s[i] == s[0] && s[0] == '\'' && i+1 < len(s) && s[i+1] == '\'':
			i++
		case s[i] == s[0]:
			return i
		}
	}
	return len(s) - 1
}
