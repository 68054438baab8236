package browser

import (
	"context"
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
			const copy = text.cloneNode(true);
			for (const button of copy.querySelectorAll(".copy")) button.remove();
			for (const box of copy.querySelectorAll(".code-block, .table")) box.replaceWith(...box.childNodes);
			for (const a of copy.querySelectorAll('a[target="_blank"][rel="noopener noreferrer"]')) { a.removeAttribute("target"); a.removeAttribute("rel"); }
			for (const pre of copy.querySelectorAll("pre")) { pre.removeAttribute("dir"); pre.removeAttribute("tabindex"); }
			return copy.innerHTML.replaceAll(/>\n/g, ">").replaceAll(/\n(?=<[ou]l)/g, "").trim();
		})()`, &shown)) == nil && shown != ""
	})
	return shown
}

var shownAs = []struct{ name, text, want string }{
	{"marks", "**Both** *kinds* of `code` and ~~not~~\nso", `<p><strong>Both</strong> <em>kinds</em> of <code>code</code> and <s>not</s><br>so</p>`},
	{"headings", "# One\n\n## Two\n\n###### Six", `<h3>One</h3><h4>Two</h4><h6>Six</h6>`},
	{"lists", "- a\n  1. b\n- [ ] c\n- [x] d", `<ul><li>a<ol><li>b</li></ol></li><li>☐ c</li><li>☑ d</li></ul>`},
	{"a list from five", "5. five\n6. six", `<ol start="5"><li>five</li><li>six</li></ol>`},
	{"a list with gaps", "1. a\n\n2. b\n\n3. c", `<ol><li><p>a</p></li><li><p>b</p></li><li><p>c</p></li></ol>`},
	{"a list in a list", "1. a\n   - x\n   - y\n2. b", `<ol><li>a<ul><li>x</li><li>y</li></ul></li><li>b</li></ol>`},
	{"a list beside text", "3. c\n\nthen\n\n4. d", `<ol start="3"><li>c</li></ol><p>then</p><ol start="4"><li>d</li></ol>`},
	{"a table", "| a | b |\n|---|--:|\n| 1 | 2 |", `<table><thead><tr><th>a</th><th align="right">b</th></tr></thead><tbody><tr><td>1</td><td align="right">2</td></tr></tbody></table>`},
	{"code", "```js\nlet a = \"<b>\";\n```", `<pre data-language="js"><code><span class="hljs-keyword">let</span> a = <span class="hljs-string">"&lt;b&gt;"</span>;</code></pre>`},
	{"code of an unknown kind", "```\" onclick=\"hit()\nx\n```", `<pre data-language="&quot;"><code>x</code></pre>`},
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

var long = map[string]string{
	"brackets":   strings.Repeat("[", 64000),
	"images":     strings.Repeat("![", 32000),
	"links":      strings.Repeat("[a](", 16000),
	"lines":      strings.Repeat("a\n", 40000),
	"emphasis":   strings.Repeat("*a **b ", 9000),
	"backticks":  strings.Repeat("`a``b", 12000),
	"quotes":     strings.Repeat(">", 20000) + " end",
	"entries":    strings.Repeat("- > ", 10000) + "end",
	"nested":     nested(500),
	"addresses":  strings.Repeat("http://", 9000),
	"a table":    "| a | b | c |\n|---|---|---|\n" + strings.Repeat("| one | two | three |\n", 9200),
	"a list":     strings.Repeat("1. one\n", 20000),
	"code":       "```js\n" + strings.Repeat("let a = [1, 2, 3];\n", 10000) + "```",
	"open code":  "```js\n" + strings.Repeat("let a = [1, 2, 3];\n", 10000),
	"paragraphs": strings.Repeat("Some **words** of `some` kind.\n\n", 6000),
}

var manyBlocks = map[string]bool{"lines": true, "a table": true, "a list": true, "paragraphs": true}

func nested(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(strings.Repeat(" ", 2*i) + "- x\n")
	}
	return b.String()
}

// A show is what it took to show a text.
type show struct {
	Text   string // what is shown in the end
	Parsed int    // characters that the parser was given
	Parses int    // how often
	Frames int    // that the page painted meanwhile
	Worst  int    // ms that the page did nothing else, at the longest
	Pieces int    // in which it is shown
}

