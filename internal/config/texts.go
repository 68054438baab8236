package config

import (
	"fmt"

	"errand/internal/texts"
)

// texts reads language and the section texts: what the installation says
// differently, by language and key.
func (l *loader) texts(root *mapping) {
	if root.text("language", &l.cfg.Language) {
		if err := texts.CheckLanguage(l.cfg.Language); err != nil {
			root.fault(root.lineOf("language"), "language", "%v", err)
		}
	}
	shipped, err := texts.New(nil)
	if err != nil {
		l.faults.add("", 0, "%v", err)
		return
	}
	section := root.section("texts")
	if section != nil {
		l.cfg.Texts = make(map[string]map[string]string)
		for _, tag := range section.names {
			l.cfg.Texts[tag] = l.textsIn(section, tag, shipped)
		}
	}
	all, err := texts.New(l.cfg.Texts)
	if err != nil {
		return // each fault has been reported with its line
	}
	if _, ok := all.Find(l.cfg.Language); !ok && len(l.faults) == 0 {
		root.fault(root.lineOf("language"), "language", "there are no texts in %q: give some under texts", l.cfg.Language)
	}
}

func (l *loader) textsIn(section *mapping, tag string, shipped *texts.Catalog) map[string]string {
	if err := texts.CheckLanguage(tag); err != nil {
		section.fault(section.lineOf(tag), "", "%v", err)
		return nil
	}
	m := section.section(tag)
	if m == nil {
		return nil
	}
	list := make(map[string]string)
	for _, key := range m.names {
		var text string
		if !m.text(key, &text) && m.get(key) != nil {
			continue // reported
		}
		if err := shipped.Check(tag, key, text); err != nil {
			hint := ""
			if !shipped.Has(key) {
				hint = didYouMean(key, shipped.Keys())
			}
			m.fault(m.lineOf(key), "", "%s", fmt.Sprintf("%q: %v%s", key, err, hint))
			continue
		}
		list[key] = text
	}
	return list
}
