package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/serviceworker"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"errand/internal/app"
	"errand/internal/core"
	"errand/internal/test/llmtest"
	"errand/internal/test/sim/push"
)

// pushManager has the browser subscribe at a push service of the test: its own one is on the
// internet. What errand is to be asked for with is checked.
const pushManager = `
const own = (name, make) => { PushManager.prototype[name] = make; };
const subscription = {
	endpoint: %[1]q, options: {applicationServerKey: Uint8Array.from(atob(%[4]q.replaceAll("-", "+").replaceAll("_", "/")), c => c.charCodeAt(0)).buffer},
	toJSON: () => ({endpoint: %[1]q, keys: {p256dh: %[2]q, auth: %[3]q}}),
	unsubscribe: async () => { localStorage.removeItem("subscribed"); return true; },
};
own("getSubscription", async () => localStorage.getItem("subscribed") ? subscription : null);
own("subscribe", async options => {
	if (!options.userVisibleOnly || options.applicationServerKey !== %[4]q) throw new Error("subscribed with " + JSON.stringify(options));
	localStorage.setItem("subscribed", "yes");
	return subscription;
});`

func (p *person) registration() serviceworker.RegistrationID {
	p.t.Helper()
	p.evaluates("wait for the service worker", `navigator.serviceWorker.ready.then(() => true)`, nil)
	ctx, cancel := context.WithTimeout(p.ctx, 30*time.Second)
	defer cancel()
	found := make(chan serviceworker.RegistrationID, 10)
	chromedp.ListenTarget(ctx, func(e any) {
		if e, ok := e.(*serviceworker.EventWorkerRegistrationUpdated); ok {
			for _, r := range e.Registrations {
				select {
				case found <- r.RegistrationID:
				default:
				}
			}
		}
	})
	p.run("look at service workers", serviceworker.Enable())
	select {
	case id := <-found:
		return id
	case <-ctx.Done():
		p.t.Fatal("there is no service worker")
		return ""
	}
}

func (p *person) shown() (texts []string) {
	p.t.Helper()
	p.evaluates("look at notifications", `navigator.serviceWorker.ready.then(r => r.getNotifications()).then(list => list.map(n => n.tag + " " + n.data + " " + n.body))`, &texts)
	return texts
}

func pushing(service *push.Server) func(*installation) {
	return func(in *installation) {
		staged(in)
		in.cfg.Hooks.Allow = append(in.cfg.Hooks.Allow, service.Host())
	}
}

