// Package printable makes text from outside harmless for a terminal.
package printable

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Text makes text from outside harmless: what would steer a terminal, or turn
// the direction of text around, is shown instead of obeyed. Line ends and tabs
// stay. What models, agents and people write can contain anything.
func Text(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD") // a lone byte 0x9b is CSI to some terminals
	if strings.IndexFunc(s, Steers) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t' || !Steers(r):
			b.WriteRune(r)
		case r == '\r': // would begin the line again, over what is there
		case r < 0x20:
			b.WriteRune(0x2400 + r) // ␛ for escape
		case r == 0x7f:
			b.WriteRune(0x2421)
		default:
			fmt.Fprintf(&b, "<U+%04X>", r)
		}
	}
	return b.String()
}

// Steers holds for control characters and the marks that override the
// direction of text.
func Steers(r rune) bool {
	return r < 0x20 || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff
}

// Line is [Text] on one line.
func Line(s string) string { return strings.Join(strings.Fields(Text(s)), " ") }

// JSON escapes what steers a terminal inside JSON, which means the same
// afterwards. JSON has no such character outside strings but line ends and tabs.
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
