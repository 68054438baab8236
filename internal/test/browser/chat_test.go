package browser

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/app"
	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/ops"
	"errand/internal/store"
	"errand/internal/test/llmtest"
	"errand/internal/test/servicetest"
)

// A dictated model says each piece when a test gives it, to Nikki. Sasha, whom
// Nikki sends off when somebody says "trains", is at work until finish.
type dictated struct {
	pieces chan string // "." ends an answer
	finish chan struct{}
}

func dictating(m *dictated) func(*installation) {
	m.pieces, m.finish = make(chan string), make(chan struct{})
	return func(in *installation) { in.model = m }
}

func (m *dictated) Complete(ctx context.Context, r llm.Request, deltas func(llm.Delta)) (llm.Response, error) {
	usage := core.Usage{Model: "dictated", Provider: "test", InputTokens: 1, OutputTokens: 1}
	if llmtest.Speaker(r) == "Sasha" {
		select {
		case <-m.finish:
			return llm.Response{Text: "The train leaves at nine.", Usage: usage}, nil
		case <-ctx.Done():
			return llm.Response{}, context.Cause(ctx)
		}
	}
	last := r.Messages[len(r.Messages)-1]
	switch text := core.Unmarked(last.Text); {
	case strings.Contains(text, "The train leaves at nine."):
		return llm.Response{Text: "Sasha is back: at nine.", Usage: usage}, nil
	case last.Speaker == core.FromTool:
		return llm.Response{Text: "Sasha is on it.", Usage: usage}, nil
	case strings.Contains(text, "trains"):
		return llm.Response{Usage: usage, Calls: []core.ToolCall{{ID: "c", Name: "call_agent_async", Arguments: fmt.Sprintf(`{"agent":"sasha","task":%q}`, text)}}}, nil
	case text != "dictate":
		return llm.Response{Text: "Nikki heard: " + text, Usage: usage}, nil
	}
	got := ""
	for {
		select {
		case piece := <-m.pieces:
			if piece == "." {
				return llm.Response{Text: got, Usage: usage}, nil
			}
			got += piece
			deltas(llm.Delta{Text: piece})
		case <-ctx.Done():
			return llm.Response{}, context.Cause(ctx)
		}
	}
}

func (m *dictated) stream(t *testing.T, pieces ...string) {
	t.Helper()
	for _, piece := range pieces {
		select {
		case m.pieces <- piece:
		case <-t.Context().Done():
			t.Fatal("nobody listens")
		}
	}
}

func (p *person) count(at string) (n int) {
	p.t.Helper()
	p.run("count "+at, chromedp.Evaluate(`document.querySelectorAll(`+quoted(at)+`).length`, &n))
	return n
}

func atChat(t *testing.T, change func(*installation)) (*installation, *person) {
	t.Helper()
	in := start(t, change)
	owner := atBrowser(t, "owner")
	owner.open(in.link())
	owner.sees("#who", "Admin")
	return in, owner
}

// TestUnsentMessages proves that what somebody writes while errand is away is kept,
// goes by itself and once when it is back, and is not lost when the page is.
func TestUnsentMessages(t *testing.T) {
	in, owner := atChat(t, dictating(&dictated{}))
	owner.says("hello")
	owner.sees("#log .reply", "Nikki heard: hello")

	in.end()
	owner.sees("#connection", "Can't reach errand")
	owner.says("one")
	owner.sees("#queue", "Not sent yet")
	owner.accessible("unsent")
	in.begin()
	owner.sees("#log", "Nikki heard: one")

	in.end()
	owner.says("two")
	owner.says("three")
	owner.until("both to wait", func() bool { return owner.count("#queue li") == 2 && owner.has("#queue li:last-child", "three") })
	owner.open("about:blank")
	in.begin()
	owner.open(in.url + "/")
	owner.until("both to be answered", func() bool {
		return owner.has("#log", "two") && owner.has("#log .reply:last-child", "three")
	})
	owner.run("load it again", chromedp.Reload())
	owner.sees("#log .reply:last-child", "three")
	if n := owner.count("#log .mine"); n != 4 {
		t.Errorf("%d messages are shown, want 4", n)
	}
	var kept int
	owner.run("look at what is kept", chromedp.Evaluate(`Object.keys(localStorage).filter(key => key.startsWith("unsent:")).length`, &kept))
	if kept != 0 {
		t.Errorf("%d messages are kept that errand has", kept)
	}

	// One that is damaged keeps no other from being sent.
	owner.run("damage what is kept", chromedp.Evaluate(`localStorage.setItem("unsent:owner:main:x", "{");
		localStorage.setItem("unsent:owner:main:y", JSON.stringify({id: "y", text: "four", at: 1, state: "unsent"}))`, nil), chromedp.Reload())
	owner.sees("#log .reply:last-child", "Nikki heard: four")
}

