package core

import (
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// TeamCommand begins a call of colleagues.
const TeamCommand = "/team"

// The number of messages that accompany a task.
const (
	DefaultTeamMessages = 5  // if none is given
	MaxTeamMessages     = 20 // at most
)

// A TeamCall is a call of colleagues in a person's message: "/team @finn implement this", alone or
// after other text.
type TeamCall struct {
	Before  string       // the message without the call
	Targets []TeamTarget // without duplicates, in order
	Task    string       // as written
}

// A TeamTarget is an agent that is mentioned directly after /team.
type TeamTarget struct {
	Name  string // in lower case
	Typed string // "@Finn:10"
	Last  int    // how many messages accompany the task; 0: Auto, BadCount or not given
	Auto  bool   // the messages that matter for the task
	// BadCount is the text after the colon if it is neither a number nor "auto".
	BadCount string
}

// HasTeamCall reports whether a message contains a call.
func HasTeamCall(text string) bool {
	_, ok := ParseTeamCall(text)
	return ok
}

// ParseTeamCall finds the first call in a message: at the start of a line or after a sentence,
// outside of code and quotations. Everything after its mentions is the task.
func ParseTeamCall(text string) (TeamCall, bool) {
	if len(text) < len(TeamCommand) || !containsTeamCommand(text) {
		return TeamCall{}, false
	}
	for at, limit := range prose(text) {
		if name := text[at:min(at+len(TeamCommand), limit)]; strings.EqualFold(name, TeamCommand) && mayCallBegin(text[:at]) && mayCallEnd(text[at+len(TeamCommand):]) {
			c := TeamCall{Before: strings.TrimSpace(text[:at])}
			c.mentions(text[at+len(TeamCommand):])
			return c, true
		}
	}
	return TeamCall{}, false
}

func containsTeamCommand(text string) bool {
	return strings.Contains(strings.ToLower(text), TeamCommand)
}

// closingMarks may follow the punctuation at the end of a sentence.
const closingMarks = `)]}"'”’»*_~` + "`"

// mayCallBegin reports whether a command may follow text, which is at the start of a line or
// sentence.
func mayCallBegin(text string) bool {
	line := text[strings.LastIndexByte(text, '\n')+1:]
	before := strings.TrimRightFunc(line, unicode.IsSpace)
	if before == "" {
		return true
	}
	if len(before) == len(line) {
		return false // no space before the slash: a path
	}
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(before, closingMarks))
	return strings.ContainsRune(".!?…。！？", last)
}

func mayCallEnd(text string) bool {
	if text = strings.TrimLeft(text, stopMarks); text == "" {
		return true
	}
	next, _ := utf8.DecodeRuneInString(text)
	return next == '@' || unicode.IsSpace(next)
}

const stopMarks = ".,;:!?…"

func (c *TeamCall) mentions(text string) {
	rest := strings.TrimLeft(text, stopMarks)
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

func mention(text string) (word, rest string) {
	if !strings.HasPrefix(text, "@") {
		return "", text
	}
	end := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == ',' })
	if end < 0 {
		end = len(text)
	}
	word = strings.TrimRight(text[:end], stopMarks)
	if first, _ := utf8.DecodeRuneInString(word[min(1, len(word)):]); !unicode.IsLetter(first) && !unicode.IsNumber(first) {
		return "", text
	}
	return word, text[end:]
}

func (c *TeamCall) add(word string) {
	name, count, counted := strings.Cut(word[1:], ":")
	t := TeamTarget{Name: strings.ToLower(name), Typed: word}
	if counted {
		t.count(count)
	}
	for i, known := range c.Targets {
		if known.Name != t.Name {
			continue
		}
		if counted { // the last count wins
			c.Targets[i] = t
		}
		return
	}
	c.Targets = append(c.Targets, t)
}

func (t *TeamTarget) count(text string) {
	n, err := strconv.Atoi(text)
	switch {
	case strings.EqualFold(text, "auto"):
		t.Auto = true
	case err != nil && !errors.Is(err, strconv.ErrRange) || n < 1:
		t.BadCount = text
	default:
		t.Last = min(n, MaxTeamMessages)
	}
}