func (p *person) measure(text, script string) (s show) {
	p.t.Helper()
	p.evaluates("measure", `(async text => {
		const {markdown, LiveMarkdown} = await import("/markdown.js");
		const {md} = await import("/markdown/renderer.js");
		const painted = () => new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)));
		const proto = Object.getPrototypeOf(md);
		window.parse ??= proto.parse;
		const out = {Parsed: 0, Parses: 0, Frames: 0, Worst: 0};
		proto.parse = function (source, env) { out.Parsed += source.length; out.Parses++; return parse.call(this, source, env); };
		let running = true;
		const frame = () => { out.Frames++; if (running) requestAnimationFrame(frame); };
		requestAnimationFrame(frame);
		const tasks = new PerformanceObserver(list => { for (const e of list.getEntries()) out.Worst = Math.max(out.Worst, Math.round(e.duration)); });
		tasks.observe({type: "longtask"});
		const log = document.getElementById("log");
		log.replaceChildren();
		const show = element => { const m = document.createElement("div"); m.className = "message reply"; m.append(element); log.append(m); return element; };
		const element = await (`+script+`)(show, painted, markdown, LiveMarkdown);
		running = false;
		await painted();
		tasks.disconnect();
		proto.parse = parse;
		out.Text = element.textContent;
		out.Pieces = element.querySelectorAll(".piece").length;
		return out;
	})(`+quoted(text)+`)`, &s)
	return s
}

// TestLongMarkdown proves that texts which are long, deep or made to be slow are
// shown whole, and do not stop the page. How long they may take is generous: it is
// to find what grows with the square of the length, which takes minutes.
func TestLongMarkdown(t *testing.T) {
	in := start(t)
	owner := atBrowser(t, "owner")
	owner.open(in.link())
	owner.sees("#who", "Admin")
	for name, text := range long {
		whole := owner.measure(text, `async (show, painted, markdown) => {
			const element = show(markdown(text));
			for (let i = 0; i < 2000 && (element.querySelector(".raw") || element.dataset.size != element.childElementCount); i++) {
				element.dataset.size = element.childElementCount;
				for (let n = 0; n < 5; n++) await painted();
			}
			return element;
		}`)
		if whole.Parses != 1 || whole.Worst > 5000 {
			t.Errorf("%s: parsed %d times, and nothing else for %d ms", name, whole.Parses, whole.Worst)
		}
		if manyBlocks[name] && whole.Pieces < 20 {
			t.Errorf("%s: shown in %d pieces: a browser lays all of it out at once", name, whole.Pieces)
		}
		written, shown := letters(text), letters(whole.Text)
		if shown < written*9/10 {
			t.Errorf("%s: %d letters and brackets of %d are shown", name, shown, written)
		}

		// In two hundred pieces, four to a frame: that is how an answer arrives.
		streamed := owner.measure(text, `async (show, painted, markdown, LiveMarkdown) => {
			const live = new LiveMarkdown();
			show(live.element);
			const size = Math.ceil(text.length / 200);
			for (let i = 0; i < 200; i++) {
				live.add(text.slice(i * size, (i + 1) * size));
				if (i % 4 === 3) await painted();
			}
			await painted();
			return live.element;
		}`)
		if most := 8*len(text) + 200*4096; streamed.Parsed > most || streamed.Parses > streamed.Frames {
			t.Errorf("%s: %d characters parsed for %d, %d times in %d frames", name, streamed.Parsed, len(text), streamed.Parses, streamed.Frames)
		}
		if streamed.Worst > 5000 {
			t.Errorf("%s: while it was written, nothing else happened for %d ms", name, streamed.Worst)
		}
		if shown := letters(streamed.Text); shown < written*9/10 {
			t.Errorf("%s: while it was written, %d letters and brackets of %d are shown", name, shown, written)
		}
		t.Logf("%-10s %6d characters: whole %5d ms in %3d frames; streamed %5d ms in %3d frames, parsed %d in %d", name, len(text),
			whole.Worst, whole.Frames, streamed.Worst, streamed.Frames, streamed.Parsed, streamed.Parses)
	}
}

// TestMarkdownOnPages proves that the page is painted before the renderer is asked
// for, that the highlighter comes with the first code, that a message has the
// direction of its script, that code can be copied, and that a very long message
// is shown in the chat and in the session.
func TestMarkdownOnPages(t *testing.T) {
	lines := strings.Repeat("a line\n", 40000) + "the last line"
	in := start(t, answering(map[string]llmtest.Reply{
		"code": llmtest.Text("```go\nfunc main() {}\n```"), "hebrew": llmtest.Text("**שלום** world"),
		"long": {Text: lines, Deltas: []string{lines[:140000], lines[140000:]}},
	}))
	owner := atBrowser(t, "owner")
	owner.open(in.link())
	owner.sees("#who", "Admin")

	const renderer, highlighter = "/markdown/renderer.js", "/highlight.min-"
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

func letters(s string) (n int) {
	for _, r := range s {
		if r >= 'a' && r <= 'z' || r == '[' {
			n++
		}
	}
	return n
}
