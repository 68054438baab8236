package errand

import (
	"regexp"
	"strings"
)

// A Nonce is the word by which an agent knows what errand itself says in its
// prompt: "[§k7m2p9qx attached: …]". It is drawn for each session, and for each task,
// and stays, so that prompts stay the same from step to step. Neither people nor
// those whose words they bring, nor other agents, know it: nobody else's words can
// pass for errand's, however they are written.
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

func (n Nonce) word() string {
	if n == "" {
		return ""
	}
	return string(n) + " "
}

// Without is what a model wrote without its nonce, should it repeat it: others read
// that.
func (n Nonce) Without(text string) string {
	drawn := strings.TrimPrefix(string(n), nonceSign)
	if drawn == "" || !strings.Contains(text, drawn) {
		return text
	}
	escaped := `\u00a7` + drawn // in the arguments of a call
	return strings.NewReplacer(string(n)+" ", "", string(n), "", escaped+" ", "", escaped, "", drawn, "").Replace(text)
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
