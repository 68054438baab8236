package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// inBrowser measures in a browser without a window.
func (p *pages) inBrowser(ctx context.Context) error {
	if p.Browser == "" {
		_, err := fmt.Fprintln(p.Out, "pages in a browser: not measured, it takes --browser with the path of a Chromium")
		return err
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(p.Browser), chromedp.WindowSize(1280, 800), chromedp.WSURLReadTimeout(time.Minute))
	if os.Getuid() == 0 {
		opts = append(opts, chromedp.NoSandbox) // it refuses to run as root otherwise
	}
	ctx, cancel := chromedp.NewExecAllocator(ctx, opts...)
	defer cancel()
	// What it does not know of a newer browser's events it would print.
	ctx, cancel = chromedp.NewContext(ctx, chromedp.WithErrorf(func(string, ...any) {}))
	defer cancel()
	if err := chromedp.Run(ctx); err != nil {
		return fmt.Errorf("start the browser: %w", err)
	}
	if err := p.opens(ctx); err != nil {
		return err
	}
	return p.streams(ctx)
}

// A tab is a page of somebody who was never here before.
type tab struct {
	ctx  context.Context
	mu   sync.Mutex
	urls []string // that were asked for
}

func (p *pages) visit(ctx context.Context, do func(*tab) error) (err error) {
	ctx, cancel := context.WithTimeout(ctx, quickly)
	defer cancel()
	browser := cdp.WithExecutor(ctx, chromedp.FromContext(ctx).Browser)
	apart, err := target.CreateBrowserContext().Do(browser)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.DisposeBrowserContext(apart).Do(browser)) }()
	id, err := target.CreateTarget("about:blank").WithBrowserContextID(apart).WithNewWindow(true).Do(browser)
	if err != nil {
		return err
	}
	ctx, cancel = chromedp.NewContext(ctx, chromedp.WithTargetID(id))
	defer cancel()
	t := &tab{ctx: ctx}
	chromedp.ListenTarget(ctx, func(ev any) {
		if e, ok := ev.(*network.EventRequestWillBeSent); ok {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.urls = append(t.urls, e.Request.URL)
		}
	})
	script := fmt.Sprintf(watching, quoted(lastWords))
	err = chromedp.Run(ctx, network.Enable(), network.SetCookie(p.cookie.Name, p.cookie.Value).WithURL(p.base).WithHTTPOnly(true),
		chromedp.ActionFunc(func(ctx context.Context) error {
			_, err := page.AddScriptToEvaluateOnNewDocument(script).Do(ctx)
			return err
		}))
	if err != nil {
		return err
	}
	return do(t)
}

// watching notes in a page when the last message of the long chat is there to be read, and
// when it is rendered.
const watching = `(() => {
	const words = %s;
	const look = () => {
		const last = document.querySelector("#log > :last-child");
		if (last?.textContent.includes(words)) {
			window.readable ??= performance.now();
			if (last.querySelector(".markdown strong")) window.rendered ??= performance.now();
		}
		if (!window.rendered) requestAnimationFrame(look);
	};
	requestAnimationFrame(look);
})()`

func (t *tab) run(actions ...chromedp.Action) error { return chromedp.Run(t.ctx, actions...) }

// evaluate runs a script in the page, and waits for what it promises.
func (t *tab) evaluate(script string, into any) error {
	return t.run(chromedp.Evaluate(script, into, func(e *runtime.EvaluateParams) *runtime.EvaluateParams { return e.WithAwaitPromise(true) }))
}

// until waits until an expression holds in the page.
func (t *tab) until(expression string) error {
	return t.evaluate(`new Promise(done => { const look = () => { if (`+expression+`) done(true); else requestAnimationFrame(look); }; look(); })`, nil)
}

func (t *tab) calls() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, url := range t.urls {
		if strings.Contains(url, "/api/") {
			n++
		}
	}
	return n
}

// A loaded page says when what was there, in milliseconds since it was asked for, and what it
// begins with weighs.
type loaded struct {
	Paint, Asked, Answered, Readable, Rendered float64
	Parts, Bytes, Wire                         int // what the page names, compressed, and with headers
}

