package markup

import (
	"math"
	"strings"
	"syscall"
	"testing"
	"time"
)

func show(s string) string { return strings.ReplaceAll(s, zwsp, "¦") }

// TestRender proves what a platform is sent for a text; empty: not asked.
func TestRender(t *testing.T) {
	tests := []struct {
		name, markdown              string
		discord, telegram, whatsapp string
	}{
		{"styles", "**b** _i_ ~~s~~ `c` ***bi***",
			"**b** _i_ ~~s~~ `c` _**bi**_", "b i s c bi", "*b* _i_ ~s~ `c` _*bi*_"},
		{"only looks like marks", "snake_case_name 2*3*4 2**8 a * b * c ~5",
			`snake\_case\_name 2\*3\*4 2\*\*8 a \* b \* c \~5`, "snake_case_name 2*3*4 2**8 a * b * c ~5", "snake_case_name 2*3*4 2**8 a * b * c ~5"},
		{"escaped", `\*no\* \# no`,
			`\*no\* # no`, "*no* # no", "¦*¦no* # no"},
		{"in a word", "**h**ead *i*n", `**h**ead \*i\*n`, "head *i*n", "head *i*n"},
		{"headings", "# One\n## Two\n#### **Four**\ntext",
			"# One\n\n## Two\n\n**Four**\n\ntext", "One\n\nTwo\n\nFour\n\ntext", "*One*\n\n*Two*\n\n*Four*\n\ntext"},
		{"lists", "* a\n* b\n    1. c\n    2. d\n\n7. e",
			"- a\n- b\n  1. c\n  2. d\n\n7. e", "• a\n• b\n  1. c\n  2. d\n\n7. e", "- a\n- b\n  1. c\n  2. d\n\n7. e"},
		{"tasks", "- [ ] a\n- [x] b", "- ☐ a\n- ☑ b", "• ☐ a\n• ☑ b", "- ☐ a\n- ☑ b"},
		{"no lists", "1\\. a\n\\- b\n\\> c",
			"1\\. a\n\\- b\n\\> c", "1. a\n- b\n> c", "1. a\n- b\n¦> c"},
		{"quotes", "> a\n> **b**\n>\n> > c",
			"> a\n> **b**\n> \n> c", "a\nb\n\nc", "> a\n> *b*\n> \n> c"},
		{"code", "```go\nx := `a`\n\n\ty()\n```",
			"```go\nx := `a`\n\n\ty()\n```", "x := `a`\n\n\ty()", "```x := `a`\n\n\ty()```"},
		{"code in code", "````\n```sh\nls\n```\n````", "` ```sh`\n```\nls\n```\n` ``` `", "```sh\nls\n```", "```\n`¦`¦`sh\nls\n`¦`¦`\n```"},
		{"code in a quote", "> ```\n> a\n> b\n> ```", "> ```\n> a\n> b\n> ```", "a\nb", "> ```a\n> b```"},
		{"table", "| a | long |\n|---|---|\n| **1** | x |\n| 世界 | y |",
			"```\na    | long\n-----|-----\n1    | x\n世界 | y\n```", "a    | long\n-----|-----\n1    | x\n世界 | y", "```a    | long\n-----|-----\n1    | x\n世界 | y```"},
		{"pings", "@everyone `@here` <@1> <@&2> <#3> &#64;everyone @every\u200bone \\<@4> https://x.org/@here",
			"@¦everyone `@here` \\<¦@1> \\<¦@&2> \\<#3> @¦everyone @¦everyone \\<¦@4> https://x.org/%40here", "", ""},
		{"pings in code", "```\n@everyone <@1>\n```", "```\n@everyone <@1>\n```", "", ""},
		{"html in code", "```html\n<b>you</b> <t:1> exec 3<&0 ``x`` <id:home>\n```\n`</p>` `a``b` `` `c` ``",
			"```html\n<b>you</b> <t:1> exec 3<&0 ``x`` <id:home>\n```\n\n`</p>` `a``b` `` `c` ``", "<b>you</b> <t:1> exec 3<&0 ``x`` <id:home>\n\n</p> a``b `c`",
			"```<b>you</b> <t:1> exec 3<&0 ``x`` <id:home>```\n\n`</p>` ```a``b``` ``` `c` ```"},
		{"code in a table", "|a|\n|-|\n|`<br>` x<br>y|", "```\na\n--------\n<br> x y\n```", "a\n--------\n<br> x y", ""},
		{"less than", "a < b, a<b <3 https://x.org/<b <@ https://y.org/<@1> https://z.org/`code`", "a \\< b, a\\<b \\<3 https://x.org/<b \\<¦@ https://y.org/<¦@1> https://z.org/ `code`",
			"a < b, a<b <3 https://x.org/<b <@ https://y.org/<@1> https://z.org/code", "a < b, a<b <3 https://x.org/<b <@ https://y.org/<@1> https://z.org/ `code`"},
		{"links", "[a](https://x.org/b_c) <https://y.org> https://z.org/d_e. ![p](http://i.org/j.png)",
			"[a](https://x.org/b_c) https://y.org https://z.org/d_e. [p](http://i.org/j.png)",
			"a https://y.org https://z.org/d_e. p",
			"a (https://x.org/b_c) https://y.org https://z.org/d_e. p (http://i.org/j.png)"},
		{"odd schemes", "[a](javascript:alert(1)) [b](tg://user?id=1) [c](data:x) [d](#top)",
			"a (javascript:alert(1)) b (tg:\\//user?id=1) c (data:x) d (#top)",
			"a (javascript:alert(1)) b (tg://user?id=1) c (data:x) d (#top)",
			"a (javascript:alert(1)) b (tg://user?id=1) c (data:x) d (#top)"},
		{"a link that lies", "[https://bank.com](https://evil.org) [x](https://bank.com@evil.org)",
			"https://bank.com (https://evil.org) x (https:\\//bank.com@evil.org)",
			"https://bank.com (https://evil.org) x (https://bank.com@evil.org)", ""},
		{"html is text", "<b>a</b> <!-- c -->", `\<b>a\</b> \<!-- c -->`, "<b>a</b> <!-- c -->", "<b>a</b> <!-- c -->"},
		{"dirt", "a\x00b\u202ec\u2066d\u200be\ufefff\x1b[31m g\r\nh &#8238;i", "abcdef\\[31m g\nh i", "abcdef[31m g\nh i", ""},
		{"floods", "a" + strings.Repeat("\u0301", 500) + strings.Repeat("\u200d", 500) + "b", "", "a" + strings.Repeat("\u0301", 16) + "b", ""},
		{"joined emoji", "👨‍👩‍👧 🏳️‍🌈 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣ می\u200cخواهم", "👨‍👩‍👧 🏳️‍🌈 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣ می\u200cخواهم", "👨‍👩‍👧 🏳️‍🌈 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣ می\u200cخواهم", "👨‍👩‍👧 🏳️‍🌈 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣ می\u200cخواهم"},
		{"smuggled", "a\U000E0068\U000E0069b", "ab", "ab", "ab"},
		{"right to left", "שלום **עולם**", "שלום **עולם**", "שלום עולם", "שלום *עולם*"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for p, want := range map[Platform]string{Discord: tt.discord, Telegram: tt.telegram, WhatsApp: tt.whatsapp} {
				check(t, p, p.Limit(), tt.markdown)
				messages := p.Render(tt.markdown)
				if len(messages) != 1 {
					t.Fatalf("%d messages", len(messages))
				}
				if got := show(messages[0].Text); want != "" && got != want {
					t.Errorf("%d: %q, want %q", p, got, want)
				}
			}
		})
	}
}

