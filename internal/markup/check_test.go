package markup

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// check holds what is written for p against every promise that can be judged
// without knowing the text.
func check(t *testing.T, p Platform, limit Limit, markdown string) {
	t.Helper()
	whole := parse(p, limit, markdown)
	parts := whole.split(p, limit)
	joined := ""
	for _, part := range parts {
		if !visible(part.plain) {
			t.Errorf("a part shows nothing: %q", part.plain)
		}
		checkCut(t, whole.plain, len(joined))
		joined += part.plain
		m := part.render(p)
		if n := limit.count(m.Text); n > limit.Size {
			t.Errorf("%d units, %d may be: %q", n, limit.Size, m.Text)
		}
		if !utf8.ValidString(m.Text) || strings.ContainsAny(m.Text, "\x00\r\u202e\u2066\ufeff") {
			t.Errorf("dirt in %q", m.Text)
		}
		switch p {
		case Discord:
			checkDiscord(t, part, m.Text)
		case Telegram:
			checkTelegram(t, m)
		case WhatsApp:
			if strings.Count(m.Text, "```")%2 != 0 {
				t.Errorf("a block is open: %q", m.Text)
			}
		}
	}
	if joined != whole.plain {
		t.Errorf("the parts are not the text:\n%q\n%q", joined, whole.plain)
	}
}

// checkCut proves that a cut tears no cluster but one that is longer than any
// language has.
func checkCut(t *testing.T, plain string, at int) {
	t.Helper()
	if at == 0 {
		return
	}
	line := strings.LastIndexByte(plain[:at], '\n') + 1
	for i, rest, state := line, plain[line:], -1; i < at; {
		var c string
		c, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if i += len(c); i > at && len(c) < 60 {
			t.Errorf("cut within %+q", c)
		}
	}
}

var reaches = regexp.MustCompile(`(?i)(^|[^\\])(@(everyone|here)|<[@#&/:]|<(a:|t:|id:))`)

func checkDiscord(t *testing.T, part text, s string) {
	t.Helper()
	seen, outside, open := readDiscord(s)
	if m := reaches.FindString(outside); m != "" {
		t.Errorf("%q pings in %q", m, s)
	}
	if len(open) > 0 {
		t.Errorf("%q open in %q", open, s)
	}
	if want := part.trim().plain; squeeze(seen) != squeeze(want) {
		t.Errorf("a person sees\n%q\nnot\n%q\nin\n%q", seen, want, s)
	}
}

// squeeze leaves out blank space, which is a matter of lines here.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// discordCode reads code as Discord's clients do, at the start of s:
//
//	/^```(?:([a-z0-9_+\-.#]+?)\n)?\n*([^\n][^]*?)\n*```/i
//	/^(`+)([\s\S]*?[^`])\1(?!`)/, without a blank beside a back-tick at an end
//
// It returns what is shown and what is behind.
func discordCode(s string) (shown, rest string, ok bool) {
	if m := discordBlock.FindStringSubmatch(s); m != nil {
		return m[1], s[len(m[0]):], true
	}
	n := len(s) - len(strings.TrimLeft(s, "`"))
	for i := n; n > 0 && i+n <= len(s); i++ {
		if s[i:i+n] == s[:n] && s[i-1] != '`' && (i+n == len(s) || s[i+n] != '`') {
			shown := s[n:i]
			if strings.HasPrefix(strings.TrimLeft(shown, " "), "`") && shown[0] == ' ' {
				shown = shown[1:]
			}
			if strings.HasSuffix(shown, " ") && strings.HasSuffix(strings.TrimRight(shown, " "), "`") {
				shown = shown[:len(shown)-1]
			}
			return shown, s[i+n:], true
		}
	}
	return "", s, false
}

var discordBlock = regexp.MustCompile("^```(?:(?i:[a-z0-9_+.#-]+?)\n)?\n*([^\n](?s:.*?))\n*```")

