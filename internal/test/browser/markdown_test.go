package browser

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/test/llmtest"
)

func answering(texts map[string]llmtest.Reply) func(*installation) {
	return func(in *installation) {
		in.model = llmtest.Func(func(_ context.Context, r llm.Request) llmtest.Reply {
			asked := ""
			for _, m := range r.Messages {
				if m.Speaker == core.FromPerson {
					asked = m.Text
				}
			}
			return texts[asked]
		})
	}
}

// evaluates runs a script in the page and waits for what it promises.
func (p *person) evaluates(what, script string, into any) {
	p.t.Helper()
	p.runWithin(2*time.Minute, what, chromedp.Evaluate(script, into, func(e *runtime.EvaluateParams) *runtime.EvaluateParams { return e.WithAwaitPromise(true) }))
}

// reply asks for a text by its name and returns how it is shown: the elements with
// their attributes, without those that every message has.
func (p *person) reply(name string) (shown string) {
	p.t.Helper()
	count := `document.querySelectorAll("#log .reply").length`
	var before int
	p.run("count the replies", chromedp.Evaluate(count, &before))
	p.says(name)
	p.until("a reply", func() bool {
		return chromedp.Run(p.ctx, chromedp.Evaluate(`(() => {
			const replies = document.querySelectorAll("#log .reply");
			const text = replies.length > `+fmt.Sprint(before)+` && [...replies].at(-1).querySelector(".markdown");
			if (!text || text.querySelector(".raw") || text.querySelector("pre[data-language=js]") && !text.querySelector("[class^=hljs]")) return "";
			if (text.querySelector('[data-formula]:not([data-shown=math], [data-shown=source])')) return "";
			const copy = text.cloneNode(true);
			for (const head of copy.querySelectorAll(".code-head")) head.remove();
			for (const formula of copy.querySelectorAll("[data-formula]")) {
				formula.textContent = formula.dataset.shown + ": " + (formula.querySelector("math annotation") ?? formula).textContent;
				for (const name of ["data-tex", "data-shown", "tabindex", "role", "aria-label"]) formula.removeAttribute(name);
			}
			for (const note of copy.querySelectorAll('[id^="note-"], [href^="#note-"]')) {
				for (const name of ["id", "href"]) if (note.hasAttribute(name)) note.setAttribute(name, note.getAttribute(name).replace(/note-\d+/, "note-N"));
			}
			for (const box of copy.querySelectorAll(".code-block, .table")) box.replaceWith(...box.childNodes);
			for (const a of copy.querySelectorAll('a[target="_blank"][rel="noopener noreferrer"]')) { a.removeAttribute("target"); a.removeAttribute("rel"); }
			for (const pre of copy.querySelectorAll("pre")) { pre.removeAttribute("dir"); pre.removeAttribute("tabindex"); }
			return copy.innerHTML.replaceAll(/>\n/g, ">").replaceAll(/\n(?=<[ou]l)/g, "").trim();
		})()`, &shown)) == nil && shown != ""
	})
	return shown
}

func formula(kind, tex string) string {
	return `<span data-formula="` + kind + `">math: ` + tex + `</span>`
}

