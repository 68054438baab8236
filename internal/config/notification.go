package config

import (
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"errand/internal/texts"
)

// notification reads how an agent begins a notification: in the installation's
// language, or by language. The lines are those of the languages in order.
func (l *loader) notification(agent *mapping) (words map[string]string, lines []int) {
	const key = "notification"
	n := agent.get(key)
	if n == nil {
		return nil, nil
	}
	var text string
	if n.Kind != yaml.MappingNode {
		if !agent.text(key, &text) {
			return nil, nil
		}
		return map[string]string{"": text}, []int{agent.lineOf(key)}
	}
	offered, err := texts.New(l.cfg.Texts)
	if err != nil {
		return nil, nil // each fault of the texts has been reported
	}
	words, at := make(map[string]string), make(map[string]int)
	m := agent.section(key)
	for _, tag := range m.names {
		line := m.lineOf(tag)
		if err := texts.CheckLanguage(tag); err != nil {
			m.fault(line, "", "%v", err)
			continue
		}
		language, ok := offered.Find(tag)
		if !ok {
			m.fault(line, tag, "there are no texts in %q: give some under texts", tag)
			continue
		}
		if _, twice := words[language.Tag]; twice {
			m.fault(line, tag, "there are words in that language already")
			continue
		}
		if m.get(tag) == nil {
			m.fault(line, tag, "is empty")
			continue
		}
		if m.text(tag, &text) {
			words[language.Tag], at[language.Tag] = text, line
		}
	}
	for _, tag := range slices.Sorted(maps.Keys(at)) {
		lines = append(lines, at[tag])
	}
	return words, lines
}
