package telegram

import (
	"slices"

	"github.com/go-telegram/bot/models"

	"errand/internal/core"
	"errand/internal/markup"
)

const longest = 4096 // UTF-16 units

const mark = core.Repeating + "\n"

// limit reserves space for the mark, so that it never needs a message of its own.
var limit = markup.Limit{Size: longest - len(mark), Unit: markup.UTF16}

type part struct {
	text     string
	entities []models.MessageEntity
}

// render treats agents' texts as Markdown and errand's own as plain. An empty text still becomes a
// message, because a person waits for it.
func render(event core.EventType, text string) []part {
	split := markup.Telegram.Split
	if event == core.EventNotice {
		split = markup.Telegram.SplitPlain
	}
	var parts []part
	for _, m := range split(text, limit) {
		parts = append(parts, part{m.Text, entitiesOf(m.Entities)})
	}
	if len(parts) == 0 {
		parts = []part{{text: "…"}}
	}
	return parts
}

// marked adds len(mark) to the offsets, which is right because mark has as many UTF-16 units as
// bytes.
func (p part) marked() part {
	entities := slices.Clone(p.entities)
	for i := range entities {
		entities[i].Offset += len(mark)
	}
	return part{mark + p.text, entities}
}

func entitiesOf(list []markup.Entity) []models.MessageEntity {
	var entities []models.MessageEntity
	for _, e := range list {
		entities = append(entities, models.MessageEntity{Type: models.MessageEntityType(e.Type), Offset: e.Offset, Length: e.Length, URL: e.URL, Language: e.Language})
	}
	return entities
}
