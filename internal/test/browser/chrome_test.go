package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"errand/internal/core"
)

const elsewhere = "errand.test"

// A person is somebody at a browser of their own, without a window.
type person struct {
	t    *testing.T
	name string
	ctx  context.Context
}

func atBrowser(t *testing.T, name string) *person {
	t.Helper()
	opts := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(os.Getenv("ERRAND_TEST_BROWSER")), chromedp.WindowSize(1280, 800), chromedp.WSURLReadTimeout(time.Minute),
		chromedp.DisableGPU, // without hardware its process costs time and may hang under load
		chromedp.Flag("host-resolver-rules", "MAP "+elsewhere+" 127.0.0.1"))
	if os.Getuid() == 0 {
		opts = append(opts, chromedp.NoSandbox) // it refuses to run as root otherwise
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, opts...)
	t.Cleanup(cancel)
	// What it does not know of a newer browser's events it would print.
	ctx, cancel = chromedp.NewContext(ctx, chromedp.WithErrorf(func(string, ...any) {}))
	t.Cleanup(cancel)
	p := &person{t, name, ctx}
	p.must("start the browser", chromedp.Run(ctx))
	return p
}

func (p *person) must(what string, err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatalf("%s: %s: %v", p.name, what, err)
	}
}

func (p *person) run(what string, actions ...chromedp.Action) {
	p.t.Helper()
	p.runWithin(30*time.Second, what, actions...)
}

func (p *person) runWithin(limit time.Duration, what string, actions ...chromedp.Action) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	for i, action := range actions {
		actions[i] = again(action)
	}
	if err := chromedp.Run(ctx, actions...); err != nil {
		p.picture("failed")
		p.t.Fatalf("%s: %s: %v; the page reads:\n%s", p.name, what, err, core.Cut(p.text("body"), 5000))
	}
}

// again repeats an action on an element that the page has drawn anew since it was found.
func again(action chromedp.Action) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		for {
			if err := action.Do(ctx); err == nil || !strings.Contains(err.Error(), "Could not find node") {
				return err
			}
		}
	})
}

func (p *person) open(url string) { p.t.Helper(); p.run("open "+url, chromedp.Navigate(url)) }

func (p *person) types(at, text string) {
	p.t.Helper()
	p.run("type into "+at, chromedp.SendKeys(at, text, chromedp.ByQuery))
}

func (p *person) clicks(at string) {
	p.t.Helper()
	// A click goes to a place on the screen. What comes in meanwhile can move the button away
	// from it.
	rests := fmt.Sprintf(`(() => {
		const box = document.querySelector(%s)?.getBoundingClientRect(), now = JSON.stringify(box), before = window.lastBox;
		window.lastBox = now;
		return Boolean(box) && now === before;
	})()`, quoted(at))
	p.run("see "+at, chromedp.WaitVisible(at, chromedp.ByQuery), chromedp.ScrollIntoView(at, chromedp.ByQuery))
	p.until(at+" to rest", func() (rest bool) {
		return chromedp.Run(p.ctx, chromedp.Evaluate(rests, &rest)) == nil && rest
	})
	p.run("click "+at, chromedp.Click(at, chromedp.ByQuery, chromedp.NodeVisible))
}

// letsIn has somebody ask to be let in, and approves it. It returns the new member, at a browser.
func (p *person) letsIn(in *installation, name string) *person {
	p.t.Helper()
	member := atBrowser(p.t, strings.ToLower(name))
	member.open(in.url + "/login.html")
	member.types("#ask-name", name)
	member.clicks("#ask button")
	code := strings.ToLower(member.reads("#code"))
	p.open(in.url + "/people")
	p.types("#code", code)
	p.picks("#as select", "member")
	p.clicks("#approve button")
	member.sees("#who", "Member")
	return member
}

// settings opens the settings in the menu.
func (p *person) settings() {
	p.t.Helper()
	p.clicks("#who")
	p.clicks("#settings")
}

// picks chooses an entry of a list.
func (p *person) picks(at, value string) {
	p.t.Helper()
	script := fmt.Sprintf(`(() => { const s = document.querySelector(%s); s.value = %s; s.dispatchEvent(new Event("change", {bubbles: true})); })()`,
		quoted(at), quoted(value))
	p.run("choose "+value, chromedp.WaitVisible(at, chromedp.ByQuery), chromedp.Evaluate(script, nil))
}