var shownAs = []struct{ name, text, want string }{
	{"marks", "**Both** *kinds* of `code` and ~~not~~\nso", `<p><strong>Both</strong> <em>kinds</em> of <code>code</code> and <s>not</s><br>so</p>`},
	{"headings", "# One\n\n## Two\n\n###### Six", `<h3>One</h3><h4>Two</h4><h5>Six</h5>`},
	{"headings that begin below", "### A\n\n##### B\n\n### C\n\n## D\n\n# E", `<h3>A</h3><h4>B</h4><h3>C</h3><h3>D</h3><h3>E</h3>`},
	{"lists", "- a\n  1. b\n- [ ] c\n- [x] d", `<ul><li>a<ol><li>b</li></ol></li><li>☐ c</li><li>☑ d</li></ul>`},
	{"a list from five", "5. five\n6. six", `<ol start="5"><li>five</li><li>six</li></ol>`},
	{"a list with gaps", "1. a\n\n2. b\n\n3. c", `<ol><li><p>a</p></li><li><p>b</p></li><li><p>c</p></li></ol>`},
	{"a list in a list", "1. a\n   - x\n   - y\n2. b", `<ol><li>a<ul><li>x</li><li>y</li></ul></li><li>b</li></ol>`},
	{"a list beside text", "3. c\n\nthen\n\n4. d", `<ol start="3"><li>c</li></ol><p>then</p><ol start="4"><li>d</li></ol>`},
	{"a table", "| a | b |\n|---|--:|\n| 1 | 2 |", `<table><thead><tr><th>a</th><th align="right">b</th></tr></thead><tbody><tr><td>1</td><td align="right">2</td></tr></tbody></table>`},
	{"code", "```js\nlet a = \"<b>\";\n```", `<pre data-language="js"><code><span class="hljs-keyword">let</span> a = <span class="hljs-string">"&lt;b&gt;"</span>;</code></pre>`},
	{"code of an unknown kind", "```\" onclick=\"hit()\nx\n```", `<pre data-language="&quot;"><code>x</code></pre>`},
	{"a line that ends in a cell", "| a |\n|---|\n| 1<br>2<BR/>3 |", `<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1<br>2<br>3</td></tr></tbody></table>`},
	{"what is raised and lowered", "H<sub>2</sub>O x<SUP>*n*</sup> <sup>a</b> <sub id=log>b</sub> <sub><b>c</b></sub>",
		`<p>H<sub>2</sub>O x<sup><em>n</em></sup> &lt;sup&gt;a&lt;/b&gt; &lt;sub id=log&gt;b&lt;/sub&gt; <sub>&lt;b&gt;c&lt;/b&gt;</sub></p>`},
	{"formulas in a line", "So $E=mc^2$ and \\(a_1 * b_1\\), *not* $x$y", `<p>So ` + formula("inline", "E=mc^2") + ` and ` + formula("inline", "a_1 * b_1") + `, <em>not</em> $x$y</p>`},
	{"formulas of their own", "$$\na\n= b\n$$\n\nso:\n\\[\n\\frac{1}{2}\n\\]\n\n- $$x$$.\n\n> \\[ y \\]\n\nor $$z$$ here",
		`<p>` + formula("display", "a\n= b") + `</p><p>so:</p><p>` + formula("display", `\frac{1}{2}`) + `</p><ul><li><p>` + formula("display", "x") + `</p></li></ul>` +
			`<blockquote><p>` + formula("display", "y") + `</p></blockquote><p>or ` + formula("display", "z") + ` here</p>`},
	{"prices and variables", "$5 and $6, $5/$6, US$5 and 10$, $HOME/$USER, `$a$`, $20 per month or 5$, \\$x\\$, \\[sic\\]",
		`<p>$5 and $6, $5/$6, US$5 and 10$, $HOME/$USER, <code>$a$</code>, $20 per month or 5$, $x$, [sic]</p>`},
	{"formulas without an end", "$a and \\(b and $$c\n\n$$\nd\n\n\\[\ne", `<p>$a and (b and $$c</p><p>$$<br>d</p><p>[<br>e</p>`},
	{"formulas that are none", `$\frac{a$ $\unknown$ $\href{javascript:hit()}{a}$ $\def\a{b}\a$ $\fcolorbox{red}{blue}{a}$ $\pmb{a}$`,
		`<p><span data-formula="inline">source: \frac{a</span> <span data-formula="inline">source: \unknown</span> ` + formula("inline", `\href{javascript:hit()}{a}`) +
			` <span data-formula="inline">source: \def\a{b}\a</span> ` + formula("inline", `\fcolorbox{red}{blue}{a}`) + ` ` + formula("inline", `\pmb{a}`) + `</p>`},
	{"a formula in disguise", `[$\text{bank.example}$](https://evil.example)`, `<p><a href="https://evil.example">$\text{bank.example}$</a></p>`},
	{"footnotes", "One[^1] two[^b] one[^1] none[^c]\n\n[^1]: *Note*\n[^b]: b\n[^z]: unused",
		`<p>One<sup><a id="note-N-1-from-0" href="#note-N-1" aria-label="Footnote 1">1</a></sup> two<sup><a id="note-N-2-from-0" href="#note-N-2" aria-label="Footnote 2">2</a></sup> ` +
			`one<sup><a id="note-N-1-from-1" href="#note-N-1" aria-label="Footnote 1">1</a></sup> none[^c]</p>` +
			`<ol data-notes="" aria-label="Footnotes"><li id="note-N-1" tabindex="-1"><p><em>Note</em> <a href="#note-N-1-from-0" aria-label="Back to footnote 1 in the text">↩` + "\ufe0e" + `</a> ` +
			`<a href="#note-N-1-from-1" aria-label="Back to footnote 1 in the text">↩` + "\ufe0e" + `</a></p></li>` +
			`<li id="note-N-2" tabindex="-1"><p>b <a href="#note-N-2-from-0" aria-label="Back to footnote 2 in the text">↩` + "\ufe0e" + `</a></p></li><li id="note-N-3" tabindex="-1"><p>unused</p></li></ol>`},
	{"links", "[Go](https://go.dev/doc) https://go.dev. <https://go.dev/a>", `<p><a href="https://go.dev/doc">Go</a> <a href="https://go.dev">https://go.dev</a>. <a href="https://go.dev/a">https://go.dev/a</a></p>`},
	{"a reference", "[Go][1]\n\n[1]: https://go.dev/doc", `<p><a href="https://go.dev/doc">Go</a></p>`},
	{"a label with the same address", "[go.dev](https://go.dev/doc) [https://go.dev/ñ](https://go.dev/%C3%B1)", `<p><a href="https://go.dev/doc">go.dev</a> <a href="https://go.dev/%C3%B1">https://go.dev/ñ</a></p>`},

	{"a label with another address", "[https://bank.example](https://evil.example)", `<p>https://bank.example (<a href="https://evil.example">https://evil.example</a>)</p>`},
	{"a label in disguise", "[**bank**.example](https://evil.example) [ｂank.example](https://evil.example) [https:/\u200b/bank.example](https://evil.example)",
		`<p><strong>bank</strong>.example (<a href="https://evil.example">https://evil.example</a>) ｂank.example (<a href="https://evil.example">https://evil.example</a>) ` +
			"https:/\u200b/bank.example (" + `<a href="https://evil.example">https://evil.example</a>)</p>`},
	{"a label that shows nothing", "[\u200b](https://evil.example)", `<p><a href="https://evil.example">https://evil.example</a></p>`},
	{"an address like another", "https://xn--pple-43d.com", `<p><a href="https://xn--pple-43d.com">https://xn--pple-43d.com</a></p>`},
	{"a host behind a name", "[x](https://bank.example@evil.example/)", `<p>[x](<a href="https://bank.example">https://bank.example</a>@evil.example/)</p>`},
	{"an image", "![cat](https://evil.example/cat.png) [![bank.example](https://evil.example/a.png)](https://evil.example/)",
		`<p><a href="https://evil.example/cat.png">cat</a> bank.example (<a href="https://evil.example/">https://evil.example/</a>)</p>`},
	{"links that do something", "[a](javascript:hit()) [b](data:text/html,<script>hit()</script>) [c](JaVaScRiPt&colon;hit()) <javascript:hit()> [d](/people.html) [e](//evil.example) [f](vbscript:hit())",
		`<p>[a](javascript:hit()) [b](data:text/html,&lt;script&gt;hit()&lt;/script&gt;) [c](JaVaScRiPt:hit()) &lt;javascript:hit()&gt; [d](/people.html) [e](//evil.example) [f](vbscript:hit())</p>`},
	{"a script", "<script>hit()</script>\n\n<img src=x onerror=hit()>", `<p>&lt;script&gt;hit()&lt;/script&gt;</p><p>&lt;img src=x onerror=hit()&gt;</p>`},
	{"elements", "<svg onload=hit()><style>*{display:none}</style></svg><form id=form action=//evil.example><input name=q></form><a id=log name=text href=x>y</a>",
		`<p>&lt;svg onload=hit()&gt;&lt;style&gt;*{display:none}&lt;/style&gt;&lt;/svg&gt;&lt;form id=form action=//evil.example&gt;&lt;input name=q&gt;&lt;/form&gt;&lt;a id=log name=text href=x&gt;y&lt;/a&gt;</p>`},
	{"an address with marks", "[a](https://evil.example/\"onmouseover=\"hit()) https://evil.example/<img/src=x/onerror=hit()>",
		`<p><a href="https://evil.example/%22onmouseover=%22hit()">a</a> <a href="https://evil.example/">https://evil.example/</a>&lt;img/src=x/onerror=hit()&gt;</p>`},
}

