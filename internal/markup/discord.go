package markup

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// discord writes Discord's Markdown. Discord parses marks with regular expressions, each starting
// where the last match ended. The right mark therefore sometimes depends on its neighbours.
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
		// _ closes only before a non-word character, and ~~ does not close before _.
		// * always closes, but cannot contain another *.
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
		case s.kind == address: // with the characters directly after it
			rest := w.plain[max(s.start, at):end]
			if i := strings.IndexFunc(rest, unicode.IsSpace); i >= 0 {
				rest = rest[:i]
			}
			b.WriteString(" " + rest)
			if glued := rest[min(s.end-max(s.start, at), len(rest)):]; strings.ContainsAny(glued, "*_~") {
				b.WriteString(" ** ~~ _") // it could contain any mark
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
	case r == '<' && w.glued: // < ends the URL; a backslash would become part of it
		w.glued = false
		if resolved.MatchString(rest) {
			return "<" + zwsp
		}
		return "<"
	case r == '<' && strings.HasPrefix(rest, "<@"): // would be a mention
		return `\<` + zwsp
	case r == '<':
		return `\<`
	case w.glued: // part of the URL: a backslash would be too
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

// code writes inline code. Discord closes it at the first run of as many back-ticks as opened it,
// treats three as a block, and hides a space between a back-tick and the mark.
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

// block writes a line that contains three back-ticks as inline code between two blocks, because
// Discord has no longer fence.
func (d *discord) block(s, language, line string) string {
	var out, lines []string
	end := func() {
		// Discord does not show blank lines at the ends of a block.
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

// escaped writes code that no code marks can contain.
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

// Discord resolves these even after a URL, where a backslash does not prevent it.
var resolved = regexp.MustCompile(`^<(?:[@#&/:]|a:|t:|id:|[^: >]+:/[^ >]+>)`)
