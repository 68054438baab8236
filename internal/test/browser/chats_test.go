package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"errand/internal/actor"
	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/test/servicetest"
)

// presses presses a key, with modifiers, where the focus is.
func (p *person) presses(key string, with ...chromedp.KeyOption) {
	p.t.Helper()
	p.run("press a key", chromedp.KeyEvent(key, with...))
}

// TestChats proves that a person finds their chats of all channels beside the one that is
// shown, knows what is new in which, has a new one at an address of its own, and names, pins
// and archives them with the keyboard; that they are found by what was said; that those of
// other platforms are read; and that titles are words, whatever is in them.
func TestChats(t *testing.T) {
	m := &dictated{}
	in, owner := atChat(t, func(in *installation) {
		dictating(m)(in)
		in.cfg.Access = map[string]config.Access{"telegram": {Mode: config.AccessOpen}}
	})
	owner.says("hello " + hostile)
	owner.sees("#log .reply", "Nikki heard: hello")
	owner.sees("#chats .current", "hello <img src=x")
	owner.says("ask for trains")
	owner.sees("#log .reply:last-child", "Sasha is on it.")

	owner.clicks("#new-chat")
	owner.until("another chat", func() bool { return strings.Contains(owner.at(), "/?chat=") })
	second := owner.at()
	owner.sees("#empty", "Ask for anything that takes a while")
	owner.says("what is a mutex?")
	owner.sees("#log .reply", "Nikki heard: what is a mutex?")
	owner.sees("#chats .chat-item:first-child", "what is a mutex?")
	owner.sees("#chats .chat-item:nth-child(2)", "hello <img src=x")
	close(m.finish)
	owner.sees("#chats .chat-item:nth-child(1) .unread, #chats .chat-item:nth-child(2) .unread", "1")
	owner.unharmed("#chats")

	by, people := actor.Actor{Person: app.Owner, Role: core.MasterAdmin}, servicetest.PeopleCalls{Operations: in.app.Service.Runner}
	owner.must("be known on Telegram", people.Link(t.Context(), by, app.Owner, "telegram", "news", "4711"))
	came, err := in.app.Intake.Receive(t.Context(), intake.Inbound{Route: core.Route{Channel: "telegram", Account: "news", Chat: "4711"},
		Sender: intake.Sender{IDs: []string{"4711"}, Name: "Owner"}, MessageID: "1", Text: "good evening " + hostile})
	if err != nil || came.Refused != "" {
		t.Fatalf("%+v, %v", came, err)
	}
	owner.sees("#chats", "Telegram")
	owner.accessible("chats")
	owner.narrow()

	owner.clicks(`#chats [data-chat="4711"] > a`)
	owner.sees(".read-along", "good evening <img src=x")
	owner.sees("footer", "This chat is on Telegram. Write there; here you can only read it.")
	if owner.count("#text") != 0 {
		t.Error("there is a place to write into a chat of another platform")
	}
	owner.sees("#chats .current", "good evening")
	owner.unharmed("body")
	owner.accessible("a chat of another platform")
	owner.narrow()

	// What is new is new until somebody has seen it.
	owner.clicks(`#chats [data-chat="main"] > a`)
	owner.sees("#log .late", "Sasha is back: at nine.")
	owner.open(second)
	owner.sees(`#chats [data-chat="main"]`, "hello")
	owner.until("no mark", func() bool { return owner.count("#chats .unread") == 0 })

	// With the keyboard only.
	owner.run("go to what can be done", chromedp.Focus(`#chats [data-chat="main"] summary`, chromedp.ByQuery))
	owner.presses(kb.Enter)
	owner.sees(`#chats [data-chat="main"] .choices`, "Archive")
	owner.complainsOfNothing("what can be done with a chat")
	owner.presses(kb.Tab)
	owner.presses(kb.Enter)
	owner.until("the field to have the focus", func() bool { return owner.holds(`document.activeElement.matches(".chat-name input")`) })
	owner.complainsOfNothing("naming a chat")
	owner.presses("Trains to Oslo")
	owner.presses(kb.Enter)
	owner.sees(`#chats [data-chat="main"] .chat-title`, "Trains to Oslo")
	owner.run("pin it", chromedp.Evaluate(`document.querySelector('#chats [data-chat="main"] .more').open = true`, nil))
	owner.clicks(`#chats [data-chat="main"] .choices .act:nth-child(2) button`)
	owner.until("it to be first", func() bool { return owner.has("#chats .chat-item:first-child", "Trains to Oslo") })
	owner.run("archive another", chromedp.Evaluate(`document.querySelector('#chats [data-chat="4711"] .more').open = true`, nil))
	owner.clicks(`#chats [data-chat="4711"] .choices .act:nth-child(3) button`)
	owner.sees("#chats .archived summary", "Archived (1)")

	owner.presses("k", chromedp.KeyModifiers(2)) // Ctrl
	owner.until("the search", func() bool { return owner.holds(`document.activeElement.matches(".search input")`) })
	owner.presses("evening")
	owner.sees(".search .found", "good evening <img src=x")
	owner.unharmed(".search")
	owner.accessible("a search")
	owner.presses(kb.Escape)
	owner.until("no search", func() bool { return owner.count("dialog") == 0 })
	owner.presses("k", chromedp.KeyModifiers(2))
	owner.presses("Trains to O")
	owner.sees(".search .found", "Trains to Oslo")
	owner.presses(kb.ArrowDown)
	owner.presses(kb.Enter)
	owner.sees("#log", "Sasha is back")

	// On a phone they are in a drawer, in the language of who reads.
	owner.must("speak Spanish", people.SetLanguage(t.Context(), by, app.Owner, "es"))
	owner.run("take the phone", chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile), chromedp.Reload())
	owner.clicks("#draw")
	owner.sees("dialog#chats", "Nuevo chat")
	owner.complainsOfNothing("the drawer")
	owner.announces()
}