// TestReloadInMidAnswer proves that who comes in the middle of an answer sees it from
// its beginning, and what is going on; and that its end comes in the same place.
func TestReloadInMidAnswer(t *testing.T) {
	m := &dictated{}
	_, owner := atChat(t, dictating(m))
	owner.says("dictate")
	m.stream(t, "slowly, ", "word ")
	owner.sees("#log .live", "slowly, word")
	owner.run("load it again", chromedp.Reload())
	owner.sees("#log .live", "slowly, word")
	owner.sees("#doing", "Nikki: thinking")
	m.stream(t, "by **word**", ".")
	owner.sees("#log .reply:not(.live) strong", "word")
	if n := owner.count("#log .reply"); n != 1 {
		t.Errorf("%d replies are shown", n)
	}
	owner.sees("#announcer", "Nikki: slowly, word by **word**")
	owner.until("nothing to stop", func() bool { return owner.count("#stop") == 0 })
}

// TestSelectionSurvives proves that what somebody selects in an answer stays selected
// while the rest is written, and when it is whole.
func TestSelectionSurvives(t *testing.T) {
	m := &dictated{}
	_, owner := atChat(t, dictating(m))
	owner.says("dictate")
	m.stream(t, "First *of all*\n\nthe second paragraph ")
	owner.sees("#log .live p:last-of-type", "the second")
	owner.run("select", chromedp.Evaluate(`getSelection().setBaseAndExtent(document.querySelector("#log .live em").firstChild, 0, document.querySelector("#log .live p:last-of-type").firstChild, 10)`, nil))
	selected := func() (text string) {
		owner.run("look at the selection", chromedp.Evaluate(`getSelection().toString().replace(/\s+/g, " ")`, &text))
		return text
	}
	const want = "of all the second"
	// None ends with what may begin a nonce, which would be held back.
	for _, piece := range []string{"goes ", "on **and,", " on** and ", "on\n\n- to\n- a list,", "\n\nand an end,"} {
		m.stream(t, piece)
		last := strings.Fields(strings.Trim(piece, "-*,\n "))
		owner.sees("#log .live", last[len(last)-1])
		if got := selected(); got != want {
			t.Fatalf("after %q the selection is %q", piece, got)
		}
	}
	m.stream(t, ".")
	owner.until("the whole reply", func() bool { return owner.count("#log .reply:not(.live)") == 1 })
	if got := selected(); got != want {
		t.Errorf("when the reply is whole the selection is %q", got)
	}
}

// TestStopKeepsTheReplySoFar proves that a reply that is stopped stays, marked once, and that the
// button puts no words into the person's mouth. Without a reply a notice tells of the stop, in the
// person's language.
func TestStopKeepsTheReplySoFar(t *testing.T) {
	m := &dictated{}
	in, owner := atChat(t, dictating(m))
	owner.says("dictate")
	m.stream(t, "half an ")
	owner.sees("#log .live", "half an")
	owner.clicks("#stop")
	owner.sees("#log .reply:not(.live)", "half an")
	owner.sees("#log .reply .ending", "Stopped")
	owner.says("and now?")
	owner.sees("#log .reply:last-child", "Nikki heard: and now?")
	owner.doesNotSee("#log", "/stop")
	if n := strings.Count(owner.text("#log"), "topped"); n != 1 {
		t.Errorf("the stop is told %d times: %s", n, owner.text("#log"))
	}
	owner.accessible("stopped")

	// What has come is shown at once, and in Markdown when there is a renderer.
	rendered := func() bool { return owner.count("#log .raw") == 0 }
	owner.until("all in Markdown", rendered)
	before := owner.text("#log")
	owner.run("load it again", chromedp.Reload())
	owner.sees("#log .reply:last-child", "Nikki heard: and now?")
	owner.until("all in Markdown again", rendered)
	if after := owner.text("#log"); after != before {
		t.Errorf("loaded again it reads\n%s\n---\nand was\n%s", after, before)
	}

	by, people := actor.Actor{Person: app.Owner, Role: core.MasterAdmin}, servicetest.PeopleCalls{Operations: in.app.Service.Runner}
	owner.must("speak Spanish", people.SetLanguage(t.Context(), by, app.Owner, "es"))
	owner.run("load it again", chromedp.Reload())
	owner.sees("#log .reply .ending", "Detenido")
	owner.says("dictate")
	owner.sees("#doing", "Nikki")
	owner.clicks("#stop")
	owner.sees("#log .notice", "Detenido")
	owner.until("nothing to stop", func() bool { return owner.count("#stop") == 0 })
	if notices := owner.text("#log .notice"); notices != "Detenido" {
		t.Errorf("notices are %q", notices)
	}
}

