package lineedit

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// A Key is one thing that somebody has done at the keyboard.
type Key struct {
	Do   Action
	Text string // of Type and Paste
}

// An Action is what a key is for.
type Action int

const (
	Nothing Action = iota
	Type
	Paste
	Enter
	NewLine
	Left
	Right
	WordLeft
	WordRight
	LineStart
	LineEnd
	Up
	Down
	Previous
	Next
	Backspace
	Delete
	KillWordLeft  // up to a space, as Ctrl-W does
	KillPartLeft  // up to what is no letter, as Alt-Backspace does
	KillPartRight // likewise, as Alt-D does
	KillToStart
	KillToEnd
	Yank
	Transpose
	Undo
	Search
	SearchForward
	Complete
	CompleteBack
	Cancel
	Interrupt
	EndOfInput
	ClearScreen
)

var controls = map[byte]Action{
	0x01: LineStart, 0x02: Left, 0x03: Interrupt, 0x04: EndOfInput, 0x05: LineEnd, 0x06: Right, 0x07: Cancel, 0x08: Backspace,
	'\t': Complete, '\n': Enter, 0x0b: KillToEnd, 0x0c: ClearScreen, '\r': Enter, 0x0e: Next, 0x10: Previous, 0x12: Search, 0x13: SearchForward,
	0x14: Transpose, 0x15: KillToStart, 0x17: KillWordLeft, 0x19: Yank, 0x1f: Undo, 0x7f: Backspace,
}

var alts = map[byte]Action{
	'b': WordLeft, 'B': WordLeft, 'f': WordRight, 'F': WordRight, 'd': KillPartRight, 'D': KillPartRight,
	0x7f: KillPartLeft, 0x08: KillPartLeft, '\r': NewLine, '\n': NewLine,
}

// finals are the control sequences without a number, by their last byte.
var finals = map[byte]Action{'A': Up, 'B': Down, 'C': Right, 'D': Left, 'H': LineStart, 'F': LineEnd, 'Z': CompleteBack}

var numbered = map[string]Action{"1": LineStart, "3": Delete, "4": LineEnd, "7": LineStart, "8": LineEnd}

const (
	escape     = 0x1b
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
	// longestSequence bounds a control sequence: none that a key sends is as long.
	longestSequence = 32
)

// A Decoder makes keys of the bytes that a terminal sends. Its zero value is ready.
type Decoder struct {
	rest    []byte // of a sequence that is not complete
	pasting bool
}

// Feed returns the keys that are complete with p.
func (d *Decoder) Feed(p []byte) (keys []Key) {
	d.rest = append(d.rest, p...)
	return d.take(false)
}

// IsPending reports whether bytes wait for more. If none come soon, [Decoder.Flush]
// takes them for what they are: a key Escape sends how all the others begin.
func (d *Decoder) IsPending() bool { return len(d.rest) > 0 && !d.pasting }

// Flush returns the keys that the bytes are if no more come.
func (d *Decoder) Flush() []Key {
	if d.pasting {
		return nil
	}
	return d.take(true)
}

func (d *Decoder) take(all bool) (keys []Key) {
	for len(d.rest) > 0 {
		var k Key
		var n int
		if d.pasting {
			k, n = d.paste()
		} else if k, n = decode(d.rest, all); n > 0 && string(d.rest[:n]) == pasteBegin {
			d.pasting = true
		}
		if n == 0 {
			break
		}
		if k.Do != Nothing {
			keys = append(keys, k)
		}
		d.rest = d.rest[n:]
	}
	if len(d.rest) == 0 {
		d.rest = nil
	}
	return keys
}

