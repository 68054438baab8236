package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Text makes text from outside safe to print. It replaces characters that control a
// terminal or change the text direction with visible ones. Line ends and tabs stay. Texts
// of models, agents and people can contain anything.
func Text(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD") // some terminals treat a lone byte 0x9b as CSI
	if strings.IndexFunc(s, Steers) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t' || !Steers(r):
			b.WriteRune(r)
		case r == '\r': // dropped: it would overwrite the line
		case r < 0x20:
			b.WriteRune(0x2400 + r) // the visible symbol, such as ␛ for escape
		case r == 0x7f:
			b.WriteRune(0x2421)
		default:
			fmt.Fprintf(&b, "<U+%04X>", r)
		}
	}
	return b.String()
}

// Steers reports whether r is a control character or overrides the text direction.
func Steers(r rune) bool {
	return r < 0x20 || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff
}

// Line is [Text] on one line.
func Line(s string) string { return strings.Join(strings.Fields(Text(s)), " ") }

// JSON escapes characters that control a terminal. The meaning of the JSON stays the same,
// because only its strings can contain such characters.
func JSON(raw []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		b.Reset()
		b.WriteString("null")
	}
	raw = bytes.ToValidUTF8(b.Bytes(), []byte("\uFFFD"))
	if bytes.IndexFunc(raw, Steers) < 0 {
		return raw
	}
	var out bytes.Buffer
	for len(raw) > 0 {
		r, n := utf8.DecodeRune(raw)
		if Steers(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.Write(raw[:n])
		}
		raw = raw[n:]
	}
	return out.Bytes()
}