// TestInterruptedAnswer proves that an answer which a message interrupts stays,
// marked, and is not taken for the beginning of the next one.
func TestInterruptedAnswer(t *testing.T) {
	m := &dictated{}
	_, owner := atChat(t, dictating(m))
	owner.says("/busy interrupt")
	owner.sees("#log .notice", "interrupt")
	owner.says("dictate")
	m.stream(t, "half an ")
	owner.sees("#log .live", "half an")
	owner.says("and now?")
	owner.sees("#log .reply:last-child", "Nikki heard: and now?")
	owner.sees("#log .reply:not(.live) .ending", "Stopped")
	if n := owner.count("#log .reply"); n != 2 {
		t.Errorf("%d replies are shown, want the interrupted one and the next", n)
	}
}

// TestSilentModel proves that whoever waits for a model that says nothing is told for
// how long, also when the page is loaded again.
func TestSilentModel(t *testing.T) {
	m := &dictated{}
	_, owner := atChat(t, dictating(m))
	owner.says("dictate")
	owner.sees("#doing", "Nikki: thinking · ")
	owner.run("load it again", chromedp.Reload())
	owner.sees("#doing", "Nikki: thinking · ")
	owner.narrow()
	m.stream(t, "at last", ".")
	owner.sees("#log .reply:last-child", "at last")
	owner.until("nobody at work", func() bool { return owner.text("#doing") == "" })
}

// TestManyTabs proves that tabs which nobody looks at keep no other from errand, and
// know what has come when somebody looks at them again.
func TestManyTabs(t *testing.T) {
	in, owner := atChat(t, dictating(&dictated{}))
	look := func(p *person, hidden bool) {
		p.run("look at another tab", chromedp.Evaluate(fmt.Sprintf(
			`Object.defineProperty(document, "hidden", {value: %v, configurable: true}); document.dispatchEvent(new Event("visibilitychange")); undefined`, hidden), nil))
	}
	last := owner
	for i := range 7 { // a browser has six connections
		look(last, true)
		ctx, cancel := chromedp.NewContext(owner.ctx)
		t.Cleanup(cancel)
		last = &person{t, fmt.Sprintf("tab %d", i+2), ctx}
		last.must("open a tab", chromedp.Run(ctx))
		last.open(in.url + "/")
		last.sees("#who", "Admin")
	}
	last.says("hello")
	last.sees("#log .reply", "Nikki heard: hello")
	owner.doesNotSee("#log", "Nikki heard: hello")
	look(owner, false)
	owner.sees("#log .reply", "Nikki heard: hello")
}

// TestRepliesThatEndEarly proves that a reply says so that ends where the model's
// limit is, or where its provider wants it to, and that one can go on.
func TestRepliesThatEndEarly(t *testing.T) {
	_, owner := atChat(t, answering(map[string]llmtest.Reply{
		"tell":     {Text: "Once upon a", Truncated: true},
		"withhold": {Text: "The first half", Filtered: true},
		"Continue": {Text: "time."},
	}))
	owner.says("withhold")
	owner.sees("#log .reply .ending", "The model's provider withheld the rest")
	owner.says("tell")
	owner.sees("#log .reply:last-child .ending", "Cut off at the model's limit")
	owner.run("load it again", chromedp.Reload())
	owner.sees("#log .reply:last-child .ending", "Cut off at the model's limit")
	owner.accessible("cut off")
	owner.clicks("#log .choices button")
	owner.sees("#log .reply:last-child", "time.")
	owner.until("no button", func() bool { return owner.count("#log .choices") == 0 })
}

// fills writes numbered messages into a person's chat that no agent answers.
func (in *installation) fills(p *person, messages int) {
	p.t.Helper()
	p.says("hello")
	p.sees("#log .reply", "Nikki heard: hello")
	me := core.PersonID(p.me().ID)
	_, err := ops.Do(p.t.Context(), in.app.Service.Runner, api.Pause, actor.Actor{Person: me, Role: core.MasterAdmin}, api.None{})
	p.must("pause", err)
	for i := range messages {
		id := fmt.Sprint(i + 1)
		_, err := in.app.Store.Accept(p.t.Context(), store.InboxMessage{Route: core.WebRoute("main"), Person: me, Role: core.MasterAdmin,
			MessageID: id, Text: "number " + id + "."})
		p.must("write", err)
	}
	_, err = in.app.Store.StopTurn(p.t.Context(), core.NewSessionKey(core.WebRoute("main"), me), "") // none waits for a turn
	p.must("stop", err)
}