// TestMarkdown proves that what agents write is shown as GitHub would, that
// nothing of it runs, loads anything or hides where it leads, and that the page
// keeps to its own policy while it shows that.
func TestMarkdown(t *testing.T) {
	texts := map[string]llmtest.Reply{}
	for _, c := range shownAs {
		texts[c.name] = llmtest.Text(c.text)
	}
	in := start(t, answering(texts))
	owner := atBrowser(t, "owner")
	elsewhere := make(chan string, 100)
	chromedp.ListenTarget(owner.ctx, func(event any) {
		if e, ok := event.(*network.EventRequestWillBeSent); ok && !strings.HasPrefix(e.Request.URL, in.url) {
			elsewhere <- e.Request.URL
		}
	})
	owner.run("listen", network.Enable(), chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(`window.bad = []; window.hit = () => bad.push("a script ran");
			document.addEventListener("securitypolicyviolation", e => bad.push(e.violatedDirective + " " + e.blockedURI + " " + e.sourceFile + ":" + e.lineNumber));`).Do(ctx)
		return err
	}))
	owner.open(in.link())
	owner.sees("#who", "Admin")
	for _, c := range shownAs {
		if got := owner.reply(c.name); got != c.want {
			t.Errorf("%s is shown as\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
	var bad []string
	owner.run("ask what went wrong", chromedp.Evaluate("bad", &bad))
	if len(bad) > 0 {
		t.Errorf("not as the page allows: %q", bad)
	}
	select {
	case url := <-elsewhere:
		t.Errorf("%s was asked for", url)
	default:
	}
	look := chromedp.Evaluate(`document.querySelector("pre[data-language=js]").scrollIntoView({block: "center"})`, nil)
	owner.run("look at code", look)
	owner.narrow()
	owner.run("look at it in the dark", look, emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}))
	owner.picture("dark")
}

