package web

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"
)

// The forms in which a module imports and exports, each at the beginning of a line.
var (
	importing = regexp.MustCompile(`^import\s*(?:\{([^{}]*)\}|\*\s*as\s+([\w$]+)|([\w$]+))\s*from\s*"(\.[^"]+)";?`)
	exporting = regexp.MustCompile(`^export\s*\{([^{}]*)\}(?:\s*from\s*"(\.[^"]+)")?;?`)
	defining  = regexp.MustCompile(`^export\s+(default\s+)?((?:const\b|class\b|(?:async )?function\b\*?)\s*([\w$]*))`)
	renamed   = regexp.MustCompile(`([\w$]+)\s+as\s+([\w$]+)`)
	varying   = regexp.MustCompile(`^(?:let|var)\s+([^;]*)`)
	awaiting  = regexp.MustCompile(`^(?:(?:export )?(?:const|let) [^=]*= )?await\b`)
	loading   = regexp.MustCompile(`\bimport\("(\.[^"]+)"\)`)
	crowded   = regexp.MustCompile(`([;}])(import|export)([ {*])`) // as those who minify write it
)

// A module is one as it can be joined with others. This is no reader of JavaScript: it knows
// the forms above, and that what is exported is not assigned to again.
type module struct {
	name  string
	lines []line
}

// A line is one of a module. Of one that imports or exports, names are in braces as it is
// written there, from is the module that it names, and text is what else it has.
type line struct {
	verb  string // import, export, define; empty: it does neither
	names string
	from  string
	text  string
}

// parse reads a module, and fails where it imports or exports in another form.
func parse(name string, text []byte) (*module, error) {
	m, vendored := &module{name: name}, strings.HasPrefix(name, "vendor/")
	if vendored {
		text = crowded.ReplaceAll(text, []byte("$1\n$2$3"))
	}
	for raw := range bytes.Lines(text) {
		l, ok := m.line(string(raw))
		if !ok {
			return nil, fmt.Errorf("%s: %q is no form of import or export that errand can join: see assets_module.go", name, strings.TrimSpace(string(raw)))
		}
		if !vendored && varying.MatchString(l.text) && strings.HasSuffix(strings.TrimSpace(l.text), ",") {
			return nil, fmt.Errorf("%s: %q declares variables on several lines: errand reads one", name, strings.TrimSpace(l.text))
		}
		m.lines = append(m.lines, l)
	}
	if variable := m.variable(); variable != "" && !vendored {
		return nil, fmt.Errorf("%s exports %s, which may be assigned to again: others would have what it was before", name, variable)
	}
	return m, nil
}

// variable returns a variable that the module exports: others are given what it is at the
// module's end. Those of vendor/ have theirs by then.
func (m *module) variable() string {
	variables := map[string]bool{}
	for _, l := range m.lines {
		if f := varying.FindStringSubmatch(l.text); f != nil {
			for one := range strings.SplitSeq(f[1], ",") {
				name, _, _ := strings.Cut(one, "=")
				variables[strings.TrimSpace(name)] = true
			}
		}
	}
	for _, l := range m.lines {
		if l.verb != "export" || l.from != "" {
			continue
		}
		for _, one := range renamings(l.names) {
			if variables[one.inside] {
				return one.inside
			}
		}
	}
	return ""
}

func (m *module) line(text string) (line, bool) {
	if !strings.HasPrefix(text, "import") && !strings.HasPrefix(text, "export") || strings.HasPrefix(text, "import(") {
		return line{text: text}, true
	}
	if f := importing.FindStringSubmatch(text); f != nil {
		l := line{verb: "import", names: f[1], from: m.path(f[4]), text: text[len(f[0]):]}
		switch {
		case f[2] != "":
			l.names = "* as " + f[2]
		case f[3] != "":
			l.names = "default as " + f[3]
		}
		return l, true
	}
	if f := exporting.FindStringSubmatch(text); f != nil {
		l := line{verb: "export", names: f[1], text: text[len(f[0]):]}
		if f[2] != "" {
			l.from = m.path(f[2])
		}
		return l, true
	}
	f := defining.FindStringSubmatch(text)
	switch {
	case f == nil:
		return line{}, false
	case f[1] != "" && f[3] == "":
		return line{verb: "define", names: "itself as default", text: "const itself = " + f[2] + text[len(f[0]):]}, true
	}
	return line{verb: "define", names: f[3], text: f[2] + text[len(f[0]):]}, f[1] == "" && f[3] != ""
}

func (m *module) path(relative string) string { return path.Join(path.Dir(m.name), relative) }

// imports are the modules that this one cannot begin without.
func (m *module) imports() (names []string) {
	for _, l := range m.lines {
		if l.from != "" {
			names = append(names, l.from)
		}
	}
	return names
}

