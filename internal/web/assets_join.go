package web

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// join returns by their names what a page is sent in place of the modules that it begins
// with, and of those that it loads later: all in a folder that is called as the page. A
// browser that is sent fifty modules one by one, however early it knows of them, is busy with
// that for longer than with what they do.
//
// Those that the page begins with become one script, in the order in which a browser would
// run them. What is loaded later takes what it needs of them from there: there is one of each.
func (a *assets) join(entry string) (map[string]string, error) {
	first, err := a.order(entry)
	if err != nil {
		return nil, err
	}
	has := func(name string) bool { return slices.Contains(first, name) }
	out := map[string]string{}
	all := slices.Clone(first)
	for i := 0; i < len(all); i++ {
		m, err := a.module(all[i])
		if err != nil {
			return nil, err
		}
		for _, next := range append(m.loads(), m.imports()...) {
			if !slices.Contains(all, next) && !a.stands(next, has) {
				all = append(all, next)
			}
		}
	}
	if err := errors.Join(a.checkNames(all), a.checkAwaits(entry, first)); err != nil {
		return nil, err
	}
	// address is where one module finds another: in the page's folder, or, if it needs
	// nothing of the page, where all pages find it.
	address := func(from string) func(string) string {
		up := strings.Repeat("../", strings.Count(from, "/"))
		return func(to string) string {
			switch {
			case !slices.Contains(all, to):
				return up + "../" + to
			case up == "":
				return "./" + to
			}
			return up + to
		}
	}
	var script strings.Builder
	script.WriteString("export const parts = {};\n")
	for _, name := range first {
		m, err := a.module(name)
		if err != nil {
			return nil, err
		}
		script.WriteString(m.within(name == entry, address(entry)))
	}
	folder := strings.TrimSuffix(entry, path.Ext(entry))
	for _, name := range all {
		m, err := a.module(name)
		if err != nil {
			return nil, err
		}
		out[path.Join(folder, name)] = m.beside(entry, has, address(name))
	}
	out[path.Join(folder, entry)] = script.String()
	return out, nil
}

// checkNames finds what a browser finds in modules that it joins itself: one that takes a
// name of another which has none of that name.
func (a *assets) checkNames(all []string) error {
	for _, name := range all {
		m, err := a.module(name)
		if err != nil {
			return err
		}
		for _, l := range m.lines {
			if l.from == "" {
				continue
			}
			from, err := a.module(l.from)
			if err != nil {
				return err
			}
			exports := from.exports()
			for _, one := range renamings(l.names) {
				if !slices.Contains(exports, one.inside) {
					return fmt.Errorf("%s takes %s from %s, which does not export it in a form that errand can join: see assets_module.go", name, one.inside, l.from)
				}
			}
		}
	}
	return nil
}

func (a *assets) checkAwaits(entry string, first []string) error {
	has := func(name string) bool { return slices.Contains(first, name) }
	for _, name := range first {
		m, err := a.module(name)
		if err != nil {
			return err
		}
		for _, text := range m.awaits() {
			if name != entry {
				return fmt.Errorf("%s: %q: only the script of a page may await outside of functions", name, text)
			}
			for _, f := range loading.FindAllStringSubmatch(text, -1) {
				if !a.stands(m.path(f[1]), has) {
					return fmt.Errorf("%s: %q waits for what waits for the end of this script", name, text)
				}
			}
		}
	}
	return nil
}

func (a *assets) order(entry string) (list []string, err error) {
	var way []string
	var visit func(string) error
	visit = func(name string) error {
		if slices.Contains(list, name) {
			return nil
		}
		if slices.Contains(way, name) {
			return fmt.Errorf("%s imports itself, by %s: such modules cannot be joined", name, strings.Join(way, ", "))
		}
		m, err := a.module(name)
		if err != nil {
			return err
		}
		way = append(way, name)
		for _, next := range m.imports() {
			err = errors.Join(err, visit(next))
		}
		way = way[:len(way)-1]
		list = append(list, name)
		return err
	}
	err = visit(entry)
	return list, err
}

// stands reports whether a module needs nothing of those that a page begins with.
func (a *assets) stands(name string, has func(string) bool) bool {
	all := []string{name}
	for i := 0; i < len(all); i++ {
		m, err := a.module(all[i])
		if err != nil || has(all[i]) {
			return false
		}
		for _, next := range append(m.imports(), m.loads()...) {
			if !slices.Contains(all, next) {
				all = append(all, next)
			}
		}
	}
	return true
}

// module is a part as a module. Each is read once.
func (a *assets) module(name string) (*module, error) {
	if m := a.modules[name]; m != nil {
		return m, nil
	}
	one := a.byName[name]
	if one == nil {
		return nil, fmt.Errorf("there is no module %s", name)
	}
	m, err := parse(name, one.body)
	if err != nil {
		return nil, err
	}
	a.modules[name] = m
	return m, nil
}
