// Package content is the examination of files, JSON and text from outside: it finds the type of a
// file, makes text safe to show, and finds the known word that a person meant.
//
// It finds the type of a file from its bytes, never from what the sender claims.
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

// TypeOf returns the MIME type of data without parameters. Unknown data is
// "application/octet-stream".
func TypeOf(data []byte) string {
	found := mimetype.Detect(data).String()
	base, _, err := mime.ParseMediaType(found)
	if err != nil {
		return found
	}
	return base
}

// IsText reports whether a type is readable as text: plain text and the formats based on it, such
// as JSON and HTML.
func IsText(typ string) bool {
	for m := mimetype.Lookup(typ); m != nil; m = m.Parent() {
		if m.Is("text/plain") {
			return true
		}
	}
	return strings.HasPrefix(typ, "text/")
}

// Part converts a piece of a text to UTF-8 and returns how many bytes of it were used. Unless it is
// the last piece, an incomplete character at its end is left for the next one. Invalid bytes become
// U+FFFD. head is the start of the text, at least three bytes; offset is the position of the piece.
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

// longestName is in bytes. Common file systems allow 255.
const longestName = 120

// Name returns a safe file name: the last part of a claimed path without characters that control
// terminals, text direction or prompts. If nothing remains, it makes a name from typ.
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

// Line returns one line of text that cannot close the brackets around errand's own notes.
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

// Clean returns [Visible] text without white space at its ends.
func Clean(text string) string { return strings.TrimSpace(Visible(text)) }

// Visible removes control characters and invisible characters, which can hide instructions from a
// reader.
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

// OneLine returns [Clean] text in one line.
func OneLine(text string) string { return strings.Join(strings.Fields(Clean(text)), " ") }

// IsShapeless reports whether a character is invisible and joins nothing. Such characters can hide
// or reverse text. Joiners of emoji and letters and the direction marks of languages are not among
// them; the tag letters of flags, such as Scotland's, are.
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

// Size formats n bytes: "120 kB".
func Size(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10) + " bytes"
	case n < 1_000_000:
		return strconv.FormatInt((n+500)/1000, 10) + " kB"
	}
	return strings.TrimSuffix(strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64), ".0") + " MB"
}
