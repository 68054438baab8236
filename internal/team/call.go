// Package team reads a call of colleagues in what people write: "/team @finn
// implement this", alone or behind other words of a message. It knows no agents.
package team

import (
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Command is what begins a call.
const Command = "/team"

// How many messages go with a task.
const (
	Default = 5  // where nobody says
	Most    = 20 // also where more are asked for
)

// A Call is a /team that somebody wrote.
type Call struct {
	Before  string   // the other words of the message
	Targets []Target // each once, in their order
	Task    string   // as it was written
}

// A Target is an agent that is mentioned directly behind /team.
type Target struct {
	Name  string // in lower case
	Typed string // "@Finn:10"
	Last  int    // so many messages go with the task; 0: Auto, BadCount, or nobody says
	Auto  bool   // those that matter for the task
	// BadCount is what stands behind the colon where that is neither a number of
	// messages that can be asked for nor "auto".
	BadCount string
}

// Has reports whether there is a call in a message.
func Has(text string) bool {
	_, ok := Parse(text)
	return ok
}

// Parse finds the first call in a message: at the start of a line or behind the end of
// a sentence, and neither in code nor in what is quoted. Everything behind its mentions
// is the task.
func Parse(text string) (Call, bool) {
	if len(text) < len(Command) || !containsFold(text) {
		return Call{}, false
	}
	for at, limit := range prose(text) {
		if name := text[at:min(at+len(Command), limit)]; strings.EqualFold(name, Command) && begins(text[:at]) && ends(text[at+len(Command):]) {
			c := Call{Before: strings.TrimSpace(text[:at])}
			c.mentions(text[at+len(Command):])
			return c, true
		}
	}
	return Call{}, false
}

// containsFold spares most messages the rest.
func containsFold(text string) bool { return strings.Contains(strings.ToLower(text), Command) }

// closers may stand behind what ends a sentence.
const closers = `)]}"'”’»*_~` + "`"

// begins reports whether a command may stand behind text: that is the start of a line,
// or of a sentence.
func begins(text string) bool {
	line := text[strings.LastIndexByte(text, '\n')+1:]
	before := strings.TrimRightFunc(line, unicode.IsSpace)
	if before == "" {
		return true
	}
	if len(before) == len(line) {
		return false // it is the end of a word: a path
	}
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(before, closers))
	return strings.ContainsRune(".!?…。！？", last)
}

// ends reports whether the name of the command ends where text begins.
func ends(text string) bool {
	if text = strings.TrimLeft(text, stops); text == "" {
		return true
	}
	next, _ := utf8.DecodeRuneInString(text)
	return next == '@' || unicode.IsSpace(next)
}

const stops = ".,;:!?…"

func (c *Call) mentions(text string) {
	rest := strings.TrimLeft(text, stops)
	for {
		rest = strings.TrimLeftFunc(rest, func(r rune) bool { return unicode.IsSpace(r) || r == ',' })
		word, behind := mention(rest)
		if word == "" {
			break
		}
		c.add(word)
		rest = behind
	}
	if len(c.Targets) > 0 { // "@finn: do this", "@finn - do this"
		for _, dash := range []string{":", ";", "- ", "– ", "— "} {
			rest = strings.TrimSpace(strings.TrimPrefix(rest, dash))
		}
	}
	c.Task = strings.TrimSpace(rest)
}

// mention is the mention that text begins with, as it was typed and without what ends
// a clause behind it; empty: there is none.
func mention(text string) (word, rest string) {
	if !strings.HasPrefix(text, "@") {
		return "", text
	}
	end := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == ',' })
	if end < 0 {
		end = len(text)
	}
	word = strings.TrimRight(text[:end], stops)
	if first, _ := utf8.DecodeRuneInString(word[min(1, len(word)):]); !unicode.IsLetter(first) && !unicode.IsNumber(first) {
		return "", text
	}
	return word, text[end:]
}

func (c *Call) add(word string) {
	name, count, counted := strings.Cut(word[1:], ":")
	t := Target{Name: strings.ToLower(name), Typed: word}
	if counted {
		t.count(count)
	}
	for i, known := range c.Targets {
		if known.Name != t.Name {
			continue
		}
		if counted { // said twice, the last word on it counts
			c.Targets[i] = t
		}
		return
	}
	c.Targets = append(c.Targets, t)
}

func (t *Target) count(text string) {
	n, err := strconv.Atoi(text)
	switch {
	case strings.EqualFold(text, "auto"):
		t.Auto = true
	case err != nil && !errors.Is(err, strconv.ErrRange) || n < 1:
		t.BadCount = text
	default:
		t.Last = min(n, Most)
	}
}
