package config

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-openapi/jsonpointer"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"go.yaml.in/yaml/v3"
)

//go:generate go test -run TestSchemaIsGenerated -update .

//go:embed schema.json
var schema string

// Schema returns the JSON Schema of errand.yaml, generated from its Go type. Only [Load]
// checks whether values fit together.
func Schema() string { return schema }

var formats = regexp.MustCompile(`"format": "(.*)"`)

var compiled = sync.OnceValues(func() (*jsonschema.Schema, any) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	for _, m := range formats.FindAllStringSubmatch(schema, -1) {
		c.RegisterFormat(&jsonschema.Format{Name: m[1], Validate: func(v any) error { return checkFormat(strings.Fields(m[1]), v) }})
	}
	if err = errors.Join(err, c.AddResource("errand.json", doc)); err != nil {
		panic(err) // cannot happen: the schema is embedded
	}
	return c.MustCompile("errand.json"), doc
})

// checkFormat checks a scalar value. A value of another kind has another error.
func checkFormat(format []string, v any) error {
	switch v.(type) {
	case nil, map[string]any, []any:
		return nil
	}
	return checks[format[0]](fmt.Sprint(v), format[1:]...)
}

// check reports all violations of the schema and removes the invalid values, so that the
// rest can be decoded.
func (d *document) check() {
	values := d.values(d.root, nil)
	s, doc := compiled()
	var all *jsonschema.ValidationError
	if !errors.As(s.Validate(values), &all) {
		return
	}
	var unfit []*yaml.Node
	d.misfits(all, func(p path, n *yaml.Node, text string) {
		if !d.unfit[p.key()] { // report one error per value
			d.faults.add(d.path, n.Line, "%s%s", p, text)
		}
		d.unfit[p.key()], unfit = true, append(unfit, n)
	}, doc)
	for _, n := range unfit {
		*n = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: n.Line, Column: n.Column}
	}
}

// values returns the value of a node. It reports and removes keys that are not scalars
// or occur twice.
func (d *document) values(n *yaml.Node, p path) any {
	switch n.Kind {
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			list[i] = d.values(item, p.at(i))
		}
		return list
	case yaml.ScalarNode:
		return scalar(n)
	}
	all, first, good := map[string]any{}, map[string]int{}, []*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch line, twice := first[k.Value]; {
		case k.Kind != yaml.ScalarNode:
			d.faults.add(d.path, k.Line, "%sa key must be text, found %s", p, describe(k))
		case twice:
			d.faults.add(d.path, k.Line, "%s%q is already set on line %d", p, k.Value, line)
		default:
			first[k.Value], k.Tag = k.Line, "!!str"
			good = append(good, k, v)
			all[k.Value] = d.values(v, p.at(k.Value))
		}
	}
	n.Content = good
	return all
}

// scalar returns a null, boolean or number, and anything else as text.
func scalar(n *yaml.Node) any {
	var whole int
	var number float64
	var yes bool
	switch tag := n.ShortTag(); {
	case tag == "!!null":
		return nil
	case tag == "!!bool" && n.Decode(&yes) == nil:
		return yes
	case tag == "!!int" && n.Decode(&whole) == nil:
		return whole
	case tag == "!!float" && n.Decode(&number) == nil && math.Abs(number) < 1<<53:
		return number
	}
	return n.Value
}

// misfits calls report for each value that the library refuses. doc is the schema.
func (d *document) misfits(e *jsonschema.ValidationError, report func(path, *yaml.Node, string), doc any) {
	p, n, parent := d.find(e.InstanceLocation)
	if _, either := e.ErrorKind.(*kind.AnyOf); either { // alternatives: a scalar or a collection
		deeper := func(c *jsonschema.ValidationError) bool { return len(c.Causes) > 0 || len(c.InstanceLocation) > len(p) }
		d.misfits(e.Causes[max(0, slices.IndexFunc(e.Causes, deeper))], report, doc)
		return
	}
	for _, cause := range e.Causes {
		d.misfits(cause, report, doc)
	}
	if len(e.Causes) > 0 || isNull(n) && parent != nil && parent.Kind == yaml.MappingNode {
		return // null means absent
	}
	at := schemaAt(doc, e.SchemaURL)
	if more, ok := e.ErrorKind.(*kind.AdditionalProperties); ok {
		properties, _ := at["properties"].(map[string]any)
		d.unknownKeys(p, more.Properties, sortedKeys(properties))
	} else if text := explain(e.ErrorKind, n, at); text != "" {
		report(p, n, text)
	}
}

