package clientgen

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

func (g *generator) operation(o *operation) error {
	name := goName(o.ID)
	args := []string{"ctx context.Context"}
	path, err := pathOf(o, &args)
	if err != nil {
		return err
	}
	body, accept := "", ""
	if content := o.RequestBody.Content; len(content) > 0 {
		var arg string
		if arg, body, err = g.body(name, content); err != nil {
			return err
		}
		args = append(args, arg)
	}
	query, header, err := g.params(o, name)
	if err != nil {
		return err
	}
	if query != "" || header != "" {
		args = append(args, "p *"+name+"Params")
	}
	out, err := o.answer()
	if err != nil {
		return err
	}
	kinds := o.kinds()
	if o.method == "GET" && len(kinds) == 1 && out == nil && kinds[0] != streamMedia && query == "" && header == "" {
		path = g.pathFunc(name, path, args[1:])
	}
	if len(kinds) > 1 && out == nil {
		args, accept = append(args, "accept string"), "accept"
	}

	g.lines("", name+": "+o.Summary)
	if o.Description != "" {
		g.printf("//\n")
		g.lines("", o.Description)
	}
	if out == nil {
		g.printf("//\n")
		g.lines("", "The answer is "+strings.Join(kinds, " or ")+"; whoever calls closes its body.")
	}
	g.printf("//\n//\t%s %s\n", o.method, o.path)
	result, call := "*http.Response", "c.open(ctx, r)"
	if out != nil {
		typ, err := g.typeOf(out, false)
		if err != nil {
			return err
		}
		result, call = "Answer["+typ+"]", "answer["+typ+"](ctx, c, r)"
	}
	g.printf("func (c *Client) %s(%s) (%s, error) {\n", name, strings.Join(args, ", "), result)
	g.printf("r := request{method: %q, path: %s", o.method, path)
	if body != "" {
		g.printf(", body: %s", body)
	}
	if accept != "" {
		g.printf(", accept: %s", accept)
	}
	g.printf("}\n")
	if query != "" || header != "" {
		g.printf("if p != nil {\n%s%s}\n", query, header)
	}
	g.printf("return %s\n}\n\n", call)
	return nil
}

const streamMedia = "text/event-stream"

func (g *generator) pathFunc(name, path string, args []string) string {
	var names []string
	for _, a := range args {
		arg, _, _ := strings.Cut(a, " ")
		names = append(names, arg)
	}
	g.lines("", fmt.Sprintf("%sPath is where [Client.%s] gets it from, behind the address of errand.", name, name))
	g.printf("func %sPath(%s) string {\nreturn %s\n}\n\n", name, strings.Join(args, ", "), path)
	return fmt.Sprintf("%sPath(%s)", name, strings.Join(names, ", "))
}

var inPath = regexp.MustCompile(`\{(\w+)\}`)

func pathOf(o *operation, args *[]string) (string, error) {
	known := map[string]*schema{}
	for _, p := range o.Parameters {
		if p.In == "path" {
			known[p.Name] = p.Schema
		}
	}
	var parts []string
	rest := o.path
	for _, m := range inPath.FindAllStringSubmatchIndex(o.path, -1) {
		name := o.path[m[2]:m[3]]
		s := known[name]
		if s == nil {
			return "", fmt.Errorf("the part %s of the path is not described", name)
		}
		before := o.path[len(o.path)-len(rest) : m[0]]
		rest = o.path[m[1]:]
		parts = append(parts, fmt.Sprintf("%q", before))
		if s.Type == "integer" {
			*args = append(*args, name+" int64")
			parts = append(parts, "strconv.FormatInt("+name+", 10)")
			continue
		}
		*args = append(*args, name+" string")
		parts = append(parts, "url.PathEscape("+name+")")
	}
	if rest != "" {
		parts = append(parts, fmt.Sprintf("%q", rest))
	}
	return strings.Join(parts, " + "), nil
}

func (g *generator) body(name string, content map[string]media) (arg, use string, err error) {
	if len(content) > 1 {
		return "", "", fmt.Errorf("the body may be of several types")
	}
	for kind, m := range content {
		if kind != jsonMedia {
			return "body io.Reader", "body", nil
		}
		if m.Schema.Ref != "" {
			typ, err := g.typeOf(m.Schema, true)
			return "body " + typ, "body", err
		}
		g.lines("", fmt.Sprintf("%sBody is what [Client.%s] sends.", name, name))
		err = g.structure(name+"Body", m.Schema, true)
	}
	return "body " + name + "Body", "body", err
}

// params writes the type of what a request says in its query and headers, and returns what
// puts it there. What is zero is left out; where zero is a value, what is nil.
func (g *generator) params(o *operation, name string) (query, header string, err error) {
	var fields strings.Builder
	for _, p := range o.Parameters {
		if p.In == "path" {
			continue
		}
		typ, err := g.typeOf(p.Schema, true)
		if err != nil {
			return "", "", fmt.Errorf("parameter %s: %w", p.Name, err)
		}
		add, each := "add", ""
		switch {
		case strings.HasPrefix(typ, "[]"):
			each = "..."
		case p.Schema.Minimum != nil && *p.Schema.Minimum == 0: // zero is a value, and not the same as none
			add, typ = "addGiven", "*"+typ
		}
		switch p.In {
		case "query":
			query += fmt.Sprintf("%s(&r.query, %q, p.%s%s)\n", add, p.Name, goName(p.Name), each)
		case "header":
			header += fmt.Sprintf("%s(&r.header, %q, p.%s%s)\n", add, p.Name, goName(p.Name), each)
		default:
			return "", "", fmt.Errorf("parameter %s: in %q is not known here", p.Name, p.In)
		}
		fmt.Fprintf(&fields, "\t// %s\n\t%s %s\n", strings.Join(strings.Fields(p.Description), " "), goName(p.Name), typ)
	}
	if fields.Len() > 0 {
		g.lines("", fmt.Sprintf("%sParams are what may be said to [Client.%s]; what is zero is left out.", name, name))
		g.printf("type %sParams struct {\n%s}\n\n", name, fields.String())
	}
	return query, header, nil
}

func (o *operation) kinds() []string {
	found := map[string]bool{}
	for status, r := range o.Responses {
		for kind := range r.Content {
			if status != "default" {
				found[kind] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

var whole = map[string]string{"id": "ID", "url": "URL", "qr": "QR", "mcp": "MCP", "sha256": "SHA256", "ok": "OK", "ui": "UI", "ms": "MS", "ids": "IDs"}

var inCamel = regexp.MustCompile(`[A-Z]+[a-z0-9]*|[a-z0-9]+`)

// goName is what Go calls a property, an operation or a word: task_id is TaskID, and
// getTask GetTask.
func goName(name string) string {
	var b strings.Builder
	for _, word := range inCamel.FindAllString(name, -1) {
		if all := whole[strings.ToLower(word)]; all != "" {
			b.WriteString(all)
			continue
		}
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}