// TestPush proves that a browser is asked once, when an agent is first sent off in the
// background, whether it is told while the page is closed; that a yes subscribes it, and that
// its service worker shows what it is told then, and nothing that is seen on a page. The push
// service is one of the test, and its message is handed to the browser.
func TestPush(t *testing.T) {
	service := push.Start()
	defer service.Close()
	in := start(t, pushing(service))
	key := in.app.Service.Browsers.PublicKey()
	subscribed, err := service.Subscribe(key)
	if err != nil {
		t.Fatal(err)
	}
	owner := atBrowser(t, "owner")
	owner.run("allow notifications, and subscribe here", browser.GrantPermissions([]browser.PermissionType{browser.PermissionTypeNotifications}),
		chromedp.ActionFunc(func(ctx context.Context) error {
			_, err := page.AddScriptToEvaluateOnNewDocument(fmt.Sprintf(pushManager, subscribed.Endpoint, subscribed.P256DH, subscribed.Auth, key)).Do(ctx)
			return err
		}))
	owner.open(in.link())
	owner.sees("#who", "Admin")
	registration := owner.registration()
	if owner.count("#notify") > 0 {
		t.Error("it asks before anything is under way")
	}
	owner.says(llmtest.Do(llmtest.Send("sasha", "wait gate")))
	owner.sees("#notify", "even if this page is closed?")
	owner.accessible("an offer to tell while the page is closed")
	owner.narrow()
	owner.clicks("#notify button")
	owner.until("no offer", func() bool { return owner.count("#notify") == 0 })
	list := func() []core.PushSubscription {
		t.Helper()
		list, err := in.app.Store.PushSubscriptions(t.Context(), app.Owner)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	if l := list(); len(l) != 1 || l[0].Endpoint != subscribed.Endpoint || l[0].Words || l[0].Login == "" || !strings.Contains(l[0].Label, "Chrome") {
		t.Fatalf("kept is %+v", l)
	}

	// The page is closed; the result comes; the browser is told and shows it.
	owner.open("about:blank")
	in.model.(*llmtest.Stage).Open("gate")
	owner.until("a message to the browser", func() bool { return len(service.Took(subscribed)) == 1 })
	told := service.Took(subscribed)[0].Text
	var said struct{ Body, URL string }
	if err := json.Unmarshal([]byte(told), &said); err != nil || said.Body != "A result has arrived." {
		t.Fatalf("the browser is told %s (%v)", told, err)
	}
	owner.run("hand the message over", serviceworker.Enable(), serviceworker.DeliverPushMessage(in.url, registration, told))
	owner.open(in.url + "/people.html")
	owner.until("a notification", func() bool { return len(owner.shown()) == 1 })
	if shown := owner.shown()[0]; !strings.HasSuffix(shown, " "+said.URL+" A result has arrived.") || !strings.HasPrefix(shown, "errand-") {
		t.Errorf("shown is %q", shown)
	}

	// What comes while somebody looks is not shown besides.
	owner.run("hand another over", serviceworker.Enable(), serviceworker.DeliverPushMessage(in.url, registration, `{"body":"seen","event":1,"url":"/"}`))
	owner.open(in.url)
	owner.sees("#log .late", "gate")
	if n := len(owner.shown()); n != 1 {
		t.Errorf("%d notifications are shown", n)
	}

	// It is not asked again, and is changed in the settings.
	owner.says(llmtest.Do(llmtest.Send("sasha", "wait again")))
	owner.sees("#log", "wait again")
	if owner.count("#notify") > 0 {
		t.Error("it asks again")
	}
	owner.settings()
	owner.sees(".preferences", "Also when this page is closed")
	owner.accessible("settings of notifications")
	owner.clicks(".preferences .check:last-of-type input")
	owner.until("that to be kept", func() bool { l := list(); return len(l) == 1 && l[0].Words })
	owner.run("no more", chromedp.Evaluate(`document.querySelectorAll(".preferences .check input")[1].click()`, nil))
	owner.until("that to be kept", func() bool { return len(list()) == 0 })
	owner.presses(kb.Escape)
	owner.announces()

	// Who logs out is told no more, and again once they are back.
	subscribedHere := func() (yes bool) {
		t.Helper()
		owner.evaluates("look at the subscription", `navigator.serviceWorker.ready.then(r => r.pushManager.getSubscription()).then(s => s !== null)`, &yes)
		return yes
	}
	owner.settings()
	owner.run("told again", chromedp.Evaluate(`document.querySelectorAll(".preferences .check input")[1].click()`, nil))
	owner.until("that to be kept", func() bool { return len(list()) == 1 })
	owner.presses(kb.Escape)
	if len(owner.shown()) == 0 {
		t.Error("the notification is gone already")
	}
	owner.clicks("#who")
	owner.clicks("#log-out")
	owner.sees("main", "token")
	if l := list(); len(l) != 0 || subscribedHere() {
		t.Errorf("who has logged out is told by %+v, and the browser subscribed: %v", l, subscribedHere())
	}
	if shown := owner.shown(); len(shown) > 0 {
		t.Errorf("whoever is there next reads %q", shown)
	}
	owner.open(in.link())
	owner.sees("#who", "Admin")
	owner.until("the browser to be told again", func() bool { return len(list()) == 1 })
	if !subscribedHere() {
		t.Error("the browser does not listen")
	}
}
