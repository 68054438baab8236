package clientgen

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A document is an OpenAPI document, as far as a client needs it.
type document struct {
	Paths      map[string]map[string]*operation
	Components struct{ Schemas map[string]*schema }
}

type operation struct {
	ID          string `json:"operationId"`
	Summary     string
	Description string
	Parameters  []parameter
	RequestBody struct {
		Content map[string]media
	}
	Responses map[string]struct{ Content map[string]media }

	method, path string
}

type parameter struct {
	Name, In    string
	Description string
	Schema      *schema
}

type media struct{ Schema *schema }

type schema struct {
	Ref         string `json:"$ref"`
	Type        string
	Format      string
	Description string
	Enum        []string
	Minimum     *float64
	Maximum     float64
	Properties  map[string]*schema
	Required    []string
	Items       *schema
	Values      *schema `json:"additionalProperties"`

	// What Go's words are for it, of which the served document says nothing.
	Word   string `json:"x-go-type"`
	Embeds string `json:"x-go-embeds"`
	Own    string `json:"x-go-own"` // the properties that the embedded type does not have, with commas

	// What no document of errand's has, and would be left out unnoticed.
	AllOf, AnyOf, OneOf json.RawMessage
}

const jsonMedia = "application/json"

func parse(raw []byte) (*document, []*operation, error) {
	var d document
	if err := json.Unmarshal(raw, &d); err != nil {
		return nil, nil, fmt.Errorf("read the document: %w", err)
	}
	var list []*operation
	named := map[string]string{}
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(d.Paths[path])) {
			o := d.Paths[path][method]
			o.method, o.path = strings.ToUpper(method), path
			if o.ID == "" {
				return nil, nil, fmt.Errorf("%s %s has no operationId", o.method, path)
			}
			if other := named[o.ID]; other != "" {
				return nil, nil, fmt.Errorf("%s %s is called %s, as %s is", o.method, path, o.ID, other)
			}
			named[o.ID] = o.method + " " + path
			list = append(list, o)
		}
	}
	slices.SortFunc(list, func(a, b *operation) int { return strings.Compare(a.ID, b.ID) })
	return &d, list, nil
}

// answer is what an operation succeeds with, where that is JSON of one type and nothing
// else; nil where the answer is a stream, a file, or one of several things.
func (o *operation) answer() (*schema, error) {
	var found *schema
	for _, status := range slices.Sorted(maps.Keys(o.Responses)) {
		if status == "default" {
			continue
		}
		for kind, m := range o.Responses[status].Content {
			switch {
			case kind != jsonMedia:
				return nil, nil
			case m.Schema == nil:
				return nil, fmt.Errorf("%s: the answer %s has no schema", o.ID, status)
			case found != nil && found.Ref != m.Schema.Ref:
				return nil, nil
			}
			found = m.Schema
		}
	}
	return found, nil
}

// reach collects the names of the schemas that s leads to, where Go has no word of its own.
func (d *document) reach(s *schema, into map[string]bool) {
	if s == nil {
		return
	}
	if name := refName(s.Ref); name != "" {
		if to := d.Components.Schemas[name]; to != nil && to.Word == "" && !into[name] {
			into[name] = true
			d.reach(to, into)
		}
		return
	}
	for name, p := range s.Properties {
		if s.Embeds == "" || s.owns(name) {
			d.reach(p, into)
		}
	}
	d.reach(s.Items, into)
	d.reach(s.Values, into)
}

func (s *schema) owns(property string) bool {
	return slices.Contains(strings.Split(s.Own, ","), property)
}

func refName(ref string) string { return strings.TrimPrefix(ref, "#/components/schemas/") }
