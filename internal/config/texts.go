package config

import "errand/internal/texts"

func (l *loader) texts() {
	shipped, err := texts.New(nil)
	if err != nil {
		l.faults.add("", 0, "%v", err)
		return
	}
	for tag, list := range l.cfg.Texts {
		p := at("texts", tag)
		if err := texts.CheckLanguage(tag); err != nil {
			l.fault(p, "%v", err)
			continue
		}
		for key, text := range list {
			if err := shipped.Check(tag, key, text); err != nil && shipped.Has(key) {
				l.fault(p.at(key), "%v", err)
			} else if err != nil {
				l.fault(p.at(key), "%v%s", err, hint(key, shipped.Keys()))
			}
		}
	}
	all, err := texts.New(l.cfg.Texts)
	if err != nil {
		return // the errors were already reported
	}
	if _, ok := all.Find(l.cfg.Language); !ok && len(l.faults) == 0 {
		l.fault(at("language"), "errand has no texts in %q: add them under texts", l.cfg.Language)
	}
}