func schemaAt(doc any, place string) map[string]any {
	_, fragment, _ := strings.Cut(place, "#")
	pointer, err := jsonpointer.New(fragment)
	if err != nil {
		return nil
	}
	part, _, _ := pointer.Get(doc) // an unknown part has no description
	at, _ := part.(map[string]any)
	return at
}

func (d *document) unknownKeys(p path, unknown, known []string) {
	for _, key := range unknown {
		if key == "token" && len(p) > 0 && p[0] == "channels" {
			d.fault(p.at(key), "a token does not belong in this file: put it into an environment variable (token_env) or a separate file "+
				"(token_file). Create a new token, because others may have read this file")
			continue
		}
		d.faults.add(d.path, d.line(p.at(key)), "%sunknown key %q%s", p, key, hint(key, known))
	}
}

// explain returns "" if another error is clearer.
func explain(k jsonschema.ErrorKind, n *yaml.Node, at map[string]any) string {
	want, _ := at["patternErrorMessage"].(string)
	switch k := k.(type) {
	case *kind.Format:
		return k.Err.Error()
	case *kind.Type:
		if slices.Contains(k.Want, "string") && n.Kind == yaml.ScalarNode && !isNull(n) {
			return "" // numbers and booleans count as text
		}
		return "want " + cmp.Or(want, wanted(k.Want)) + ", found " + describe(n)
	case *kind.Enum:
		if n.Kind != yaml.ScalarNode {
			return "want text, found " + describe(n)
		}
		words := strings.Trim(fmt.Sprint(k.Want), "[]")
		return fmt.Sprintf("%s is not one of %s%s", describe(n), strings.ReplaceAll(words, " ", ", "), want)
	case *kind.Minimum, *kind.Maximum, *kind.Pattern:
		return outside(n, at, want)
	case *kind.MaxItems:
		return fmt.Sprintf("has %d items; the maximum is %d", k.Got, k.Want)
	case *kind.MinItems:
		return "is empty: leave the key out to use all tools"
	case *kind.MinLength:
		return "want text, found nothing"
	}
	return "is not valid"
}

// outside explains a number or text that has the right type.
func outside(n *yaml.Node, at map[string]any, want string) string {
	switch {
	case at["format"] != nil:
		return "" // the format's own error is clearer
	case at["pattern"] != nil:
		return "want " + want + ", found " + describe(n)
	case strings.HasPrefix(n.Value, "-"):
		return n.Value + " is negative"
	case at["maximum"] == nil:
		return fmt.Sprintf("%s is less than %v", n.Value, at["minimum"])
	}
	return fmt.Sprintf("%s is not between %v and %v", n.Value, at["minimum"], at["maximum"])
}

func wanted(types []string) string {
	for _, w := range [][2]string{
		{"object", `settings, one "key: value" per line`}, {"array", "a list such as [one, two]"}, {"string", "text"},
		{"boolean", "true or false"}, {"integer", "a whole number"}, {"number", "an amount in USD such as 0.25"},
	} {
		if slices.Contains(types, w[0]) {
			return w[1]
		}
	}
	return strings.Join(types, " or ")
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "settings"
	case yaml.SequenceNode:
		return "a list"
	}
	if n.Value == "" || isNull(n) {
		return "nothing"
	}
	return fmt.Sprintf("%.60q", n.Value)
}
