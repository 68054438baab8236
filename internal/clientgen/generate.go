// Package clientgen writes the Go client of errand's API, package client, from the API's
// OpenAPI document.
package clientgen

import (
	"bytes"
	"fmt"
	"go/format"
	"maps"
	"slices"
	"strings"
)

// Generate returns the source of the client: a type for each schema, and a method for each
// operation. What it would have to leave out is an error.
//
// Schemas may say more than the served document does: x-go-type is the root package's word
// for what they describe, which the client then uses; x-go-embeds is the word that a type
// embeds, and x-go-own what it has besides.
func Generate(raw []byte) ([]byte, error) {
	d, operations, err := parse(raw)
	if err != nil {
		return nil, err
	}
	g := generator{doc: d, asked: map[string]bool{}, names: map[string]string{}}
	answered := map[string]bool{"Error": true}
	for _, o := range operations {
		for _, m := range o.RequestBody.Content {
			d.reach(m.Schema, g.asked)
		}
		for _, p := range o.Parameters {
			d.reach(p.Schema, answered) // a word is the same in both
		}
		for _, r := range o.Responses {
			for _, m := range r.Content {
				d.reach(m.Schema, answered)
			}
		}
	}
	for name := range g.asked {
		if answered[name] {
			return nil, fmt.Errorf("schema %s is both asked and answered: it would need two types", name)
		}
	}
	d.reach(&schema{Ref: "#/components/schemas/Error"}, answered)
	g.name(answered)
	for _, o := range operations {
		if err := g.operation(o); err != nil {
			return nil, fmt.Errorf("%s %s: %w", o.method, o.path, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(g.names)) {
		if err := g.schema(name, d.Components.Schemas[name]); err != nil {
			return nil, fmt.Errorf("schema %s: %w", name, err)
		}
	}
	out, err := format.Source(append([]byte(header), g.out.Bytes()...))
	if err != nil {
		return nil, fmt.Errorf("format what was generated: %w", err)
	}
	return out, nil
}

const header = `// Code generated from the API's OpenAPI document. DO NOT EDIT.

package client

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"errand"
)

`

type generator struct {
	doc   *document
	out   bytes.Buffer
	asked map[string]bool   // schemas of requests
	names map[string]string // what Go calls those that are generated
}

func (g *generator) printf(format string, args ...any) { fmt.Fprintf(&g.out, format, args...) }

// name decides what the types are called: as in the document, without the words that say
// in which direction a type goes.
func (g *generator) name(answered map[string]bool) {
	for name := range g.doc.Components.Schemas {
		if !answered[name] && !g.asked[name] {
			continue
		}
		short := strings.TrimSuffix(strings.TrimSuffix(name, "Out"), "View")
		if _, taken := g.doc.Components.Schemas[short]; taken || short == "" {
			short = name
		}
		g.names[name] = goName(short)
	}
}

func (g *generator) schema(name string, s *schema) error {
	if s == nil {
		return fmt.Errorf("there is no such schema")
	}
	if len(s.Enum) > 0 {
		g.comment(g.names[name], s.Description)
		g.printf("type %s string\n\nconst (\n", g.names[name])
		for _, word := range s.Enum {
			g.printf("%s%s %s = %q\n", g.names[name], goName(word), g.names[name], word)
		}
		g.printf(")\n\n")
		return nil
	}
	g.comment(g.names[name], s.Description)
	return g.structure(g.names[name], s, g.asked[name])
}

// structure writes a struct. In a request, what may be left out is a pointer: an empty text
// is not the same as none.
func (g *generator) structure(name string, s *schema, request bool) error {
	if s.Type != "object" || s.Values != nil {
		return fmt.Errorf("%s is no object with properties", name)
	}
	g.printf("type %s struct {\n", name)
	if s.Embeds != "" {
		g.printf("errand.%s\n\n", s.Embeds)
	}
	for _, property := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[property]
		if s.Embeds != "" && !s.owns(property) {
			continue
		}
		typ, err := g.typeOf(p, request)
		if err != nil {
			return fmt.Errorf("%s: %w", property, err)
		}
		tag := property
		if request && !slices.Contains(s.Required, property) {
			tag += ",omitempty"
			if p.Type != "array" && p.Type != "object" && typ != "any" {
				typ = "*" + typ
			}
		}
		about := p.Description
		if len(p.Enum) > 0 {
			about = strings.TrimPrefix(about+"; one of "+strings.Join(p.Enum, ", "), "; ")
		}
		g.lines("\t", about)
		g.printf("\t%s %s `json:%q`\n", goName(property), typ, tag)
	}
	g.printf("}\n\n")
	return nil
}

func (g *generator) typeOf(s *schema, request bool) (string, error) {
	switch {
	case s == nil:
		return "any", nil
	case s.AllOf != nil || s.AnyOf != nil || s.OneOf != nil:
		return "", fmt.Errorf("allOf, anyOf and oneOf are not known here")
	case s.Ref != "":
		name := refName(s.Ref)
		to := g.doc.Components.Schemas[name]
		if to == nil {
			return "", fmt.Errorf("there is no schema %s", name)
		}
		if to.Word != "" {
			return "errand." + to.Word, nil
		}
		return g.names[name], nil
	case s.Word != "" && !request:
		return "errand." + s.Word, nil
	}
	switch s.Type {
	case "":
		return "any", nil
	case "string":
		switch s.Format {
		case "date-time":
			return "time.Time", nil
		case "base64":
			return "[]byte", nil
		}
		return "string", nil
	case "integer":
		if s.Format == "int64" || s.Maximum > 1<<31-1 {
			return "int64", nil
		}
		return "int", nil
	case "number":
		return "float64", nil
	case "boolean":
		return "bool", nil
	case "array":
		of, err := g.typeOf(s.Items, request)
		return "[]" + of, err
	case "object":
		if len(s.Properties) > 0 {
			return "", fmt.Errorf("an object within another needs a name of its own")
		}
		of, err := g.typeOf(s.Values, request)
		return "map[string]" + of, err
	}
	return "", fmt.Errorf("type %q is not known here", s.Type)
}

func (g *generator) comment(name, about string) {
	if about != "" {
		g.lines("", name+": "+about)
	}
}

func (g *generator) lines(indent, text string) {
	const most = 100
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > most {
			g.printf("%s// %s\n", indent, line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	if line != "" {
		g.printf("%s// %s\n", indent, line)
	}
}
