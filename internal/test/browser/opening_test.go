package browser

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

type requests struct {
	mu     sync.Mutex
	list   []string
	latest time.Time
}

// asks notes what the pages of a person ask for from now on.
func (p *person) asks() *requests {
	p.t.Helper()
	r := &requests{latest: time.Now()}
	chromedp.ListenTarget(p.ctx, func(ev any) {
		e, ok := ev.(*network.EventRequestWillBeSent)
		if !ok {
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.latest = time.Now()
		if _, path, ok := strings.Cut(e.Request.URL, "/api/"); ok {
			r.list = append(r.list, e.Request.Method+" "+path)
		}
	})
	p.run("watch what is asked for", network.Enable())
	return r
}

// settled are they, once there were no more for a while.
func (r *requests) settled(p *person) []string {
	p.t.Helper()
	p.until("no more requests", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return time.Since(r.latest) > time.Second
	})
	return r.sofar()
}

func (r *requests) sofar() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

// TestOpeningAsksLittle proves that a chat with cards of tasks, whose agent has told of
// them, opens with five requests at most, and that all of it is there.
func TestOpeningAsksLittle(t *testing.T) {
	m := &dictated{}
	_, owner := atChat(t, dictating(m))
	for n := range 3 {
		owner.says(fmt.Sprint("hello ", n))
		owner.sees("#log .reply:last-child", fmt.Sprint("Nikki heard: hello ", n))
	}
	for n := range 2 { // one after the other: both messages in one turn would be one task
		owner.says("ask for trains")
		owner.until("its task", func() bool { return owner.count("#log .task") == n+1 })
	}
	close(m.finish)
	owner.sees("#log .late", "Sasha is back")
	asked := owner.asks()
	before := len(asked.settled(owner)) // of what has just happened
	owner.run("load it again", chromedp.Reload())
	owner.until("all of it", func() bool { return owner.count("#log .task") == 2 && owner.count("#log .reply") >= 3 })
	owner.sees("#chats .current", "hello 0")
	owner.until("who answers", func() bool { return owner.holds(`document.querySelector("#agent").value === "nikki"`) })
	owner.sees("#who", "Admin")
	if list := asked.settled(owner)[before:]; len(list) > 5 || len(list) == 0 {
		t.Errorf("the chat opens with %d requests: %q", len(list), list)
	}
}

// TestSlowOpening proves that a page is there whose chat is not: errand takes its time to say
// what is in it, and somebody can write meanwhile. What was said comes when it is known.
func TestSlowOpening(t *testing.T) {
	_, owner := atChat(t, dictating(&dictated{}))
	owner.says("hello")
	owner.sees("#log .reply", "Nikki heard: hello")
	held := make(chan fetch.RequestID, 1)
	chromedp.ListenTarget(owner.ctx, func(ev any) {
		if e, ok := ev.(*fetch.EventRequestPaused); ok {
			held <- e.RequestID
		}
	})
	owner.run("hold what it begins with", fetch.Enable().WithPatterns([]*fetch.RequestPattern{{URLPattern: "*/opening"}}), chromedp.Reload(),
		chromedp.SendKeys("#text", "I have begun", chromedp.ByQuery))
	request := <-held
	if n := owner.count("#log .message"); n != 0 {
		t.Errorf("%d messages are there that errand has not told of", n)
	}
	owner.run("let it go on", fetch.ContinueRequest(request))
	owner.sees("#log .reply", "Nikki heard: hello")
	owner.sees("#who", "Admin")
	if !owner.holds(`document.querySelector("#text").value === "I have begun"`) {
		t.Error("what somebody has written is gone")
	}
}