//go:embed testdata/answer.md
var answer string

// scrolling describes the boxes of the answer whose content may be too wide, by their kind: what
// scrolls can be reached with the keyboard and has a shadow, and nothing else.
const scrolling = `[...document.querySelectorAll("#log :is(.table, pre, [data-formula=display], [data-formula=long])")].map(box =>
	[box.className || box.dataset.formula || "pre", box.scrollWidth > box.clientWidth + 1 ? "scrolls" : "fits",
		box.tabIndex === 0 && box.ariaLabel ? "stop" : "no stop", getComputedStyle(box, "::after").content === "none" ? "no shadow" : "shadow"].join(" "))`

// TestMarkdownLooks proves that an answer with all that Markdown has is readable: headings have
// sizes, what is too wide scrolls in its own box, can be reached with the keyboard and has a shadow
// where it is cut, code has the name of its language, and footnotes lead to and fro without
// another address of the page.
func TestMarkdownLooks(t *testing.T) {
	in := start(t, answering(map[string]llmtest.Reply{"answer": llmtest.Text(answer)}))
	owner := atBrowser(t, "owner")
	owner.open(in.link())
	owner.sees("#who", "Admin")
	owner.says("answer")
	owner.until("all of it", func() bool {
		return owner.holds(`document.querySelectorAll("#log math").length === 7 && !!document.querySelector("#log .hljs-keyword")`)
	})
	owner.run("put the pointer into the text", chromedp.Evaluate(`document.querySelector("#text").blur()`, nil))

	var looks []string
	owner.run("look", chromedp.Evaluate(`[["h3", "fontSize"], ["h4", "fontSize"], ["h5", "fontSize"], ["h3", "fontWeight"], ["p", "fontSize"], ["p", "lineHeight"],
		["td", "borderBottomWidth"], ["td", "borderLeftWidth"], ["td", "fontVariantNumeric"], ["td", "textAlign"], ["td[align]", "textAlign"], ["th[align]", "textAlign"], ["th", "backgroundColor"],
		[".copy", "borderTopWidth"]].map(([at, what]) => at + " " + getComputedStyle(document.querySelector("#log .markdown " + at))[what])`, &looks))
	if want := []string{"h3 18px", "h4 16px", "h5 14px", "h3 600", "p 16px", "p 26px", "td 1px", "td 0px", "td tabular-nums", "td start", "td[align] -webkit-right", "th[align] -webkit-right",
		"th rgba(0, 0, 0, 0)", ".copy 0px"}; !slices.Equal(looks, want) {
		t.Errorf("it looks like %q, want %q", looks, want)
	}
	if !owner.holds(`document.querySelector("#log .code-head").innerText.trim() === "Python"`) {
		t.Error("a block of code does not name its language")
	}
	fits, cut := " fits no stop no shadow", " scrolls stop shadow"
	for _, at := range []struct {
		width int64
		want  []string
	}{
		{1280, []string{"table" + fits, "display" + fits, "display" + fits, "display" + fits, "display" + cut, "table" + cut, "pre" + fits, "pre" + cut}},
		{390, []string{"table" + cut, "display" + fits, "display" + fits, "display" + fits, "display" + cut, "table" + cut, "pre" + cut, "pre" + cut}},
	} {
		owner.run("change the size", chromedp.EmulateViewport(at.width, 800))
		var boxes []string
		owner.until(fmt.Sprintf("what scrolls at %d: %q", at.width, at.want), func() bool {
			owner.run("look for what scrolls", chromedp.Evaluate(scrolling, &boxes))
			return slices.Equal(boxes, at.want)
		})
		for part := range 5 { // one does not see all of it at once
			owner.run("scroll", chromedp.Evaluate(fmt.Sprintf(`document.querySelector("main").scrollTop = %d`, part*620), nil))
			owner.picture(fmt.Sprintf("%d part %d", at.width, part))
		}
	}
	shadows := func() (both []string) {
		owner.settles()
		owner.run("look at the shadows", chromedp.Evaluate(`["::before", "::after"].map(edge => getComputedStyle([...document.querySelectorAll("#log .table")].at(-1), edge).opacity)`, &both))
		return both
	}
	owner.run("to the table", chromedp.Evaluate(`[...document.querySelectorAll("#log .table")].at(-1).scrollIntoView()`, nil))
	if got := shadows(); !slices.Equal(got, []string{"0", "1"}) {
		t.Errorf("at its beginning, the shadows of a table are %q", got)
	}
	owner.run("scroll to its end", chromedp.Evaluate(`[...document.querySelectorAll("#log .table")].at(-1).scrollLeft = 1000`, nil))
	if got := shadows(); !slices.Equal(got, []string{"1", "0"}) {
		t.Errorf("at its end, the shadows of a table are %q", got)
	}

	address := owner.at()
	for _, step := range []struct{ click, to string }{{`#log p a[href^="#note-"]`, "Night trains to Oslo, read on 27 November. ↩\ufe0e"}, {`#log [data-notes] a[href^="#note-"]`, "1"}} {
		owner.clicks(step.click)
		if !owner.holds(`document.activeElement.textContent.trim() === ` + quoted(step.to)) {
			t.Errorf("%s leads to %q, want %q", step.click, owner.text(":focus"), step.to)
		}
	}
	if now := owner.at(); now != address {
		t.Errorf("footnotes lead from %s to %s", address, now)
	}
	owner.accessible("an answer")
	owner.narrow()
}

