// Package content finds out what a file is by its bytes, never by what its sender
// says.
package content

import (
	"bytes"
	"encoding/binary"
	"mime"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/gabriel-vasile/mimetype"
)

// TypeOf returns the MIME type of data, without parameters:
// "application/octet-stream" where nothing is known of it.
func TypeOf(data []byte) string {
	found := mimetype.Detect(data).String()
	base, _, err := mime.ParseMediaType(found)
	if err != nil {
		return found
	}
	return base
}

// IsText reports whether people can read what has this type: plain text, and
// what is written in it, such as JSON and HTML.
func IsText(typ string) bool {
	for m := mimetype.Lookup(typ); m != nil; m = m.Parent() {
		if m.Is("text/plain") {
			return true
		}
	}
	return strings.HasPrefix(typ, "text/")
}

// Part returns a piece of a text as UTF-8, whatever it is written in, and how many
// of its bytes that is: a character that is cut off at its end is left out, unless
// it is the last piece. What cannot be read shows as such. head is how the text
// begins, at least its first three bytes; offset is where the piece does.
func Part(head, piece []byte, offset int64, last bool) (text string, used int) {
	mark := 0
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}):
		mark, order = 2, binary.LittleEndian
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		mark, order = 2, binary.BigEndian
	case bytes.HasPrefix(head, []byte{0xef, 0xbb, 0xbf}):
		mark = 3
	}
	skip := int(min(max(int64(mark)-offset, 0), int64(len(piece))))
	body := piece[skip:]
	if order != nil {
		whole := body[:len(body)/2*2]
		if n := len(whole); n >= 2 && !last && utf16.IsSurrogate(rune(order.Uint16(whole[n-2:]))) && order.Uint16(whole[n-2:]) < 0xdc00 {
			whole = whole[:n-2]
		}
		if last {
			return wide(whole, order), len(piece)
		}
		return wide(whole, order), skip + len(whole)
	}
	for cut := 1; cut < utf8.UTFMax && cut <= len(body) && !last; cut++ {
		if end := body[len(body)-cut:]; utf8.RuneStart(end[0]) {
			if !utf8.FullRune(end) {
				body = body[:len(body)-cut]
			}
			break
		}
	}
	return strings.ToValidUTF8(string(body), string(utf8.RuneError)), skip + len(body)
}

func wide(data []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return string(utf16.Decode(units))
}

// longestName is how long the name of a file may be, in bytes: what the file
// systems that people save it on take is 255.
const longestName = 120

// Name makes a name that nothing can be done with but to show it and to save
// under it: of a claimed path the last part, without what steers terminals,
// the direction of text, or prompts. Where nothing is left it is made of typ.
func Name(claimed, typ string) string {
	name := path.Base(strings.ReplaceAll(strings.ToValidUTF8(claimed, ""), `\`, "/"))
	name = strings.Trim(Line(name), ". /")
	if name == "" {
		return "file" + extension(typ)
	}
	if len(name) <= longestName {
		return name
	}
	ext := path.Ext(name)
	if len(ext) > 12 {
		ext = ""
	}
	head := name[:longestName-len(ext)]
	for !utf8.ValidString(head) {
		head = head[:len(head)-1]
	}
	return head + ext
}

func extension(typ string) string {
	if m := mimetype.Lookup(typ); m != nil {
		return m.Extension()
	}
	return ""
}

// Line makes one line of text that cannot end the brackets in which errand
// says something of its own.
func Line(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '[':
			return '('
		case r == ']':
			return ')'
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// Clean is what [Visible] leaves of a text, without space around it.
func Clean(text string) string { return strings.TrimSpace(Visible(text)) }

// Visible takes what no reader sees out of a stranger's words: control characters, and the
// invisible ones in which instructions can hide.
func Visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ', r >= 0x7f && r < 0xa0, IsShapeless(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// OneLine is what [Clean] leaves of a text, in one line.
func OneLine(text string) string { return strings.Join(strings.Fields(Clean(text)), " ") }

// IsShapeless reports whether a character shows nothing and joins nothing: text is hidden
// from readers in such ones, or turned around. What joins emoji and letters is none of
// them, and neither are the marks of a language's own direction. The letters of a flag,
// such as Scotland's, are among them.
func IsShapeless(r rune) bool {
	switch {
	case r == 0x200b, r == 0xfeff, // no width
		r >= 0x202a && r <= 0x202e,   // overrides of direction
		r >= 0x2060 && r <= 0x206f,   // invisible operators, and isolates of direction
		r >= 0xfff9 && r <= 0xfffb,   // annotations
		r >= 0xe0000 && r <= 0xe007f: // tags
		return true
	}
	return false
}

// Size says how large n bytes are: "120 kB".
func Size(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10) + " bytes"
	case n < 1_000_000:
		return strconv.FormatInt((n+500)/1000, 10) + " kB"
	}
	return strings.TrimSuffix(strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64), ".0") + " MB"
}
