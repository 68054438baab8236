package whatsapp

import (
	"strconv"
	"strings"
	"unicode"

	"errand/internal/core"
	"errand/internal/markup"
)

// longest is in bytes. It is half of what phones accept, because the server counts the encoded
// message.
const longest = 60_000

// render treats agents' texts as Markdown and errand's own as plain. WhatsApp has no buttons, so a
// question ends with a numbered list and people reply with a number. An empty text still becomes a
// message, because a person waits for it.
func render(n core.Notification) []string {
	var parts []string
	if n.Event == core.EventNotice {
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

// literal works line by line, because Markdown would join the lines.
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

// split cuts at the end of a line if it can, and never inside a character.
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
