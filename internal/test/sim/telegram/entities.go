package telegram

import (
	"slices"
	"strings"
)

var entityTypes = []string{"mention", "hashtag", "cashtag", "bot_command", "url", "email", "phone_number", "bold", "italic", "underline",
	"strikethrough", "spoiler", "blockquote", "expandable_blockquote", "code", "pre", "text_link", "text_mention", "custom_emoji", "date_time"}

// most entities that Telegram keeps of a message; the rest it ignores
const mostEntities = 100

// checkEntities refuses entities that Telegram refuses: of a kind there is not,
// outside of the text, or that begin or end inside a character. Those that
// overlap without one being inside the other are refused here, where Telegram
// splits them: nobody means that. Code and pre may not have others inside.
func checkEntities(text string, list []Entity) ([]Entity, error) {
	ends := map[int]bool{0: true} // where a character begins or ends
	total := 0
	for _, r := range text {
		total += units(string(r))
		ends[total] = true
	}
	for _, e := range list {
		switch {
		case !slices.Contains(entityTypes, e.Type):
			return nil, bad("can't parse entities: unsupported type specified \"" + e.Type + "\"")
		case e.Length <= 0 || e.Offset < 0 || e.Offset+e.Length > total:
			return nil, bad("ENTITY_BOUNDS_INVALID")
		case !ends[e.Offset] || !ends[e.Offset+e.Length]:
			return nil, bad("can't parse entities: entity begins or ends in a middle of a UTF-16 symbol")
		case e.Type == "text_link" && e.URL == "":
			return nil, bad("can't parse entities: URL of a text_link is empty")
		}
	}
	for i, a := range list {
		for j, b := range list {
			aEnd, bEnd := a.Offset+a.Length, b.Offset+b.Length
			if i == j || aEnd <= b.Offset || bEnd <= a.Offset {
				continue
			}
			inside := a.Offset <= b.Offset && bEnd <= aEnd
			if a.Offset == b.Offset && aEnd == bEnd { // the first is the outer one
				inside = i < j
			}
			around := b.Offset <= a.Offset && aEnd <= bEnd
			if !inside && !around {
				return nil, bad("can't parse entities: entities overlap")
			}
			if inside && (a.Type == "code" || a.Type == "pre") {
				return nil, bad("can't parse entities: nothing can be inside " + a.Type)
			}
		}
	}
	return list[:min(len(list), mostEntities)], nil
}

// trim moves entities as space in front of the text is cut off, and shortens
// those that reach into the space behind it.
func trim(text, trimmed string, list []Entity) (string, []Entity) {
	cut, length := units(text[:strings.Index(text, trimmed)]), units(trimmed)
	var kept []Entity
	for _, e := range list {
		from, to := max(0, e.Offset-cut), min(length, e.Offset+e.Length-cut)
		if from < to {
			e.Offset, e.Length = from, to-from
			kept = append(kept, e)
		}
	}
	return trimmed, kept
}