// paste takes what has been pasted so far. What may belong to its end, or to a line end or
// character that is cut in two, waits.
func (d *Decoder) paste() (Key, int) {
	end := bytes.Index(d.rest, []byte(pasteEnd))
	if end == 0 {
		d.pasting = false
		return Key{}, len(pasteEnd)
	}
	if end < 0 {
		end = len(d.rest)
		for n := min(len(pasteEnd)-1, end); n > 0; n-- {
			if bytes.HasSuffix(d.rest, []byte(pasteEnd[:n])) {
				end -= n
				break
			}
		}
		for n := 1; n < utf8.UTFMax && n <= end; n++ {
			if b := d.rest[end-n]; utf8.RuneStart(b) {
				if !utf8.FullRune(d.rest[end-n : end]) {
					end -= n
				}
				break
			}
		}
		if end > 0 && d.rest[end-1] == '\r' {
			end--
		}
	}
	if end == 0 {
		return Key{}, 0
	}
	return Key{Paste, strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(d.rest[:end]))}, end
}

// decode reads the first key of b, which has n bytes; 0 if more have to come, which none
// do if all is there.
func decode(b []byte, all bool) (k Key, n int) {
	switch {
	case b[0] == escape:
		return decodeEscape(b, all)
	case b[0] == '\r' && len(b) > 1 && b[1] == '\n':
		return Key{Do: Enter}, 2
	case b[0] < ' ', b[0] == 0x7f:
		return Key{Do: controls[b[0]]}, 1
	}
	for n < len(b) && b[n] >= ' ' && b[n] != 0x7f {
		if !utf8.FullRune(b[n:]) && !all {
			break
		}
		r, size := utf8.DecodeRune(b[n:])
		if r == utf8.RuneError && size == 1 || r >= 0x80 && r < 0xa0 {
			if n == 0 {
				return Key{}, size // no character, and C1 controls are none that anybody types
			}
			break
		}
		n += size
	}
	return Key{Type, string(b[:n])}, n
}

func decodeEscape(b []byte, all bool) (Key, int) {
	if len(b) == 1 || b[1] == escape {
		if len(b) == 1 && !all {
			return Key{}, 0
		}
		return Key{Do: Cancel}, 1
	}
	switch b[1] {
	case '[':
		return decodeSequence(b, all)
	case 'O':
		if len(b) < 3 {
			if all {
				return Key{}, len(b)
			}
			return Key{}, 0
		}
		return Key{Do: finals[b[2]]}, 3
	}
	if !utf8.FullRune(b[1:]) && !all {
		return Key{}, 0
	}
	_, size := utf8.DecodeRune(b[1:])
	return Key{Do: alts[b[1]]}, 1 + size
}

// decodeSequence reads a control sequence (ECMA-48, 5.4).
func decodeSequence(b []byte, all bool) (Key, int) {
	for i := 2; i < len(b); i++ {
		switch c := b[i]; {
		case i == 2 && c == '[': // a function key of Linux' console has one byte more
			if len(b) == 3 && !all {
				return Key{}, 0
			}
			return Key{}, min(4, len(b))
		case c >= 0x40 && c <= 0x7e:
			return Key{Do: sequence(string(b[2:i]), c)}, i + 1
		case c < 0x20 || c > 0x7e || i == longestSequence:
			return Key{}, i // broken off: what comes next is a key of its own
		}
	}
	if all {
		return Key{}, len(b)
	}
	return Key{}, 0
}

// sequence is what a control sequence with these parameters is for. The second one is
// which of Shift (1), Alt (2) and Ctrl (4) are held, plus one.
func sequence(parameters string, final byte) Action {
	number, held, _ := strings.Cut(parameters, ";")
	switch {
	case final == 'u' && number == "13" && held != "": // Enter, of terminals that tell it from Shift-Enter
		return NewLine
	case final == '~' && number == "27" && strings.HasSuffix(held, ";13"): // likewise, as xterm writes it
		return NewLine
	case final == '~':
		return numbered[number]
	case final == 'C' && held != "" && held != "2":
		return WordRight
	case final == 'D' && held != "" && held != "2":
		return WordLeft
	}
	return finals[final]
}