// TestMarkdownWhileWritten proves that what is finished in a text is shown while the rest of it is
// written, and stays the same node; and that what is not finished yet is shown as text.
func TestMarkdownWhileWritten(t *testing.T) {
	in := start(t)
	owner := atBrowser(t, "owner")
	owner.open(in.link())
	owner.sees("#who", "Admin")
	var got []string
	owner.evaluates("write", `(async () => {
		const {LiveMarkdown, prepareMarkdown} = await import("/markdown.js");
		await prepareMarkdown();
		const live = new LiveMarkdown(), log = document.getElementById("log"), out = [];
		log.replaceChildren(live.element);
		const shown = () => {
			const copy = live.element.cloneNode(true);
			for (const one of copy.querySelectorAll("[data-formula]")) {
				const math = one.querySelector("math annotation");
				if (math) one.replaceWith("{" + math.textContent + "}");
				else one.replaceWith(...one.childNodes);
			}
			copy.querySelector(".raw")?.remove();
			for (const a of copy.querySelectorAll("sup a, [data-notes] a")) a.replaceWith(...a.childNodes);
			for (const li of copy.querySelectorAll("li, ol")) for (const name of li.getAttributeNames()) li.removeAttribute(name);
			return copy.innerHTML.replaceAll(/>\n/g, ">").trim();
		};
		const write = async text => {
			live.add(text);
			await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())));
			while (live.element.querySelector("[data-formula]:not([data-formula=open], [data-shown=math])")) await new Promise(done => requestAnimationFrame(() => done()));
			out.push(shown());
		};
		await write("## A\n\nSo $a^2$ and $b");
		const first = log.querySelector("math");
		await write("^2$ and \\(c");
		await write("\\).\n\n### B\n\n$$\nd\n- e\n= f\n");
		await write("$$\n\n## C[^1]\n\n");
		await write("[^1]: g\n\nh");
		await write(" i\n\nj");
		if (log.querySelector("math") !== first) out.push("the first formula was put there anew");
		live.finish();
		out.push(shown());
		return out;
	})()`, &got)
	a, rest := `<h3>A</h3><p>So {a^2} and `, `{b^2} and {c}.</p><h4>B</h4><p>{d`+"\n- e\n= f}</p>"
	note := `<ol><li><p>g`
	want := []string{a + `$b</p>`, a + `{b^2} and (c</p>`, a + `{b^2} and {c}.</p><h4>B</h4><p>$$` + "\nd\n- e\n= f</p>", a + rest + `<h3>C[^1]</h3>`,
		a + rest + `<h3>C<sup>1</sup></h3><p>h</p>` + note + " ↩\ufe0e</p></li></ol>", a + rest + `<h3>C<sup>1</sup></h3><p>h i</p><p>j</p>` + note + " ↩\ufe0e</p></li></ol>"}
	want = append(want, want[len(want)-1])
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Errorf("step %d shows\n%s\nwant\n%s", i, strings.Join(got[min(i, len(got)):], "\n"), strings.Join(want[min(i, len(want)):], "\n"))
			break
		}
	}
}