// TestEarlierMessages proves that all of a long chat can be reached, and that what one
// reads stays in sight.
func TestEarlierMessages(t *testing.T) {
	in, owner := atChat(t, dictating(&dictated{}))
	in.fills(owner, 450)
	owner.run("load it again", chromedp.Reload())
	owner.sees("#log", "number 450.")
	owner.doesNotSee("#log", "number 250.")
	owner.run("scroll up", chromedp.Evaluate(`document.querySelector("main").scrollTop = 0`, nil))
	owner.clicks(".earlier button")
	owner.sees("#log", "number 250.")
	var top float64
	owner.run("look where it is", chromedp.Evaluate(`document.querySelector('#log [data-message="251"]').getBoundingClientRect().top`, &top))
	if top < 0 || top > 400 {
		t.Errorf("what was read is %v pixels from the top", top)
	}
	owner.clicks(".earlier button")
	owner.sees("#log", "number 1.")
	owner.until("no more", func() bool { return owner.count(".earlier") == 0 })
	if n := owner.count("#log .mine"); n != 451 {
		t.Errorf("%d messages are shown", n)
	}
}

// TestTaskCards proves that the cards of a chat are one request, that the focus stays
// on a card whose task changes and ends, and that the card says how its result was
// told.
func TestTaskCards(t *testing.T) {
	m := &dictated{}
	in, owner := atChat(t, dictating(m))
	const tasks = 5
	for i := range tasks {
		owner.says(fmt.Sprintf("trains %d", i))
		owner.until("a card", func() bool { return owner.count("#log .task.working") == i+1 })
	}
	owner.run("load it again", chromedp.Reload())
	owner.until("the cards", func() bool { return owner.count("#log .task.working") == tasks })
	var asked []string
	owner.run("look at requests", chromedp.Evaluate(`performance.getEntriesByType("resource").map(e => e.name).filter(name => name.includes("/api/tasks"))`, &asked))
	// Once for all cards, and once more if news of a task comes with the reload.
	if len(asked) > 2 || slices.ContainsFunc(asked, func(url string) bool { return strings.Contains(url, "/api/tasks/") }) {
		t.Errorf("tasks are asked for %d times: %q", len(asked), asked)
	}
	owner.accessible("tasks at work")
	owner.announces()

	focused := func() (where string) {
		owner.run("look at the focus", chromedp.Evaluate(`document.activeElement.tagName`, &where))
		return where
	}
	owner.run("focus a button", chromedp.Evaluate(`document.querySelector("#log .task .acts .act button").focus()`, nil))
	in.restart() // each card changes
	owner.sees("#doing", "5 errands at work: Sasha 5")
	if where := focused(); where != "BUTTON" {
		t.Errorf("after a change the focus is at %s", where)
	}
	close(m.finish)
	owner.until("the ends", func() bool { return owner.count("#log .task.completed") == tasks })
	if where := focused(); where != "ARTICLE" {
		t.Errorf("after the end the focus is at %s", where)
	}
	owner.sees("#log .late", "Sasha is back: at nine.")
	owner.run("open each", chromedp.Evaluate(`document.querySelectorAll("#log .task .toggle").forEach(line => line.click())`, nil))
	owner.until("how they were told", func() bool { return strings.Count(owner.text("#log .task"), "reported in the chat") == tasks })
	owner.accessible("tasks done")
}

// TestPhone proves that on a phone the newest line is in sight, and that Enter makes
// a new line.
func TestPhone(t *testing.T) {
	_, owner := atChat(t, dictating(&dictated{}))
	for i := range 12 {
		owner.says(fmt.Sprintf("line %d\rand another", i))
		owner.sees("#log .reply:last-child", "another")
	}
	owner.run("take a phone", chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile), emulation.SetTouchEmulationEnabled(true), chromedp.Reload())
	owner.sees("#log .reply:last-child", "another")
	owner.sees("#with", "Nikki")
	owner.until("the newest line in sight", func() bool {
		var hidden float64
		err := chromedp.Run(owner.ctx, chromedp.Evaluate(`document.querySelector("#log > :last-child").getBoundingClientRect().bottom - document.querySelector("main").getBoundingClientRect().bottom`, &hidden))
		return err == nil && hidden <= 0
	})
	owner.run("type", clear("#text"), chromedp.SendKeys("#text", "one\rtwo", chromedp.ByQuery))
	var typed, hint string
	owner.run("look at it", chromedp.Evaluate(`document.querySelector("#text").value`, &typed), chromedp.Evaluate(`document.querySelector("#text").enterKeyHint`, &hint))
	if typed != "one\ntwo" || hint != "enter" {
		t.Errorf("typed is %q, the key is called %q", typed, hint)
	}
	owner.picture("typing")
	owner.clicks("#send")
	owner.sees("#log .mine:last-of-type, #log .mine", "one\ntwo")
}

// TestAnswersToCommands proves that the page says of answers to commands that they
// are not kept.
func TestAnswersToCommands(t *testing.T) {
	_, owner := atChat(t, dictating(&dictated{}))
	owner.accessible("empty chat")
	owner.says("/status")
	owner.sees("#log .notice", "disappears when you reload the page")
	owner.sees("#announcer", "Nikki")
	owner.accessible("answer to a command")
	owner.announces()
}
