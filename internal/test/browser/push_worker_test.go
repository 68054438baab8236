package browser

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"errand/internal/app"
	"errand/internal/test/sim/push"
)

// inWorker runs a script in the page's service worker and waits for what it promises. No
// test can click on a notification: the script is the browser that tells of it.
func (p *person) inWorker(what, script string, into any) {
	p.t.Helper()
	p.evaluates("wait for the service worker", `navigator.serviceWorker.ready.then(r => { r.active.postMessage("wake up"); return true; })`, nil)
	p.until("the service worker", func() bool {
		targets, err := chromedp.Targets(p.ctx)
		p.must("list what the browser has open", err)
		for _, target := range targets {
			if target.Type != "service_worker" {
				continue
			}
			ctx, cancel := chromedp.NewContext(p.ctx, chromedp.WithTargetID(target.TargetID))
			defer cancel()
			err := chromedp.Run(ctx, chromedp.Evaluate(script, into, func(e *runtime.EvaluateParams) *runtime.EvaluateParams { return e.WithAwaitPromise(true) }))
			p.must(what, err)
			return true
		}
		return false
	})
}

// happens makes an event of the service worker and waits until it is dealt with. Windows are
// opened and brought to the front for a person's click only: what is asked for is noted.
const happens = `
self.done ??= {opened: [], focused: 0};
Clients.prototype.openWindow = async function (url) { self.done.opened.push(url); return null; };
WindowClient.prototype.focus = async function () { self.done.focused++; return this; };
const happens = async (name, has) => {
	const event = new ExtendableEvent(name);
	let over;
	for (const [key, value] of Object.entries({...has, waitUntil: promise => { over = promise; }})) Object.defineProperty(event, key, {value});
	self.dispatchEvent(event);
	await over;
};`

// TestNotificationClick proves that a notification leads to its chat: in the window that
// shows that chat, in a new one where none does, and never to another site; and that it goes
// away.
func TestNotificationClick(t *testing.T) {
	in := start(t, staged)
	owner := atBrowser(t, "owner")
	owner.run("allow notifications", browser.GrantPermissions([]browser.PermissionType{browser.PermissionTypeNotifications}))
	owner.open(in.link())
	owner.sees("#who", "Admin")
	owner.open(in.url + "/people.html") // no chat: it is not seen there
	owner.sees("#who", "Admin")
	click := func(url string) (done struct {
		Opened  []string
		Focused int
	}) {
		t.Helper()
		script := `(async () => {` + happens + `
			let closed = false;
			self.done = {opened: [], focused: 0};
			await happens("notificationclick", {notification: {data: ` + url + `, close() { closed = true; }}}).catch(error => self.done.opened.push("error: " + error));
			if (!closed) self.done.opened.push("still shown");
			return self.done;
		})()`
		owner.inWorker("click on a notification", script, &done)
		return done
	}
	if done := click(`"/?chat=main#e-1"`); fmt.Sprint(done.Opened) != "["+in.url+"/?chat=main#e-1]" || done.Focused != 0 {
		t.Errorf("no window shows the chat: %+v", done)
	}
	owner.open(in.url + "/?chat=other")
	owner.sees("#who", "Admin")
	if done := click(`"/?chat=main"`); len(done.Opened) != 1 || done.Focused != 0 {
		t.Errorf("another chat is shown: %+v", done)
	}
	owner.open(in.url + "/")
	owner.sees("#who", "Admin")
	if done := click(`"/?chat=main#m-3"`); len(done.Opened) != 0 || done.Focused != 1 {
		t.Errorf("the chat is shown: %+v", done)
	}
	owner.until("the place in it", func() bool { return strings.HasSuffix(owner.at(), "/?chat=main#m-3") })
	for _, elsewhere := range []string{`"https://evil.example/"`, `"//evil.example/"`} {
		if done := click(elsewhere); len(done.Opened) != 0 || done.Focused != 0 {
			t.Errorf("%s is opened: %+v", elsewhere, done)
		}
	}
	if done := click(`undefined`); len(done.Opened) != 0 || done.Focused != 1 {
		t.Errorf("one that leads nowhere leads to the chat: %+v", done)
	}
}

// TestSubscriptionRenewed proves that a browser whose push service gives it another address
// is told there, and no more at the one before, without anybody doing anything.
func TestSubscriptionRenewed(t *testing.T) {
	service := push.Start()
	defer service.Close()
	in, owner := atChat(t, pushing(service))
	key := in.app.Service.Browsers.PublicKey()
	endpoints := func() (list []string) {
		t.Helper()
		kept, err := in.app.Store.PushSubscriptions(context.WithoutCancel(t.Context()), app.Owner)
		owner.must("read what is kept", err)
		for _, one := range kept {
			list = append(list, one.Endpoint)
		}
		return list
	}
	as := func() (endpoint, json string) {
		t.Helper()
		s, err := service.Subscribe(key)
		owner.must("subscribe", err)
		return s.Endpoint, fmt.Sprintf(`{endpoint: %[1]q, toJSON: () => ({endpoint: %[1]q, keys: {p256dh: %[2]q, auth: %[3]q}})}`, s.Endpoint, s.P256DH, s.Auth)
	}
	first, before := as()
	second, after := as()
	third, again := as()
	changes := func(has, subscribe string) {
		t.Helper()
		owner.inWorker("change the subscription", `(async () => {`+happens+`
			PushManager.prototype.subscribe = async options => {
				if (!options.userVisibleOnly || options.applicationServerKey !== `+quoted(key)+`) throw new Error("subscribed with " + JSON.stringify(options));
				return `+subscribe+`;
			};
			await happens("pushsubscriptionchange", `+has+`);
		})()`, nil)
	}
	changes(`{newSubscription: `+before+`}`, `null`)
	if got := endpoints(); fmt.Sprint(got) != fmt.Sprint([]string{first}) {
		t.Fatalf("kept is %q, want %q", got, first)
	}
	changes(`{oldSubscription: `+before+`, newSubscription: `+after+`}`, `null`)
	if got := endpoints(); fmt.Sprint(got) != fmt.Sprint([]string{second}) {
		t.Fatalf("kept is %q, want %q alone", got, second)
	}
	// The browser has none yet: one is asked for, with errand's key.
	changes(`{oldSubscription: `+after+`}`, again)
	if got := endpoints(); fmt.Sprint(got) != fmt.Sprint([]string{third}) {
		t.Fatalf("kept is %q, want %q alone", got, third)
	}
}
