package telegram

import (
	"slices"

	"github.com/go-telegram/bot/models"

	"errand"
	"errand/notifiers/markup"
)

const longest = 4096 // UTF-16 units

// mark is put in front of what may have arrived before.
const mark = errand.Repeating + "\n"

// limit leaves room for the mark, so that none is a message of its own.
var limit = markup.Limit{Size: longest - len(mark), Unit: markup.UTF16}

// A part is one message.
type part struct {
	text     string
	entities []models.MessageEntity
}

// render makes messages of a text. What agents write is Markdown; what errand says
// itself is meant as it stands. A text with nothing to show is a message all the
// same: somebody waits for it.
func render(event errand.EventType, text string) []part {
	split := markup.Telegram.Split
	if event == errand.EventNotice {
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

// marked is p as one that may have arrived before. The mark is as long in units as
// in bytes.
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
