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
		return "<" + zwsp
	case r == '<':
		if mention.MatchString(rest[:min(len(rest), 4)]) {
			return `\<` + zwsp
		}
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

func (*discord) code(s string) string {
	s = defuse(s)
	if !strings.Contains(s, "`") {
		return "`" + s + "`"
	}
	s = strings.ReplaceAll(s, "``", "`"+zwsp+"`")
	s = strings.ReplaceAll(s, "``", "`"+zwsp+"`")
	if s[0] == '`' {
		s = zwsp + s
	}
	if s[len(s)-1] == '`' {
		s += zwsp
	}
	return "``" + s + "``"
}

func (*discord) block(s, language, line string) string {
	s = fenceless(defuse(s))
	return "```" + language + "\n" + line + strings.ReplaceAll(s, "\n", "\n"+line) + "\n" + line + "```"
}

// fenceless keeps code from ending the block that it stands in.
func fenceless(s string) string {
	s = strings.ReplaceAll(s, "``", "`"+zwsp+"`")
	s = strings.ReplaceAll(s, "``", "`"+zwsp+"`")
	if strings.HasSuffix(s, "`") {
		s += zwsp
	}
	return s
}

var mention = regexp.MustCompile(`<(@|#|&|/|:|a:|t:|id:)`)

// defuse keeps code from reaching anybody.
func defuse(s string) string {
	return mention.ReplaceAllString(pings.ReplaceAllString(s, "@"+zwsp+"$1"), "<"+zwsp+"$1")
}

func (*discord) bare(s string) string { return defuse(s) }
