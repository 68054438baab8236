package config

import (
	"errand/internal/core"
	"errand/internal/texts"
)

// notification returns the texts by language, and their places in the file, in the order
// of the languages.
func (l *loader) notification(agent core.AgentName, list oneOrEach[string]) (words map[string]string, places []path) {
	p := at("agents", agent, "notification")
	if !l.has(p) {
		return nil, nil
	}
	if text, one := list[""]; one {
		return map[string]string{"": text}, []path{p}
	}
	offered, err := texts.New(l.cfg.Texts)
	if err != nil {
		return nil, nil // the errors in the texts were already reported
	}
	words, placeOf := make(map[string]string), make(map[string]path)
	for _, tag := range l.names(p) {
		at := p.at(tag)
		language, ok := offered.Find(tag)
		_, twice := words[language.Tag]
		switch err := texts.CheckLanguage(tag); {
		case err != nil:
			l.fault(at, "%v", err)
		case !ok:
			l.fault(at, "errand has no texts in %q: add them under texts", tag)
		case twice:
			l.fault(at, "this language has a text already")
		case !l.has(at):
			l.fault(at, "is empty")
		default:
			words[language.Tag], placeOf[language.Tag] = list[tag], at
		}
	}
	for _, tag := range sortedKeys(placeOf) {
		places = append(places, placeOf[tag])
	}
	return words, places
}
