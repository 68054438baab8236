package errand

import (
	"regexp"
	"strings"
)

// A Nonce is the word by which an agent knows what errand itself says in its
// prompt: "[§k7m2p9qx attached: …]". It is drawn for each session, and for each task,
// and stays, so that prompts stay the same from step to step. It is deleted from all
// text that comes from outside: nobody else's words can pass for errand's, even if
// somebody learns the nonce.
type Nonce string

// nonceSign begins every nonce, and hardly anything that people write in brackets.
const nonceSign = "§"

// NewNonce draws a nonce.
func NewNonce() Nonce { return Nonce(nonceSign + ShortID(8)) }

// Mark is one line of errand's own: "[§k7m2p9qx attached: …]".
func (n Nonce) Mark(text string) string { return "[" + n.word() + text + "]" }

// Block is material of somebody else between two marks of a name.
func (n Nonce) Block(name, text string) string {
	return "<" + n.word() + name + ">\n" + text + "\n</" + n.word() + name + ">"
}

// Marks are the lines of a text that are marks of n, without what makes them so.
func (n Nonce) Marks(text string) []string {
	if n == "" || !strings.Contains(text, string(n)) {
		return nil
	}
	var all []string
	for line := range strings.SplitSeq(text, "\n") {
		// Where several people speak, what is not their first line is set in.
		if mark, ok := strings.CutPrefix(strings.TrimLeft(line, " "), "["+n.word()); ok && strings.HasSuffix(mark, "]") {
			all = append(all, strings.TrimSuffix(mark, "]"))
		}
	}
	return all
}

func (n Nonce) word() string {
	if n == "" {
		return ""
	}
	return string(n) + " "
}

// Without is what a model wrote without its nonce, should it repeat it: others read
// that.
func (n Nonce) Without(text string) string {
	if n == "" || !strings.Contains(text, strings.TrimPrefix(string(n), nonceSign)) {
		return text
	}
	f := n.Filter()
	return f.Next(text) + f.Rest()
}

// Reseal returns a text whose marks were made with drawn, a nonce for this once, with the marks
// of n. What has n already came from outside, where somebody has learnt it: there it is deleted
// first, so that knowing n is of no use.
func (n Nonce) Reseal(text string, drawn Nonce) string {
	if n == drawn {
		return text
	}
	return strings.ReplaceAll(n.Without(text), string(drawn), string(n))
}

// Filter returns what takes the nonce out of a text that comes in pieces.
func (n Nonce) Filter() *NonceFilter {
	drawn := strings.TrimPrefix(string(n), nonceSign)
	if drawn == "" {
		return &NonceFilter{}
	}
	escaped := `\u00a7` + drawn // in the arguments of a call
	return &NonceFilter{words: []string{string(n) + " ", string(n), escaped + " ", escaped, drawn}}
}

// A NonceFilter takes a nonce out of a text that comes in pieces, however it is cut.
type NonceFilter struct {
	words []string // ways to write it, the longer of two first
	held  string   // the end of what came: it may be the beginning of one
}

// Next returns what can be shown now that piece has come.
func (f *NonceFilter) Next(piece string) (shown string) {
	shown, f.held = f.take(f.held+piece, false)
	return shown
}

// Rest returns what is still held back at the end of the text. The filter can be used
// for another then.
func (f *NonceFilter) Rest() (shown string) {
	shown, _ = f.take(f.held, true)
	f.held = ""
	return shown
}

// take is a text without the nonce, and its end that may be the beginning of one,
// where more is to come.
func (f *NonceFilter) take(text string, whole bool) (shown, held string) {
	var s strings.Builder
scan:
	for text != "" {
		for _, word := range f.words {
			if rest, found := strings.CutPrefix(text, word); found {
				text = rest
				continue scan
			}
			if !whole && strings.HasPrefix(word, text) {
				break scan
			}
		}
		s.WriteByte(text[0])
		text = text[1:]
	}
	return s.String(), text
}

var marks = regexp.MustCompile(`([\[<]/?)` + nonceSign + `[` + alphabet + `]{8} `)

// Unmarked is a message of a transcript as people read it: with errand's marks, and
// without the nonces in them.
func Unmarked(text string) string {
	if !strings.Contains(text, nonceSign) {
		return text
	}
	return marks.ReplaceAllString(text, "$1")
}
