package browser

import (
	"fmt"
	"strings"
	"testing"
)

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

// What is made to be slow with formulas, footnotes and raised text.
var slow = map[string]string{
	"formulas":        strings.Repeat("$a_b$ ", 10000),
	"formula lines":   strings.Repeat("$$\na_b\n$$\n", 4000),
	"open formulas":   strings.Repeat("\\(a $b $$c ", 6000),
	"open lines":      strings.Repeat("\\[\n", 15000) + strings.Repeat("$$ a\n\n", 9000),
	"a long formula":  "$$" + strings.Repeat("a", 60000) + "$$",
	"deep formulas":   strings.Repeat("$"+strings.Repeat(`\left(`, 200)+"a"+strings.Repeat(`\right)`, 200)+"$ ", 10) + strings.Repeat("$"+strings.Repeat("{", 2000)+"a"+strings.Repeat("}", 2000)+"$ ", 10),
	"nested formulas": strings.Repeat("$"+strings.Repeat(`\sqrt{\left(\frac{a}{`, 8)+"b"+strings.Repeat(`}\right)}`, 8)+"$ ", 100),
	"large formulas":  strings.Repeat(`$\begin{matrix}`+strings.Repeat("a&", 1500)+`\end{matrix}\rule{9999em}{9999em}\kern999em a$ `, 20),
	"notes":           strings.Repeat("some words[^1] ", 6000) + "\n\n[^1]: b",
	"many notes":      many("some words[^%d]\n\n[^%[1]d]: more words\n\n", 2500),
	"notes in notes":  "a[^1]\n\n" + many("[^%d]: b ", 6000),
	"unended notes":   "[^a]: b\n\n" + strings.Repeat("[^", 25000) + "\n\n" + strings.Repeat("[^a]: ", 6000),
	"raised":          strings.Repeat("some more words<sub>"+strings.Repeat("b", 60)+"</sub>", 1000) + strings.Repeat("<", 9000) + strings.Repeat("<sub>", 9000),
	"a wide table":    "|" + strings.Repeat(" a |", 3000) + "\n|" + strings.Repeat("---|", 3000) + "\n|" + strings.Repeat(" b |", 3000),
}

var manyBlocks = map[string]bool{"lines": true, "a table": true, "a list": true, "paragraphs": true}

func many(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i+1)
	}
	return b.String()
}

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

// TestLongMarkdown proves that texts which are long or deep are
// shown whole, and do not stop the page. How long they may take is generous: it is
// to find what grows with the square of the length, which takes minutes.
func TestLongMarkdown(t *testing.T) { showsAll(t, long) }

// TestSlowMarkdown proves the same of what is made to be slow to parse or to lay out.
func TestSlowMarkdown(t *testing.T) { showsAll(t, slow) }

func showsAll(t *testing.T, texts map[string]string) {
	t.Helper()
	in := startAlone(t)
	owner := atBrowser(t, "owner")
	owner.open(in.link())
	owner.sees("#who", "Admin")
	for name, text := range texts {
		whole := owner.measure(text, `async (show, painted, markdown) => {
			const element = show(markdown(text));
			for (let i = 0; i < 2000 && (element.querySelector(".raw, [data-formula]:not([data-shown=math], [data-shown=source])") || element.dataset.size != element.childElementCount); i++) {
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

func letters(s string) (n int) {
	for _, r := range s {
		if r >= 'a' && r <= 'z' || r == '[' {
			n++
		}
	}
	return n
}