// TestMarkdownOnPages proves that the page is painted before the renderer is asked
// for, that the highlighter comes with the first code and KaTeX with the first formula,
// that a message has the direction of its script, that code can be copied, and that a very long message
// is shown in the chat and in the session.
func TestMarkdownOnPages(t *testing.T) {
	lines := strings.Repeat("a line\n", 40000) + "the last line"
	in := start(t, answering(map[string]llmtest.Reply{
		"formula": llmtest.Text("$a^2$"), "code": llmtest.Text("```go\nfunc main() {}\n```"), "hebrew": llmtest.Text("**שלום** world"),
		"long": {Text: lines, Deltas: []string{lines[:140000], lines[140000:]}},
	}))
	owner := atBrowser(t, "owner")
	owner.open(in.link())
	owner.sees("#who", "Admin")

	const renderer, highlighter, katex = "/markdown/renderer.js", "/highlight.min-", "/katex-"
	loaded := func(name string) bool {
		var at float64
		owner.run("ask what was loaded", chromedp.Evaluate(`performance.getEntriesByType("resource").find(e => e.name.includes(`+quoted(name)+`))?.startTime ?? -1`, &at))
		return at >= 0
	}
	owner.until("the renderer", func() bool { return loaded(renderer) })
	var late bool
	owner.run("compare", chromedp.Evaluate(`performance.getEntriesByName("first-paint")[0].startTime <= performance.getEntriesByType("resource").find(e => e.name.includes(`+quoted(renderer)+`)).startTime`, &late))
	if !late {
		t.Error("the page is painted after the renderer was asked for")
	}
	if loaded(highlighter) {
		t.Error("the highlighter is asked for without any code")
	}
	owner.says("code")
	owner.sees("#log .hljs-keyword", "func")
	owner.run("copy", chromedp.Evaluate(`navigator.clipboard.writeText = async text => { window.copied = text; }; document.querySelector("#log .copy").click()`, nil))
	owner.sees("#log .copy", "Copied")
	var copied string
	owner.run("look at what was copied", chromedp.Evaluate("copied", &copied))
	if copied != "func main() {}" {
		t.Errorf("copied is %q", copied)
	}

	if loaded(katex) {
		t.Error("KaTeX is asked for without any formula")
	}
	owner.says("formula")
	owner.until("a formula", func() bool { return owner.count("#log math") == 1 })
	if !loaded(katex) {
		t.Error("the chunk of KaTeX has another name than this test looks for")
	}

	owner.says("hebrew")
	owner.sees("#log", "שלום")
	var directions []string
	owner.run("look at directions", chromedp.Evaluate(`[...document.querySelectorAll("#log .message")].slice(-2).map(m => getComputedStyle(m.querySelector(".markdown") ?? m).direction)`, &directions))
	if want := []string{"ltr", "rtl"}; !slices.Equal(directions, want) {
		t.Errorf("directions are %q, want %q", directions, want)
	}

	owner.says("long")
	whole := func(at string) func() bool {
		return func() bool { // it is too long to be read out as a whole time and again
			var end string
			err := chromedp.Run(owner.ctx, chromedp.Evaluate(`[...document.querySelectorAll(`+quoted(at)+`)].at(-1)?.textContent.slice(-20) ?? ""`, &end))
			return err == nil && strings.HasSuffix(strings.TrimSpace(end), "the last line")
		}
	}
	owner.until("the end of a long reply", whole("#log .reply .piece p"))
	owner.open(in.url + "/sessions")
	owner.clicks("#sessions a")
	owner.until("the end of a long reply in the session", whole("#shown .reply .piece p"))
}

