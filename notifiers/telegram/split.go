package telegram

import (
	"strings"
	"unicode"
	"unicode/utf16"

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
	var parts []part
	if event == errand.EventNotice {
		for _, piece := range split(text, longest) {
			parts = append(parts, part{text: piece})
		}
	} else {
		for _, m := range markup.Telegram.Render(text) {
			parts = append(parts, part{m.Text, entitiesOf(m.Entities)})
		}
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

// split cuts a text into pieces of at most size UTF-16 units: at the end of a
// line if it can be, otherwise of a word, and never inside a character. No piece
// is blank.
func split(text string, size int) []string {
	var pieces []string
	for text = strings.TrimSpace(text); text != ""; {
		end, line, word, n := len(text), 0, 0, 0
		for i, r := range text {
			if n += utf16.RuneLen(r); n > size {
				end = i
				break
			}
			switch {
			case r == '\n':
				line = i
			case unicode.IsSpace(r):
				word = i
			}
		}
		if end < len(text) {
			switch {
			case line > end/2:
				end = line
			case word > end/2:
				end = word
			case line > 0:
				end = line
			}
		}
		if piece := strings.TrimSpace(text[:end]); piece != "" {
			pieces = append(pieces, piece)
		}
		text = strings.TrimLeftFunc(text[end:], unicode.IsSpace)
	}
	return pieces
}