func (m *module) loads() (names []string) {
	for _, l := range m.lines {
		if !strings.Contains(l.text, "import(") {
			continue // most do not, and some lines are a whole library
		}
		for _, f := range loading.FindAllStringSubmatch(l.text, -1) {
			names = append(names, m.path(f[1]))
		}
	}
	return names
}

func (m *module) exports() (names []string) {
	for _, l := range m.lines {
		if l.verb == "import" {
			continue
		}
		for _, one := range renamings(l.names) {
			names = append(names, one.outside)
		}
	}
	return names
}

func (m *module) awaits() (texts []string) {
	for _, l := range m.lines {
		if awaiting.MatchString(l.text) {
			texts = append(texts, strings.TrimSpace(l.text))
		}
	}
	return texts
}

// within is the module as a function for a script in which those that it imports stand
// before it: it returns what is exported. The last of all is a block, which may await.
func (m *module) within(last bool, address func(string) string) string {
	var body, gives strings.Builder
	for _, l := range m.lines {
		text := m.loading(l.text, address)
		switch {
		case l.verb == "import":
			fmt.Fprintf(&body, "const %s = parts[%q];%s", taken(l.names), l.from, text)
		case l.verb == "":
			body.WriteString(text)
		default:
			body.WriteString(text)
			for _, one := range renamings(l.names) {
				if l.from != "" {
					one.inside = fmt.Sprintf("parts[%q].%s", l.from, one.inside)
				}
				fmt.Fprintf(&gives, "%s: %s, ", one.outside, one.inside)
			}
		}
	}
	if last {
		return fmt.Sprintf("{ // %s\n%s}\n", m.name, body.String())
	}
	return fmt.Sprintf("parts[%q] = (() => {\n%s\nreturn {%s};\n})();\n", m.name, body.String(), gives.String())
}

// beside is the module for a page that has others in its script: what it imports of those,
// it takes there. A page of an errand before this one may not have it: then it is loaded. It
// may have it without a name: then this module cannot be, as where it is imported.
func (m *module) beside(script string, has func(string) bool, address func(string) string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "import {parts} from %q;\n", address(script))
	for n, l := range m.lines {
		text := m.loading(l.text, address)
		switch {
		case l.from != "" && has(l.from):
			out.WriteString(l.take(fmt.Sprintf("part%d", n), address(l.from)) + text)
		case l.verb == "import" && strings.HasPrefix(l.names, "*"):
			fmt.Fprintf(&out, "import %s from %q;%s", l.names, address(l.from), text)
		case l.verb == "import":
			fmt.Fprintf(&out, "import {%s} from %q;%s", l.names, address(l.from), text)
		case l.verb == "export" && l.from != "":
			fmt.Fprintf(&out, "export {%s} from %q;%s", l.names, address(l.from), text)
		case l.verb != "":
			fmt.Fprintf(&out, "export {%s}; %s", l.names, text)
		default:
			out.WriteString(text)
		}
	}
	return out.String()
}

func (m *module) loading(text string, address func(string) string) string {
	if !strings.Contains(text, "import(") {
		return text
	}
	return loading.ReplaceAllStringFunc(text, func(s string) string {
		return fmt.Sprintf("import(%q)", address(m.path(loading.FindStringSubmatch(s)[1])))
	})
}

func taken(list string) string {
	if whole, ok := strings.CutPrefix(list, "* as "); ok {
		return whole
	}
	return "{" + renamed.ReplaceAllString(list, "$1: $2") + "}"
}

func (l line) take(part, address string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "const %s = parts[%q] ?? await import(%q);", part, l.from, address)
	if whole, ok := strings.CutPrefix(l.names, "* as "); ok {
		fmt.Fprintf(&out, " const %s = %s;", whole, part)
		return out.String()
	}
	names := renamings(l.names)
	for _, one := range names {
		fmt.Fprintf(&out, " if (!(%q in %s)) throw new SyntaxError(%q);", one.inside, part, "the page has another "+l.from)
	}
	if l.verb == "import" {
		fmt.Fprintf(&out, " const %s = %s;", taken(l.names), part)
		return out.String()
	}
	for _, one := range names {
		fmt.Fprintf(&out, " export const %s = %s.%s;", one.outside, part, one.inside)
	}
	return out.String()
}

// A renaming is a name in a list of imports or exports: in its module, and elsewhere.
type renaming struct{ inside, outside string }

// renamings are those of a list; none of one that imports a module as a whole.
func renamings(list string) (all []renaming) {
	for one := range strings.SplitSeq(list, ",") {
		one = strings.TrimSpace(one)
		f := renamed.FindStringSubmatch(one)
		switch {
		case f != nil:
			all = append(all, renaming{f[1], f[2]})
		case one != "" && !strings.HasPrefix(one, "*"):
			all = append(all, renaming{one, one})
		}
	}
	return all
}