// TestFormulaStaysInItsMessage proves that a formula that is raised far out of its line covers
// nothing outside its message, so that it cannot imitate a part of the page.
func TestFormulaStaysInItsMessage(t *testing.T) {
	_, owner := atChat(t, answering(map[string]llmtest.Reply{"raise it": llmtest.Text(`Look: $\raisebox{20em}{Approve all of this at once}$ and $\raisebox{-20em}{Approve all of this at once}$`)}))
	owner.says("raise it")
	owner.until("the formulas", func() bool { return owner.count("#log .reply [data-shown=math]") == 2 })
	var covered []string
	owner.evaluates("look for what is covered", `[...document.querySelectorAll("#chat-name, #text, #find, #log .mine .bubble, #log .reply .speaker, #new-chat")].filter(at => {
		const {left, top, width, height} = at.getBoundingClientRect();
		return document.elementFromPoint(left + width / 2, top + height / 2)?.closest(".markdown");
	}).map(at => at.outerHTML.slice(0, 60))`, &covered)
	if len(covered) > 0 {
		t.Errorf("formulas cover %q", covered)
	}
	if !owner.holds(`(() => {
		const text = document.querySelector("#log .reply .markdown").getBoundingClientRect();
		return [...document.querySelectorAll("#log .reply [data-shown=math] *")].some(part => part.getBoundingClientRect().top < text.top - 50);
	})()`) {
		t.Error("the formula is not raised: this test proves nothing")
	}
}
