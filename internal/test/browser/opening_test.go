package browser

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// requests are those of the page that was opened last.
type requests struct {
	mu     sync.Mutex
	loader cdp.LoaderID // of the page
	list   []string
	latest time.Time // when the last one was sent
}

// asks notes what the pages of a person ask for from now on.
func (p *person) asks() *requests {
	p.t.Helper()
	r := &requests{}
	chromedp.ListenTarget(p.ctx, func(ev any) {
		e, ok := ev.(*network.EventRequestWillBeSent)
		if !ok {
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.latest = time.Now()
		if e.Type == network.ResourceTypeDocument && e.LoaderID != r.loader {
			r.loader, r.list = e.LoaderID, nil
		}
		if r.loader != "" && e.LoaderID != r.loader { // of the page before
			return
		}
		if _, path, ok := strings.Cut(e.Request.URL, "/api/"); ok {
			r.list = append(r.list, e.Request.Method+" "+path)
		}
	})
	p.run("watch what is asked for", network.Enable())
	return r
}

// settled waits until there was no request for a second, and returns them.
func (r *requests) settled(p *person) []string {
	p.t.Helper()
	since := time.Now()
	p.until("no more requests", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return time.Since(since) > time.Second && time.Since(r.latest) > time.Second
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
	asked := owner.asks()
	close(m.finish)
	owner.until("both results", func() bool { return owner.count("#log .late .errand a") == 2 })
	asked.settled(owner) // the page has marked both as seen
	owner.run("load it again", chromedp.Reload())
	owner.until("all of it", func() bool { return owner.count("#log .task") == 2 && owner.count("#log .reply") >= 3 })
	owner.sees("#chats .current", "hello 0")
	owner.until("who answers", func() bool { return owner.holds(`document.querySelector("#agent").value === "nikki"`) })
	owner.sees("#who", "Admin")
	if list := asked.settled(owner); len(list) > 5 || len(list) == 0 {
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

// TestSlowTask proves that a late result links to its errand even if what the page reads of the
// errand arrives only after the result, or in another order than it was sent.
func TestSlowTask(t *testing.T) {
	t.Run("its end arrives after the result", func(t *testing.T) { testSlowTask(t, false) })
	t.Run("its end arrives after a newer answer", func(t *testing.T) { testSlowTask(t, true) })
}

func testSlowTask(t *testing.T, reorder bool) {
	m := &dictated{}
	_, owner := atChat(t, dictating(m))
	answers, arrived := make(chan *fetch.EventRequestPaused, 100), make(chan network.RequestID, 1000)
	chromedp.ListenTarget(owner.ctx, func(ev any) {
		switch e := ev.(type) {
		case *fetch.EventRequestPaused:
			answers <- e
		case *network.EventLoadingFinished:
			arrived <- e.RequestID
		}
	})
	release := func(answer *fetch.EventRequestPaused) {
		owner.run("release an answer", fetch.ContinueRequest(answer.RequestID))
		owner.until("its arrival", func() bool {
			for len(arrived) > 0 {
				if <-arrived == answer.NetworkID {
					return true
				}
			}
			return false
		})
		owner.settles()
	}
	owner.says("ask for trains")
	owner.sees("#log .reply", "Sasha is on it.")
	owner.says("dictate")
	m.stream(t, "Wait ")
	owner.sees("#log .live", "Wait")
	owner.run("hold what is read of errands", network.Enable(),
		fetch.Enable().WithPatterns([]*fetch.RequestPattern{{URLPattern: "*/api/tasks*", RequestStage: fetch.RequestStageResponse}}))
	close(m.finish)
	var end *fetch.EventRequestPaused
	owner.until("the answer with its end", func() bool {
		for len(answers) > 0 {
			var body []byte
			answer := <-answers
			owner.run("look at it", chromedp.ActionFunc(func(ctx context.Context) (err error) {
				body, err = fetch.GetResponseBody(answer.RequestID).Do(ctx)
				return err
			}))
			if strings.Contains(string(body), `"completed"`) {
				end = answer
				return true
			}
			release(answer)
		}
		return false
	})
	m.stream(t, "a moment.", ".")
	owner.sees("#log .late", "Sasha is back")
	if !reorder {
		release(end)
	}
	owner.until("its errand", func() bool {
		for len(answers) > 0 {
			release(<-answers)
		}
		return owner.count("#log .late .errand a") == 1
	})
	if reorder {
		release(end)
		if n := owner.count("#log .late .errand a"); n != 1 {
			t.Errorf("the result links to %d errands", n)
		}
	}
}
