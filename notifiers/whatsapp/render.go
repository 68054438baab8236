package whatsapp

import (
	"strconv"
	"strings"
	"unicode"

	"errand"
	"errand/notifiers/markup"
)

// longest is how much one message holds, in bytes: half of what phones take, for
// the server counts what becomes of it.
const longest = 60_000

// render makes messages of a notification. What agents write is Markdown; what
// errand says itself is meant as it stands. WhatsApp has no buttons for us, so a
// question ends in a list of its answers: the channel knows what somebody means
// who replies with a number. A text with nothing to show is a message all the
// same: somebody waits for it.
func render(n errand.Notification) []string {
	var parts []string
	if n.Event == errand.EventNotice {
		parts = split(literal(n.Body()))
	} else {
		for _, m := range markup.WhatsApp.Render(n.Body()) {
			parts = append(parts, m.Text)
		}
	}
	if len(parts) == 0 {
		parts = []string{"…"}
	}
	if list := listOf(n.Options); list != "" {
		if last := len(parts) - 1; len(parts[last])+len(list) < longest {
			parts[last] += "\n\n" + list
		} else {
			parts = append(parts, list)
		}
	}
	return parts
}

func listOf(options []string) string {
	var lines []string
	for _, o := range options {
		if o = strings.Join(strings.Fields(o), " "); o != "" {
			lines = append(lines, strconv.Itoa(len(lines)+1)+". "+literal(o))
		}
	}
	return strings.Join(lines, "\n")
}

// literal is a text whose marks are seen rather than obeyed. Line by line, for
// Markdown would join them.
func literal(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		body := strings.TrimLeftFunc(line, unicode.IsSpace)
		if !strings.ContainsAny(body, "*_~`>#-+.") {
			continue
		}
		var escaped strings.Builder
		for _, r := range body {
			if r < 0x7f && (unicode.IsPunct(r) || unicode.IsSymbol(r)) {
				escaped.WriteByte('\\')
			}
			escaped.WriteRune(r)
		}
		var shown strings.Builder
		for _, m := range markup.WhatsApp.Render(escaped.String()) {
			shown.WriteString(m.Text)
		}
		lines[i] = line[:len(line)-len(body)] + shown.String()
	}
	return strings.Join(lines, "\n")
}

// split cuts a text that is longer than a message, at the end of a line if it
// can be, and never inside a character.
func split(text string) []string {
	var parts []string
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		end := len(text)
		if end > longest {
			end = strings.LastIndexByte(text[:longest], '\n')
			if end <= 0 {
				for end = longest; text[end]&0xc0 == 0x80; {
					end--
				}
			}
		}
		parts = append(parts, strings.TrimSpace(text[:end]))
		text = text[end:]
	}
	return parts
}