const look = `(() => {
	const named = [...document.querySelectorAll("link[rel=stylesheet], link[rel=modulepreload], script[src]")].map(n => n.href || n.src);
	const parts = performance.getEntriesByType("resource").filter(e => named.includes(e.name)).concat(performance.getEntriesByType("navigation"));
	const opening = performance.getEntriesByType("resource").find(e => e.name.endsWith("/opening"));
	return {
		asked: opening?.requestStart ?? 0, answered: opening?.responseEnd ?? 0,
		paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0, readable: window.readable ?? 0, rendered: window.rendered ?? 0,
		parts: parts.length, bytes: parts.reduce((n, e) => n + e.encodedBodySize, 0), wire: parts.reduce((n, e) => n + e.transferSize, 0),
	};
})()`

const painted = `performance.getEntriesByName("first-contentful-paint").length > 0`

// opens measures the chat as it opens, beside a page that is nothing but a heading from a
// server in this process.
func (p *pages) opens(ctx context.Context) error {
	empty := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><html lang="en"><title>errand</title><h1>errand</h1></html>`)
	}))
	defer empty.Close()
	var floor, fresh, chat, again []loaded
	var calls []int
	rounds := min(p.Rounds, 20)
	for range rounds + 1 {
		err := p.visit(ctx, func(t *tab) error {
			one, err := t.open(empty.URL, painted)
			floor = append(floor, one)
			return err
		})
		if err != nil {
			return err
		}
		err = p.visit(ctx, func(t *tab) error {
			one, err := t.open(p.base+"/?chat=new", painted)
			fresh = append(fresh, one)
			return err
		})
		if err != nil {
			return err
		}
		err = p.visit(ctx, func(t *tab) error {
			one, err := t.open(p.base+"/?chat="+longChat, "window.rendered")
			if err != nil {
				return err
			}
			if err := t.quiet(); err != nil {
				return err
			}
			chat, calls = append(chat, one), append(calls, t.calls())
			one, err = t.open(p.base+"/?chat="+longChat, "window.rendered")
			again = append(again, one)
			return err
		})
		if err != nil {
			return err
		}
	}
	floor, fresh, chat, again = floor[1:], fresh[1:], chat[1:], again[1:] // the first of each warms up
	fmt.Fprintf(p.Out, "\n%-58s %10s %10s %10s   (%d rounds)\n", "in a browser", "p50", "p95", "longest", rounds)
	paint := func(l loaded) float64 { return l.Paint }
	readable := func(l loaded) float64 { return l.Readable }
	for _, l := range []struct {
		name string
		of   []loaded
		at   func(loaded) float64
	}{
		{"first contentful paint of a page that is a heading alone", floor, paint},
		{"first contentful paint of the chat, nothing kept", fresh, paint},
		{fmt.Sprintf("a chat of %d messages can be read, nothing kept", longMessages), chat, readable},
		{"  it asks for them", chat, func(l loaded) float64 { return l.Asked }},
		{"  it has them", chat, func(l loaded) float64 { return l.Answered }},
		{"  its Markdown is rendered", chat, func(l loaded) float64 { return l.Rendered }},
		{"opened again: first contentful paint", again, paint},
		{"  it can be read", again, readable},
	} {
		took := times(l.of, l.at)
		fmt.Fprintf(p.Out, "%-58s %10s %10s %10s\n", l.name, ms(quantile(took, 0.5)), ms(quantile(took, 0.95)), ms(quantile(took, 1)))
	}
	first, opened := quantile(times(fresh, paint), 0.5), quantile(times(chat, readable), 0.5)
	fmt.Fprintf(p.Out, "the shell: %d bytes compressed, %d with headers, %d requests; requests to the API until the long chat is there: %d\n", fresh[0].Bytes, fresh[0].Wire, fresh[0].Parts, slices.Max(calls))
	p.musts.hold(first <= 100*time.Millisecond, "the first contentful paint is after %s, and must within 100 ms", ms(first))
	p.musts.hold(fresh[0].Bytes <= 60_000, "the shell weighs %d bytes, and must 60,000 at most", fresh[0].Bytes)
	p.musts.hold(opened <= 300*time.Millisecond, "a chat of %d messages can be read after %s, and must within 300 ms", longMessages, ms(opened))
	p.musts.hold(slices.Max(calls) <= 5, "a chat of %d messages opens with %d requests, and must with 5", longMessages, slices.Max(calls))
	_, err := fmt.Fprintln(p.Out, "  must: paint ≤ 100 ms, 60,000 bytes, readable ≤ 300 ms, 5 requests")
	return err
}

func (t *tab) open(url, there string) (l loaded, err error) {
	if err := t.run(chromedp.Navigate(url)); err != nil {
		return l, err
	}
	if err := t.until(there); err != nil {
		return l, err
	}
	return l, t.evaluate(look, &l)
}

// quiet waits until nothing has been asked for in a while.
func (t *tab) quiet() error {
	return t.evaluate(`new Promise(done => setTimeout(done, 700))`, nil)
}

func times(list []loaded, at func(loaded) float64) (all []time.Duration) {
	for _, l := range list {
		all = append(all, time.Duration(at(l)*float64(time.Millisecond)))
	}
	return all
}

// streams measures the frames of a page while an answer of many words comes, with a message
// begun and something selected, beside a page on which nothing happens.
func (p *pages) streams(ctx context.Context) error {
	return p.visit(ctx, func(t *tab) error {
		if err := t.run(chromedp.Navigate(p.base+"/?chat=aloud"), chromedp.WaitVisible("#text", chromedp.ByQuery)); err != nil {
			return err
		}
		if err := send(ctx, p.app, "aloud", "hello"); err != nil {
			return err
		}
		if err := t.until(`document.querySelector("#log .reply .markdown p")`); err != nil {
			return err
		}
		if err := t.run(chromedp.SendKeys("#text", "I have begun", chromedp.ByQuery)); err != nil {
			return err
		}
		var idle []float64
		if err := t.evaluate(fmt.Sprintf(frames, "performance.now() - begun > 2000"), &idle); err != nil {
			return err
		}
		selecting := `getSelection().selectAllChildren(document.querySelector("#log .reply .markdown p")), document.querySelector("#text").focus()`
		if err := t.evaluate(selecting, nil); err != nil {
			return err
		}
		failed := make(chan error, 1)
		go func() { failed <- send(ctx, p.app, "aloud", aloud) }()
		if err := t.until(`document.querySelector("#log .live")`); err != nil {
			return err
		}
		var busy []float64
		if err := t.evaluate(fmt.Sprintf(frames, `!document.querySelector("#log .live")`), &busy); err != nil {
			return err
		}
		if err := <-failed; err != nil {
			return err
		}
		var kept struct {
			Selected, Typed string
			Focused         bool
		}
		if err := t.evaluate(`({selected: getSelection().toString(), typed: document.querySelector("#text").value, focused: document.activeElement.id === "text"})`, &kept); err != nil {
			return err
		}
		return p.drew(idle, busy, kept.Selected == "ok" && kept.Focused && kept.Typed == "I have begun")
	})
}

// frames collects the time between two frames until a condition holds.
const frames = `new Promise(done => {
	let last = 0;
	const list = [], begun = performance.now();
	const frame = now => {
		if (last) list.push(now - last);
		last = now;
		if (%s) done(list); else requestAnimationFrame(frame);
	};
	requestAnimationFrame(frame);
})`

func (p *pages) drew(idle, busy []float64, kept bool) error {
	fmt.Fprintf(p.Out, "\n%-58s %10s %10s %10s\n", "frames", "a second", "longest", "> 34 ms")
	for _, l := range []struct {
		name string
		of   []float64
	}{{"of a page on which nothing happens", idle}, {fmt.Sprintf("while %d words come, %d a second", aloudWords, aloudPace), busy}} {
		fmt.Fprintf(p.Out, "%-58s %10.1f %10s %10d\n", l.name, perSecond(l.of), fmt.Sprintf("%.1f ms", slices.Max(l.of)), missed(l.of))
	}
	fmt.Fprintf(p.Out, "the selection, the focus and what was typed are kept: %v\n", kept)
	p.musts.hold(perSecond(busy) >= 58, "while an answer comes the page draws %.1f frames a second, and must 60", perSecond(busy))
	p.musts.hold(kept, "what was selected, or the focus, is lost while an answer comes")
	_, err := fmt.Fprintln(p.Out, "  must: 60 a second, all kept")
	return err
}

func perSecond(frames []float64) float64 {
	sum := 0.0
	for _, f := range frames {
		sum += f
	}
	return float64(len(frames)) * 1000 / sum
}

func missed(frames []float64) (n int) {
	for _, f := range frames {
		if f > 34 {
			n++
		}
	}
	return n
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings always marshal
	}
	return string(b)
}
