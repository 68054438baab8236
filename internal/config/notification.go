package config

import (
	"errand"
	"errand/internal/texts"
)

// notification returns how an agent begins a notification by language, as the roster wants
// it, and the place of each in the order of the languages.
func (l *loader) notification(agent errand.AgentName, list oneOrEach[string]) (words map[string]string, places []path) {
	p := at("agents", agent, "notification")
	if !l.has(p) {
		return nil, nil
	}
	if text, one := list[""]; one {
		return map[string]string{"": text}, []path{p}
	}
	offered, err := texts.New(l.cfg.Texts)
	if err != nil {
		return nil, nil // each fault of the texts has been reported
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
			l.fault(at, "there are no texts in %q: give some under texts", tag)
		case twice:
			l.fault(at, "there are words in that language already")
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
