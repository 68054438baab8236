package markup

import (
	"slices"
	"unicode/utf16"
)

func (t text) telegram() Message {
	var entities []Entity
	var opaque []span // code and blocks; only a quote may contain them
	for _, s := range t.spans {
		if s.kind == code || s.kind == block {
			opaque = append(opaque, s)
		}
	}
	units := t.units()
	for _, s := range t.spans {
		kind := entityTypes[s.kind]
		if kind == "" {
			continue
		}
		for _, piece := range t.around(s, opaque) {
			entities = append(entities, Entity{
				Type: kind, Offset: units[piece.start], Length: units[piece.end] - units[piece.start],
				URL: s.url, Language: s.language,
			})
		}
	}
	slices.SortStableFunc(entities, func(a, b Entity) int {
		if a.Offset != b.Offset {
			return a.Offset - b.Offset
		}
		return b.Length - a.Length
	})
	return Message{Text: t.plain, Entities: entities}
}

var entityTypes = map[kind]EntityType{
	bold: Bold, italic: Italic, strike: Strikethrough, code: Code, block: Pre,
	link: TextLink, quote: Blockquote,
}

func (t text) around(s span, opaque []span) []span {
	if !s.kind.inline() {
		return []span{s}
	}
	i, _ := slices.BinarySearchFunc(opaque, s.start, func(o span, at int) int { return o.start - at })
	var pieces []span
	add := func(start, end int) {
		if start < end && visible(t.plain[start:end]) {
			pieces = append(pieces, span{kind: s.kind, start: start, end: end})
		}
	}
	at := s.start
	for ; i < len(opaque) && opaque[i].start < s.end; i++ {
		add(at, opaque[i].start)
		at = opaque[i].end
	}
	add(at, s.end)
	return pieces
}

func (t text) units() []int {
	units := make([]int, len(t.plain)+1)
	n := 0
	for i, r := range t.plain {
		units[i] = n
		n += utf16.RuneLen(r)
	}
	units[len(t.plain)] = n
	return units
}

// Telegram ignores entities beyond these limits, or rejects the message.
const (
	// Entities after the hundredth have no effect:
	// https://github.com/rubenlagus/TelegramBots/issues/854
	maxEntities = 100
	// About 9,500 bytes of entities are too many ("a good approximation of the
	// current limit on the total message entities size",
	// https://github.com/tdlib/telegram-bot-api/issues/165).
	maxEntityBytes = 8000
)

func (m Message) fits() bool {
	bytes := 0
	for _, e := range m.Entities {
		bytes += 32 + len(e.URL) + len(e.Language)
	}
	return len(m.Entities) <= maxEntities && bytes <= maxEntityBytes
}
