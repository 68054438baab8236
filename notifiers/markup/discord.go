package markup

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// discord writes the marks that Discord's clients read. They do so with a list
// of regular expressions, each tried where the last one ended, which is why some
// marks are chosen by what stands beside or inside them.
type discord struct{}

func (*discord) heading(level int) string { return strings.Repeat("#", level) + " " }

func (*discord) marks(w *writer, s span, at, end int) (before, behind string) {
	inside := w.raw(at, end)
	switch s.kind {
	case bold:
		if !strings.Contains(inside, "**") {
			return "**", "**"
		}
	case strike:
		if !strings.Contains(inside, "~~") {
			return "~~", "~~"
		}
	case italic:
		// _ ends only before what is not part of a word, and ~~ does not end
		// before _; * always does, but cannot hold another.
		after := w.at(end)
		if !strings.ContainsAny(inside, "_~") && !(after < utf8.RuneSelf && inWord(after)) {
			return "_", "_"
		}
		if !strings.Contains(inside, "*") {
			return "*", "*"
		}
	case link:
		return "[", "](" + s.url + ")"
	}
	return "", ""
}

// raw returns what is written between two places without escapes, and ~ where
// something is struck through.
func (w *writer) raw(at, end int) string {
	var b strings.Builder
	for _, s := range w.spans {
		if s.start >= end {
			break
		}
		if s.end <= at {
			continue
		}
		switch {
		case s.kind == strike:
			b.WriteByte('~')
		case s.kind == link:
			b.WriteString(" " + s.url)
		case s.kind == address: // with what is glued to it
			rest := w.plain[max(s.start, at):end]
			if i := strings.IndexFunc(rest, unicode.IsSpace); i >= 0 {
				rest = rest[:i]
			}
			b.WriteString(" " + rest)
			if glued := rest[min(s.end-max(s.start, at), len(rest)):]; strings.ContainsAny(glued, "*_~") {
				b.WriteString(" ** ~~ _") // it could run into any mark
			}
		case s.kind.opaque():
			b.WriteString(" " + w.plain[max(s.start, at):min(s.end, end)])
		}
	}
	return b.String()
}

var numbered = regexp.MustCompile(`^[0-9]+[.)]( |$)`)

func (*discord) char(w *writer, at int, r rune) string {
	rest := w.plain[at:]
	switch {
	case r == '@' && pings.MatchString(rest[:min(len(rest), len("@everyone"))]):
		return "@" + zwsp
	case r == '<' && w.glued: // ends the address, and a backslash would not
		w.glued = false
		if resolved.MatchString(rest) {
			return "<" + zwsp
		}
		return "<"
	case r == '<' && strings.HasPrefix(rest, "<@"): // would notify somebody
		return `\<` + zwsp
	case r == '<':
		return `\<`
	case w.glued: // taken for a part of the address, backslashes too
		return string(r)
	case strings.ContainsRune("\\*_~|`[]", r):
		return `\` + string(r)
	case w.first && strings.ContainsRune("#>+-", r):
		return `\` + string(r)
	case r == '.' || r == ')':
		if w.startsNumber(at) {
			return `\` + string(r)
		}
	case r == '/' && strings.HasPrefix(rest, "//") && at > 0 && w.plain[at-1] == ':':
		return `\/`
	}
	return string(r)
}

// startsNumber reports whether the character at a place would make the line an
// item of a list.
func (w *writer) startsNumber(at int) bool {
	line := at
	for line > 0 && w.plain[line-1] >= '0' && w.plain[line-1] <= '9' {
		line--
	}
	if line == at || !numbered.MatchString(w.plain[line:min(at+2, len(w.plain))]) {
		return at > line && at+1 < len(w.plain) && w.plain[at+1] == '\n'
	}
	before := strings.TrimRight(w.plain[:line], " ")
	if before == "" || before[len(before)-1] == '\n' {
		return true
	}
	for _, s := range w.spans {
		if s.kind == marker && s.end == line {
			return true
		}
	}
	return false
}

// code writes code within a line. Discord ends it at the first run of as many
// back-ticks as it began with, and takes three for a block. A space beside a
// back-tick at either end is not shown. Nothing is resolved inside, so every
// character arrives as it is.
func (*discord) code(s string) string {
	for _, fence := range []string{"`", "``"} {
		if hasRun(s, len(fence)) {
			continue
		}
		if strings.HasPrefix(strings.TrimLeft(s, " "), "`") {
			s = " " + s
		}
		if strings.HasSuffix(strings.TrimRight(s, " "), "`") {
			s += " "
		}
		return fence + s + fence
	}
	if !strings.Contains(s, "```") && !strings.HasSuffix(s, "`") {
		return "```" + s + "```"
	}
	return escaped(s)
}

// block writes lines of code. A line with three back-ticks cannot stand in a block,
// which has no longer fence, and is code of its own between two.
func (d *discord) block(s, language, line string) string {
	var out, lines []string
	end := func() {
		// Blank lines at its ends a block would not show.
		for len(lines) > 0 && !visible(lines[0]) {
			out, lines = append(out, lines[0]), lines[1:]
		}
		shown := len(lines)
		for shown > 0 && !visible(lines[shown-1]) {
			shown--
		}
		if shown > 0 {
			out = append(append(append(out, "```"+language), lines[:shown]...), "```")
		}
		out, lines = append(out, lines[shown:]...), nil
	}
	for l := range strings.SplitSeq(s, "\n") {
		if strings.Contains(l, "```") {
			end()
			out = append(out, d.code(l))
			continue
		}
		lines = append(lines, l)
	}
	end()
	return strings.Join(out, "\n"+line)
}

// hasRun reports whether s has exactly n back-ticks in a row somewhere.
func hasRun(s string, n int) bool {
	for s != "" {
		i := strings.IndexByte(s, '`')
		if i < 0 {
			return false
		}
		rest := strings.TrimLeft(s[i:], "`")
		if len(s)-i-len(rest) == n {
			return true
		}
		s = rest
	}
	return false
}

// escaped writes code that no marks can hold: a backslash before whatever could be
// a mark is not shown.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < utf8.RuneSelf && !unicode.IsSpace(r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// resolved finds what Discord would show as something else behind an address,
// where no backslash helps: mentions, and addresses in angle brackets.
var resolved = regexp.MustCompile(`^<(?:[@#&/:]|a:|t:|id:|[^: >]+:/[^ >]+>)`)
