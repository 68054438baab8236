package markup

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"
)

var pieces = []string{
	"`", "``", "```", "````", "```go", "~~~", "<", ">", "</b>", "<@1>", "<@&2>", "<#3>", "<t:1>", "<id:home>", "<:a:1>", "@everyone", "@here", "3<&0",
	"*", "**", "_", "~~", "||", "\\", "[a](b)", "https://x.org/a_b", "#", "- ", "> ", "1. ", "&lt;", "&#64;", "{", "}", "=", "a", "Z", "9", "x y", " ", "\t", "    ", "é", "界", "👨‍👩‍👧", ".",
}

// randomCode returns a line of code without blank space at its ends, which
// Markdown and the platforms take for their own.
func randomCode(r *rand.Rand, longest int) string {
	var b strings.Builder
	for range r.IntN(longest) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return strings.TrimSpace(b.String())
}

func randomLines(r *rand.Rand, most int) string {
	lines := []string{"first" + randomCode(r, 8)}
	for range r.IntN(most) {
		line := strings.Repeat(" ", 2*r.IntN(4)) + randomCode(r, 12)
		if strings.TrimSpace(line) == "" {
			line = ""
		}
		lines = append(lines, line)
	}
	return strings.TrimRight(strings.Join(append(lines, randomCode(r, 8)+"last"), "\n"), " ")
}

func around(code string, least int) string {
	longest := least - 1
	for run := range strings.FieldsFuncSeq(code, func(r rune) bool { return r != '`' }) {
		longest = max(longest, len(run))
	}
	return strings.Repeat("`", longest+1)
}

func sees(t *testing.T, p Platform, m Message) string {
	t.Helper()
	switch p {
	case Discord:
		seen, _, open := readDiscord(m.Text)
		if len(open) > 0 {
			t.Errorf("%q open in %q", open, m.Text)
		}
		return seen
	case WhatsApp:
		return readWhatsApp(m.Text)
	}
	return m.Text
}

var whatsappCode = regexp.MustCompile("```((?s:.+?))```|`([^`\n]+)`")

// readWhatsApp reads the code in a message as WhatsApp's clients do. What keeps
// three back-ticks apart is the one thing that is not what it was.
func readWhatsApp(s string) string {
	s = whatsappCode.ReplaceAllStringFunc(s, func(code string) string {
		m := whatsappCode.FindStringSubmatch(code)
		shown := m[1] + m[2]
		for _, edge := range []string{"\n", " "} {
			if strings.HasPrefix(shown, edge+"`") {
				shown = shown[1:]
			}
			if strings.HasSuffix(shown, "`"+edge) {
				shown = shown[:len(shown)-1]
			}
		}
		return shown
	})
	return strings.ReplaceAll(s, zwsp+"`", "`")
}

func codeOf(m Message) string {
	units, all := utf16.Encode([]rune(m.Text)), ""
	for _, e := range m.Entities {
		if e.Type == Pre || e.Type == Code {
			all += string(utf16.Decode(units[e.Offset : e.Offset+e.Length]))
		}
	}
	return all
}

// checkBlock proves that a block of code comes out of the messages as it went in:
// every line once, byte for byte.
func checkBlock(t *testing.T, p Platform, limit Limit, code, before, behind string) {
	t.Helper()
	fence := around(code, 3)
	markdown := before + "\n\n" + fence + "go\n" + code + "\n" + fence + "\n\n" + behind
	messages := p.Split(markdown, limit)
	rest := code
	for i, m := range messages {
		seen := sees(t, p, m)
		if p == Telegram {
			seen = codeOf(m)
		}
		if i == 0 && seen == before { // a long first line begins in a message of its own
			continue
		}
		if i == 0 {
			seen = strings.TrimPrefix(seen, before+"\n\n")
		}
		if i == len(messages)-1 {
			seen = strings.TrimSuffix(seen, behind)
			seen = strings.TrimSuffix(seen, "\n\n")
		}
		for rest != "" && rest[0] == '\n' && !strings.HasPrefix(seen, "\n") { // at a cut
			rest = rest[1:]
		}
		if !strings.HasPrefix(rest, seen) {
			same := 0
			for same < len(seen) && same < len(rest) && seen[same] == rest[same] {
				same++
			}
			from := max(0, same-20)
			t.Fatalf("message %d shows %q, want %q", i, seen[from:min(len(seen), same+40)], rest[min(from, len(rest)):min(len(rest), same+40)])
		}
		rest = rest[len(seen):]
	}
	if rest != "" {
		t.Fatalf("%q of %q is not shown", rest, code)
	}
}

// checkInline proves the same of code within a line.
func checkInline(t *testing.T, p Platform, code string) {
	t.Helper()
	fence := around(code, 1)
	messages := p.Render("before " + fence + " " + code + " " + fence + " behind")
	if len(messages) != 1 {
		t.Fatalf("%d messages", len(messages))
	}
	if seen := sees(t, p, messages[0]); seen != "before "+code+" behind" {
		t.Fatalf("a person sees\n%q\nof\n%q\nin\n%q", seen, code, messages[0].Text)
	}
}

// TestCodeStaysCode proves that what stands in code arrives byte for byte on every
// platform, in one message and in several.
func TestCodeStaysCode(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		block, line, long := randomLines(r, 12), randomCode(r, 12), randomLines(r, 200)
		for _, p := range []Platform{Discord, Telegram, WhatsApp} {
			t.Run(fmt.Sprintf("%d/%d", p, seed), func(t *testing.T) {
				checkBlock(t, p, p.Limit(), block, "before", "behind")
				checkBlock(t, p, Limit{700, UTF16}, long, "before", "behind")
				if line != "" {
					checkInline(t, p, line)
				}
			})
		}
	}
}

// FuzzCode looks for code that does not.
func FuzzCode(f *testing.F) {
	for _, s := range []string{"<p class=\"a\">Hi <b>you</b></p>", "exec 3<&0; cat <&3", "```sh\nls\n```", "a`b``c```d", "`", "@everyone <@1>\n\n\n  x", "<p " + strings.Repeat("é", 900)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, code string) {
		code = strings.TrimSpace(clean(code))
		if len(code) > 3000 || !visible(code) || strings.TrimFunc(code, blank) != code || strings.Contains(code, "\t") {
			return
		}
		for l := range strings.SplitSeq(code, "\n") {
			if strings.TrimRightFunc(l, blank) != l { // at a cut it is not shown
				return
			}
		}
		for _, p := range []Platform{Discord, Telegram, WhatsApp} {
			checkBlock(t, p, p.Limit(), code, "before", "behind")
			checkBlock(t, p, Limit{400, UTF16}, code, "before", "behind")
			if !strings.Contains(code, "\n") && len(code) < 1000 {
				checkInline(t, p, code)
			}
		}
	})
}