// TestNothing proves that what shows nothing is not sent.
func TestNothing(t *testing.T) {
	for _, s := range []string{"", " \n\t", "\x00", "\u200b\u200b", "\u200f \u200e", "```\n```", "&#8203;", "[a]: http://x.org"} {
		for _, p := range []Platform{Discord, Telegram, WhatsApp} {
			if m := p.Render(s); len(m) != 0 {
				t.Errorf("%q gives %+v", s, m)
			}
		}
	}
}

// TestEntities proves that entities are counted in UTF-16 code units and nested
// as Telegram asks.
func TestEntities(t *testing.T) {
	m := Telegram.Render("😀 **b `c` _d_**\n\n> [x](https://y.org)\n\n```go\nz\n```")[0]
	want := []Entity{
		{Type: Bold, Offset: 3, Length: 2}, {Type: Code, Offset: 5, Length: 1}, {Type: Bold, Offset: 6, Length: 2},
		{Type: Italic, Offset: 7, Length: 1}, {Type: Blockquote, Offset: 10, Length: 1},
		{Type: TextLink, Offset: 10, Length: 1, URL: "https://y.org"}, {Type: Pre, Offset: 13, Length: 1, Language: "go"},
	}
	if m.Text != "😀 b c d\n\nx\n\nz" || len(m.Entities) != len(want) {
		t.Fatalf("%+v", m)
	}
	for i, e := range m.Entities {
		if e != want[i] {
			t.Errorf("%+v, want %+v", e, want[i])
		}
	}
}