// readDiscord reads Discord's Markdown as its clients do and returns what a
// person sees, what of s is outside of code, and the marks that were never closed.
func readDiscord(s string) (seen, outside string, open []string) {
	var out, text strings.Builder
	start, quoted := true, false
	before, code := s, false
	note := func() {
		if !code {
			text.WriteString(before[:len(before)-len(s)])
		}
		before, code = s, false
	}
	for ; len(s) > 0; note() {
		if start {
			rest := strings.TrimLeft(s, " ")
			if quoted = strings.HasPrefix(rest, "> "); quoted {
				s, rest = rest[2:], strings.TrimLeft(rest[2:], " ")
			}
			if h := heads.FindString(rest); h != "" {
				s = rest[len(h):]
			}
			start = false
			continue
		}
		top := ""
		if len(open) > 0 {
			top = open[len(open)-1]
		}
		switch {
		case s[0] == '\n':
			out.WriteByte('\n')
			s, start = s[1:], true
		case strings.HasPrefix(s, zwsp):
			s = s[len(zwsp):]
		case len(s) > 1 && s[0] == '\\' && unicode.In(rune(s[1]), unicode.Punct, unicode.Symbol):
			out.WriteByte(s[1])
			s = s[2:]
		case s[0] == '`':
			shown, rest, ok := discordCode(s)
			if !ok {
				return out.String(), text.String(), append(open, "`")
			}
			if quoted && blockStart.MatchString(s) {
				shown = strings.ReplaceAll(shown, "\n> ", "\n")
				shown = strings.TrimSuffix(strings.TrimPrefix(shown, "> "), "\n>")
			}
			out.WriteString(shown)
			s, code = rest, true
		case strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://"):
			i := strings.IndexAny(s+" ", " \n\t<\u00a0\u3000")
			for _, m := range open {
				if m == "[" {
					m = "]("
				}
				if j := strings.Index(s[:i], m); j >= 0 {
					i = j
				}
			}
			out.WriteString(strings.ReplaceAll(s[:i], zwsp, ""))
			s = s[i:]
		case s[0] == '[':
			open, s = append(open, "["), s[1:]
		case top == "[" && strings.HasPrefix(s, "]("):
			open, s = open[:len(open)-1], s[strings.IndexByte(s, ')')+1:]
		case strings.HasPrefix(s, "**") && !(top == "*" && !strings.HasPrefix(s, "***")), strings.HasPrefix(s, "~~"):
			open, s = toggle(open, s[:2]), s[2:]
		case s[0] == '*' || s[0] == '_':
			open, s = toggle(open, s[:1]), s[1:]
		default:
			_, n := utf8.DecodeRuneInString(s)
			out.WriteString(s[:n])
			s = s[n:]
		}
	}
	return out.String(), text.String(), open
}

var blockStart = regexp.MustCompile("^```[^`\n]*\n")

var heads = regexp.MustCompile(`^#{1,3} `)

func toggle(open []string, m string) []string {
	if n := len(open); n > 0 && open[n-1] == m {
		return open[:n-1]
	}
	return append(open, m)
}

func checkTelegram(t *testing.T, m Message) {
	t.Helper()
	if !m.fits() {
		t.Errorf("too many entities: %d", len(m.Entities))
	}
	units := utf16.Encode([]rune(m.Text))
	var around []Entity
	for _, e := range m.Entities {
		end := e.Offset + e.Length
		if e.Offset < 0 || e.Length <= 0 || end > len(units) {
			t.Fatalf("%+v lies outside of %d units", e, len(units))
		}
		if first := rune(units[e.Offset]); first >= 0xDC00 && first < 0xE000 {
			t.Errorf("%+v begins within a character", e)
		}
		for len(around) > 0 && around[len(around)-1].Offset+around[len(around)-1].Length <= e.Offset {
			around = around[:len(around)-1]
		}
		for _, a := range around {
			if end > a.Offset+a.Length {
				t.Errorf("%+v and %+v overlap", a, e)
			}
			if a.Type == Code || a.Type == Pre || a.Type == e.Type ||
				(e.Type == Code || e.Type == Pre) && a.Type != Blockquote || a.Type == TextLink && e.Type == Blockquote {
				t.Errorf("%+v contains %+v", a, e)
			}
		}
		around = append(around, e)
	}
}

var seeds = []string{
	"# Title *it*\n\nHello **bold _both_** `code` ~~gone~~ snake_case 2*3*4\n\n- a\n  1. b\n\n> q\n> > r\n\n```go\nx\n```\n",
	"|a|b|\n|-|-|\n|`c`|@everyone|\n\n[x](javascript:y) [x](http://a.b/(c)) https://a.b/c_d_ <@1>",
	"> ```\n> a``\n> ```\n> - [ ] **`x**`** &#8238; 👨‍👩‍👧 e\u0301 🇩🇪\x00\u202e",
	"***a** b* _c_d__e__ ~f~ \\* ![i](https://j.k) http://l/m_n_*o*\n===\n1. - 2. x\n",
	"שלום **עולם** \u2066x\u2069 ﷽ \u200f\u200b. 这*很*重要。好！",
}

func fuzz(f *testing.F, p Platform) {
	for _, s := range seeds {
		f.Add(s, 0)
	}
	f.Fuzz(func(t *testing.T, s string, repeat int) {
		if len(s) > 5000 {
			return
		}
		s = strings.Repeat(s, 1+int(uint(repeat)%20))
		check(t, p, p.Limit(), s)
		check(t, p, Limit{smallest, UTF16}, s)
	})
}

func FuzzDiscord(f *testing.F)  { fuzz(f, Discord) }
func FuzzTelegram(f *testing.F) { fuzz(f, Telegram) }
func FuzzWhatsApp(f *testing.F) { fuzz(f, WhatsApp) }
