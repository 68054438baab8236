package telegram

import (
	"github.com/go-telegram/bot/models"

	"errand"
	"errand/notifiers/markup"
)

// longest is how much one message holds, in UTF-16 units.
const longest = 4096

// A part is one message.
type part struct {
	text     string
	entities []models.MessageEntity
}

// render makes messages of a text. What agents write is Markdown; what errand says
// itself is meant as it stands. A text with nothing to show is a message all the
// same: somebody waits for it.
func render(event errand.EventType, text string) []part {
	list := markup.Telegram.Render
	if event == errand.EventNotice {
		list = markup.Telegram.Plain
	}
	var parts []part
	for _, m := range list(text) {
		parts = append(parts, part{m.Text, entitiesOf(m.Entities)})
	}
	if len(parts) == 0 {
		parts = []part{{text: "(an empty message)"}}
	}
	return parts
}

func entitiesOf(list []markup.Entity) []models.MessageEntity {
	var entities []models.MessageEntity
	for _, e := range list {
		entities = append(entities, models.MessageEntity{Type: models.MessageEntityType(e.Type), Offset: e.Offset, Length: e.Length, URL: e.URL, Language: e.Language})
	}
	return entities
}