// TestSplit proves where a text is cut.
func TestSplit(t *testing.T) {
	words := strings.TrimSpace(strings.Repeat("word ", 40)) // 199 characters
	limit := Limit{256, CodePoints}
	tests := []struct {
		name, markdown string
		want           []string
	}{
		{"paragraph", words + "\n\n" + words, []string{words, words}},
		{"line", words + "\n" + words, []string{words, words}},
		{"sentence", words + ". " + words, []string{words + ".", words}},
		{"word", words + " " + words, []string{words + strings.Repeat(" word", 11), strings.TrimSpace(strings.Repeat("word ", 29))}},
		{"character", strings.Repeat("x", 300), []string{strings.Repeat("x", 256), strings.Repeat("x", 44)}},
		{"emoji", strings.Repeat("👨‍👩‍👧", 60), []string{strings.Repeat("👨‍👩‍👧", 51), strings.Repeat("👨‍👩‍👧", 9)}},
		{"flags", "x" + strings.Repeat("🇩🇪", 130), []string{"x" + strings.Repeat("🇩🇪", 127), strings.Repeat("🇩🇪", 3)}},
		{"accents", strings.Repeat("e\u0301\u0302", 100), []string{strings.Repeat("e\u0301\u0302", 85), strings.Repeat("e\u0301\u0302", 15)}},
		{"accent on a space", strings.Repeat("x", 255) + ". \u0301y", []string{strings.Repeat("x", 255) + ".", "\u0301y"}},
		{"style", "**" + words + " " + words + "**",
			[]string{"**" + words + strings.Repeat(" word", 10) + "**", "**" + strings.TrimSpace(strings.Repeat("word ", 30)) + "**"}},
		{"fence", "```go\n" + words + "\n  " + words + "\n```",
			[]string{"```go\n" + words + "\n```", "```go\n  " + words + "\n```"}},
		{"address", "see " + "https://x.org/" + strings.Repeat("a", 250), []string{"see", "https://x.org/" + strings.Repeat("a", 242), "aaaaaaaa"}},
		{"list", "1. " + strings.Repeat("y", 300), []string{"1. " + strings.Repeat("y", 253), strings.Repeat("y", 47)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			check(t, Discord, limit, tt.markdown)
			var got []string
			for _, m := range Discord.Split(tt.markdown, limit) {
				got = append(got, m.Text)
			}
			if strings.Join(got, "|") != strings.Join(tt.want, "|") {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// TestLongAnswer proves the promises on 5,000 characters with code, on the limits
// of every platform and on small ones.
func TestLongAnswer(t *testing.T) {
	code := "```python\n" + strings.Repeat("def f(x):\n    return x ** 2  # @everyone\n\n", 60) + "```\n\n"
	prose := strings.Repeat("A **bold** word, a [link](https://x.org/a_b), an emoji 👨‍👩‍👧. שלום עולם! ", 20) + "\n\n"
	list := strings.Repeat("- item with `code`\n  - nested _item_\n", 30) + "\n"
	quotes := "> " + strings.Repeat("a quote that goes on. ", 100) + "\n\n"
	answer := "# Answer\n\n" + prose + code + list + quotes + "1. last\n" + code
	for _, p := range []Platform{Discord, Telegram, WhatsApp} {
		for _, size := range []int{256, 700, 1024, p.Limit().Size} {
			check(t, p, Limit{size, p.Limit().Unit}, answer)
		}
	}
	for i, m := range Discord.Render(answer) {
		if strings.Count(m.Text, "```")%2 != 0 {
			t.Errorf("message %d leaves a block open", i)
		}
	}
}

// TestManyEntities proves that a message never holds more entities than Telegram
// looks at.
func TestManyEntities(t *testing.T) {
	few, many := strings.Repeat("**a** ", 250), strings.Repeat("[a](https://x.org/"+strings.Repeat("b", 900)+") ", 50)
	for _, s := range []string{few, many} {
		check(t, Telegram, Telegram.Limit(), s)
		for _, m := range Telegram.Render(s) {
			bytes := 0
			for _, e := range m.Entities {
				bytes += len(e.URL)
			}
			if len(m.Entities) == 0 || len(m.Entities) > 100 || bytes > 9000 {
				t.Errorf("%d entities, %d bytes of addresses", len(m.Entities), bytes)
			}
		}
	}
}

// TestGrowth proves that nothing a model can write holds up a worker: four times
// the text takes about four times as long, where sixteen times is what it would
// take if every mark were held against every other.
func TestGrowth(t *testing.T) {
	for _, s := range []string{
		"*", "[a](", "**a", "> ",
		"_", "~", "`", "[", "![", "<", "<http:", "*a _b ", "*a **b ", "`a``b```c", "- ", "|a", "a|b\n-|-\n", "\x00", "\u200b",
		"e\u0301", "\u0301", "👨‍", "ᄀ", "@everyone ", "<@1> ", "1. ", "\\", "&", "http://a.b/", "[a]: http://x.y/z\n\n[a] ",
		"> a\n", "  - x\n", "```\n", "a_", "# ", "[x](http://a.b/c)", "*a*",
	} {
		pieces := min(2*maxAttempts, 1<<12/len(s)) // enough to come to where sparse ends the trying
		t.Run(s, func(t *testing.T) { linear(t, strings.Repeat(s, pieces), strings.Repeat(s, 4*pieces)) })
	}
	deep := func(levels int) string { // of which the size is the square
		var b strings.Builder
		for i := range levels {
			b.WriteString(strings.Repeat("> ", i) + "a\n" + strings.Repeat("  ", i) + "- b\n")
		}
		return b.String()
	}
	t.Run("deep", func(t *testing.T) { linear(t, deep(100), deep(200)) })
}

// linear fails the test if a text takes much longer to render than its fourth
// part four times over, time and again: what else the process does is in the way
// once. If every mark were held against every other, it would be four times.
func linear(t *testing.T, part, whole string) {
	t.Helper()
	const tries = 12
	a, b := forever, forever // the least of all tries
	for range tries {
		a, b = min(a, rendering(t, part, part, part, part)), min(b, rendering(t, whole))
		if b < 2*time.Millisecond || 2*b <= 5*a {
			return // what is too fast to be measured holds up nothing
		}
	}
	t.Errorf("four times the text takes %v, not %v", b, a)
}

const forever = time.Duration(math.MaxInt64)

// rendering is how much of a processor it takes to render texts for every platform.
// It is not the time that passes: on a busy machine that is longer for whoever
// needs more than one slice of it.
func rendering(t *testing.T, texts ...string) time.Duration {
	start := used(t)
	for _, s := range texts {
		for _, p := range []Platform{Discord, Telegram, WhatsApp} {
			p.Render(s)
		}
	}
	return used(t) - start
}

func used(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
