package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"errand/internal/test/llmtest"
)

// TestErrandsOfAnAnswer proves that the errands of one answer are one card with one line each, of
// which one at a time is open; that a field to add something is there only when it is wanted;
// that a line says how its errand is, and leads to the question that it waits for; and that a
// finished errand is one short line whose result is a click away. While its errands are at work,
// a card is below the answer that started them.
func TestErrandsOfAnAnswer(t *testing.T) {
	in, owner := atChat(t, staged)
	stage := in.model.(*llmtest.Stage)
	owner.says(llmtest.Do(llmtest.Send("sasha", llmtest.Do(llmtest.Ask("finn", "wait fares"))), llmtest.Send("finn", "wait trains"),
		llmtest.Send("priest", asking(t, map[string]any{"question": "Which day?", "options": []string{"Monday", "Tuesday"}}))))
	owner.sees("#log .errands", "wait trains")
	owner.sees("#log .errands > .task > .below .task", "wait fares")
	owner.sees("#log .errands .wait", "waits for you")
	owner.sees("#doing", "3 errands at work: Sasha 1, Finn 2") // the one that waits is not at work
	owner.sees("#log .reply", "told: ")
	if !owner.stands("#log .reply:not(.question)", "#log .errands") {
		t.Error("a card at work stands above the answer")
	}
	if cards, lines := owner.count("#log .errands"), owner.count("#log .errands > .task"); cards != 1 || lines != 3 {
		t.Errorf("there are %d cards with %d lines", cards, lines)
	}
	if high := owner.measures("#log .errands > .task .line", "height"); high > 40 {
		t.Errorf("a line is %v pixels high", high)
	}
	if open := owner.count("#log .errands .opened") + owner.count("#log .errands .steer"); open != 0 {
		t.Errorf("%d lines are open by themselves", open)
	}
	finn, sasha := "#log .errands > .task:nth-of-type(2)", "#log .errands > .task:nth-of-type(1)"
	owner.sees(finn+" .state", "at work")
	owner.clicks(sasha + " > .line .toggle")
	owner.sees(sasha+" > .opened", "Stop")
	owner.clicks(finn + " .toggle")
	owner.sees(finn+" .opened", "Stop")
	if open := owner.count("#log .errands .opened"); open != 1 {
		t.Errorf("%d lines are open", open)
	}
	owner.accessible("errands of one answer")
	owner.narrow()

	owner.clicks(finn + " .acts button")
	owner.hasFocus(finn + " .steer input")
	owner.types(finn+" .steer input", "and the way back\r")
	owner.sees(finn+" .about", "1 message added")
	owner.presses(kb.Escape)
	owner.until("no field", func() bool { return owner.count(finn+" .steer") == 0 })
	owner.sees(finn+" .state", "at work") // Escape has stopped nothing
	owner.clicks(finn + " .act button")
	owner.sees(finn+" .state", "canceled by you")
	owner.sees("#doing", "2 errands at work: Sasha 1, Finn 1")

	owner.clicks("#log .errands a.wait")
	if !owner.holds(`document.activeElement.textContent.endsWith("Monday")`) {
		t.Error("the line does not lead to its question")
	}
	owner.presses("\r")
	owner.until("the answered one to be done", func() bool { return owner.count("#log .errands > .task.completed") == 1 })
	stage.Open("fares")
	owner.until("the line to be done", func() bool { return owner.count("#log .errands > .task.completed") == 2 })
	owner.until("what is below it to be out of the way", func() bool { return owner.count("#log .errands .task .task") == 0 })
	owner.clicks(sasha + " .toggle")
	owner.sees(sasha+" .result", "done fares")
	owner.sees(sasha+" .below", "wait fares")
	owner.accessible("errands that are over")
}

// stands reports whether one element is before another in the page.
func (p *person) stands(one, other string) bool {
	p.t.Helper()
	return p.holds(fmt.Sprintf("Boolean(document.querySelector(%s).compareDocumentPosition(document.querySelector(%s)) & Node.DOCUMENT_POSITION_FOLLOWING)", quoted(one), quoted(other)))
}

// TestQuestionBeforeAnswer proves that a card stands below the answer that started it, also if one of
// its errands asks a question before the answer is whole.
func TestQuestionBeforeAnswer(t *testing.T) {
	in, owner := atChat(t, staged)
	owner.says(llmtest.Do(llmtest.Send("priest", asking(t, map[string]any{"question": "Which day?", "options": []string{"Monday", "Tuesday"}})),
		llmtest.Ask("finn", "wait gate")))
	owner.sees("#log .errands .wait", "waits for you")
	in.model.(*llmtest.Stage).Open("gate")
	owner.sees("#log .reply:not(.question)", "told: ")
	if !owner.stands("#log .reply:not(.question)", "#log .errands") {
		t.Error("the card stands above the answer")
	}
}

// TestErrandAlone proves that an errand by itself shows what its agent does while it is at work
// and is one short line afterwards, that its chat in the list shows a ring meanwhile, and that a failed
// one says why and can be tried again.
func TestErrandAlone(t *testing.T) {
	in, owner := atChat(t, staged)
	stage := in.model.(*llmtest.Stage)
	owner.run("want no motion", emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}))
	owner.says(llmtest.Do(llmtest.Send("finn", "wait gate")))
	owner.sees("#log .task.working .opened", "Stop")
	owner.sees(".chat-item", "Errands under way")
	if !owner.holds(`getComputedStyle(document.querySelector("#log .spin")).animationName === "none"`) {
		t.Error("the ring turns where no motion is wanted")
	}
	stage.Open("gate")
	owner.until("one short line", func() bool {
		return owner.count("#log .errands.over .task.completed") == 1 && owner.count("#log .opened") == 0 && owner.measures("#log .errands", "height") <= 40
	})
	owner.until("the chat in the list to be at rest", func() bool { return owner.count(".chat-item .spin") == 0 })
	owner.says(llmtest.Do(llmtest.Send("finn", "fail")))
	owner.sees("#log .task.failed .state", "failed")
	if owner.text("#log .task.failed .reason") == "" {
		t.Error("the line does not say why")
	}
	owner.clicks("#log .task.failed .toggle")
	owner.sees("#log .task.failed .acts", "Try again")
	owner.accessible("an errand that has failed")
	owner.run("try again", chromedp.Click("#log .task.failed .act button", chromedp.ByQuery))
	owner.until("another", func() bool { return owner.count("#log .task") == 3 })
}