func (p *person) says(text string) {
	p.t.Helper()
	// The text comes at once, as from a clipboard: a key for each letter of a long text takes
	// longer than the page may.
	p.run("write", chromedp.WaitVisible("#text", chromedp.ByQuery), chromedp.Focus("#text", chromedp.ByQuery), input.InsertText(text))
	p.presses(kb.Enter)
}

// text is what a part of the page reads; empty where there is none.
func (p *person) text(at string) string {
	var text string
	script := fmt.Sprintf(`[...document.querySelectorAll(%s)].map(n => n.innerText).join("\n")`, quoted(at))
	if err := chromedp.Run(p.ctx, chromedp.Evaluate(script, &text)); err != nil {
		return ""
	}
	return text
}

// at is the address of the page; empty while there is none.
func (p *person) at() (address string) {
	if err := chromedp.Run(p.ctx, chromedp.Location(&address)); err != nil {
		return ""
	}
	return address
}

func (p *person) has(at, text string) bool { return strings.Contains(p.text(at), text) }

func (p *person) sees(at, text string) {
	p.t.Helper()
	p.until(fmt.Sprintf("%q in %s", text, at), func() bool { return p.has(at, text) })
}

func (p *person) doesNotSee(at, text string) {
	p.t.Helper()
	if p.has(at, text) {
		p.t.Errorf("%s sees %q: %s", p.name, text, p.text(at))
	}
}

// reads waits until something is there to read.
func (p *person) reads(at string) (text string) {
	p.t.Helper()
	p.until("something in "+at, func() bool { text = strings.TrimSpace(p.text(at)); return text != "" })
	return text
}

// until looks until done, or fails.
func (p *person) until(what string, done func() bool) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, 30*time.Second)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			p.picture("failed")
			p.t.Fatalf("%s waits for %s in vain; the page reads:\n%s", p.name, what, core.Cut(p.text("body"), 5000))
		}
	}
}

func (p *person) me() (me struct{ ID, Role string }) {
	p.t.Helper()
	p.run("ask who I am", chromedp.Evaluate(`fetch("/api/me").then(answer => answer.json())`, &me,
		func(e *runtime.EvaluateParams) *runtime.EvaluateParams { return e.WithAwaitPromise(true) }))
	return me
}

// narrow proves that a page needs no scrolling sideways on a phone.
func (p *person) narrow() {
	p.t.Helper()
	p.picture("desktop")
	var over int
	p.run("look at it on a phone", chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile),
		chromedp.Evaluate(`document.documentElement.scrollWidth - document.documentElement.clientWidth`, &over))
	if over > 0 {
		p.t.Errorf("%s: the page is %d pixels wider than a phone", p.name, over)
	}
	p.picture("phone")
	p.run("back to the desk", chromedp.EmulateViewport(1280, 800))
	p.settles()
}

// settles waits until the layout is done: a click before that hits something else. On a
// loaded machine the browser may paint nothing for a long time; then a second must do.
func (p *person) settles() {
	p.t.Helper()
	p.evaluates("wait for the layout", `new Promise(done => {
		requestAnimationFrame(() => requestAnimationFrame(() => done(true)));
		setTimeout(() => done(true), 1000);
	})`, nil)
}

// picture keeps what the page looks like in the folder ERRAND_TEST_PICTURES.
func (p *person) picture(name string) {
	dir := os.Getenv("ERRAND_TEST_PICTURES")
	if dir == "" {
		return
	}
	var png []byte
	if err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot(&png)); err != nil {
		p.t.Logf("no picture: %v", err)
		return
	}
	if err := os.WriteFile(filepath.Join(dir, p.name+"-"+strings.ReplaceAll(name, "/", "-")+".png"), png, 0o644); err != nil {
		p.t.Log(err)
	}
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings always marshal
	}
	return string(b)
}

// clear empties a field.
func clear(at string) chromedp.Action {
	return chromedp.Evaluate(`document.querySelector(`+quoted(at)+`).value = ""`, nil)
}

// scripts switches the scripts of pages on or off.
func scripts(on bool) chromedp.Action { return emulation.SetScriptExecutionDisabled(!on) }
