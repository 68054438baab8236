package markup

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plain converts a text that is not Markdown into messages for p within p's own limit. Every
// character appears literally, except for those that [Platform.Render] removes too. URLs stay
// clickable.
func (p Platform) Plain(s string) []Message { return p.SplitPlain(s, p.Limit()) }

// SplitPlain is [Platform.Plain] with another limit. A limit of less than 256 counts as 256.
func (p Platform) SplitPlain(s string, limit Limit) []Message {
	limit.Size = max(limit.Size, smallest)
	t := text{plain: strings.TrimFunc(clean(s), blank)}
	if !visible(t.plain) {
		return nil
	}
	t.spans = addressesIn(t.plain)
	var messages []Message
	for _, part := range t.split(p, limit) {
		messages = append(messages, part.render(p))
	}
	return messages
}

func addressesIn(s string) (spans []span) {
	for at := 0; ; {
		i := strings.Index(s[at:], "http")
		if i < 0 {
			return spans
		}
		at += i
		found := trimAddress([]byte(webAddress.FindString(s[at:min(len(s), at+2000)])))
		if before, _ := utf8.DecodeLastRuneInString(s[:at]); at > 0 && !unicode.IsSpace(before) && before != '(' || len(found) <= len("https://") {
			at += len("http")
			continue
		}
		spans = append(spans, span{kind: address, start: at, end: at + len(found)})
		at += len(found)
	}
}
