package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"errand/internal/actor"
	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/store"
	"errand/internal/test/servicetest"
)

// presses presses a key, with modifiers, where the focus is.
func (p *person) presses(key string, with ...chromedp.KeyOption) {
	p.t.Helper()
	press := []chromedp.Action{chromedp.KeyEvent(key, with...)}
	if key == kb.Enter { // chromedp's own would leave a line break where the page stops the key
		down, up := input.DispatchKeyEvent(input.KeyDown).WithText(key), input.DispatchKeyEvent(input.KeyUp)
		press = nil
		for _, event := range []*input.DispatchKeyEventParams{down, up} {
			event = event.WithKey("Enter").WithCode("Enter").WithWindowsVirtualKeyCode(13)
			for _, option := range with {
				event = option(event)
			}
			press = append(press, event)
		}
	}
	p.run("press a key", press...)
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
	owner.sees("#log", "Sasha is on it.") // above the card of its errand

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
	owner.run("go to what can be done", chromedp.Focus(`#chats [data-chat="main"] .more`, chromedp.ByQuery))
	owner.presses(kb.Enter)
	owner.sees(`#chats [data-chat="main"] .menu`, "Archive")
	owner.complainsOfNothing("what can be done with a chat")
	owner.presses(kb.Tab)
	owner.presses(kb.Enter)
	owner.until("the field to have the focus", func() bool { return owner.holds(`document.activeElement.matches(".chat-name input")`) })
	owner.complainsOfNothing("naming a chat")
	owner.presses("Trains to Oslo")
	owner.presses(kb.Enter)
	owner.sees(`#chats [data-chat="main"] .chat-title`, "Trains to Oslo")
	owner.chooses("main", 2)
	owner.sees("#chats section:first-of-type", "Pinned")
	owner.sees("#chats section:first-of-type", "Trains to Oslo")
	owner.sees("#chats section:nth-of-type(2) h2", "Today")
	owner.chooses("4711", 3)
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

// chooses presses the nth item in the menu of a chat in the list.
func (p *person) chooses(chat string, n int) {
	p.t.Helper()
	item := fmt.Sprintf(`#chats [data-chat=%q]`, chat)
	p.run("go there", chromedp.Focus(item+" .more", chromedp.ByQuery))
	p.presses(kb.Enter)
	p.clicks(fmt.Sprintf("%s .menu button:nth-child(%d)", item, n))
}

// TestDeleteChat proves that people can rename and delete a chat in the menu of its bar; that the page
// first says what it will delete, and deletes nothing without confirmation; and that it also deletes
// the messages from before the chat was started over.
func TestDeleteChat(t *testing.T) {
	in, owner := atChat(t, dictating(&dictated{}))
	owner.says("the first beginning")
	owner.sees("#log .reply", "heard: the first")
	owner.startsOver()
	owner.sees("#log .divider", "Started over")
	owner.says("the second beginning")
	owner.sees("#log .reply:last-child", "heard: the second")

	owner.clicks(".bar .more")
	owner.sees("#chat-menu", "Delete")
	owner.accessible("the menu of a chat")
	owner.clicks("#chat-menu button:nth-child(2)")
	owner.until("the field to have the focus", func() bool { return owner.holds(`document.activeElement.matches(".chat-name input")`) })
	owner.presses("Beginnings")
	owner.presses(kb.Enter)
	owner.sees("#chat-name", "Beginnings")

	remove := func(button string) {
		t.Helper()
		owner.clicks(".bar .more")
		owner.clicks("#chat-menu .danger")
		owner.sees("dialog[open]", "Delete “Beginnings”?")
		owner.sees("dialog[open]", "permanently")
		owner.clicks("dialog[open] " + button)
	}
	remove("button[value=no]")
	owner.sees("#log", "the second beginning")
	remove("button[value=yes]")
	owner.until("a new chat", func() bool { return strings.Contains(owner.at(), "/?chat=") && owner.count("#empty") == 1 })
	owner.sees("#chats", "Your chats will be listed here.")
	owner.open(in.url + "/?chat=main")
	owner.sees("#empty", "Ask for anything that takes a while")
	list, err := in.app.Store.Sessions(t.Context(), store.SessionFilter{})
	if err != nil || len(list) != 0 {
		t.Errorf("there are sessions: %v, %v", list, err)
	}
}

// startsOver presses *Start over* in the menu of the chat.
func (p *person) startsOver() {
	p.t.Helper()
	p.clicks(".bar .more")
	p.clicks("#new")
}
