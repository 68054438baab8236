package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"errand/internal/app"
)

// TestSettings proves that a person sets language, time zone, colors, and what becomes of
// messages while an agent works; that times are told in that language and by those clocks;
// and that the colors are there before anything is painted.
func TestSettings(t *testing.T) {
	in, owner := atChat(t, dictating(&dictated{}))
	owner.run("live in Tokyo", emulation.SetTimezoneOverride("Asia/Tokyo"), chromedp.Reload())
	owner.hasFocus("#text")
	owner.says("hello")
	owner.sees("#log .reply", "Nikki heard: hello")
	local := func() string { owner.t.Helper(); return owner.reads("#log .reply time") }
	before := local()

	owner.clicks("#who")
	owner.run("go there", chromedp.Focus("#settings", chromedp.ByQuery))
	owner.presses(kb.Enter)
	owner.sees("dialog.preferences", "Language")
	owner.sees("dialog.preferences", "If you write in this chat while the agent is working")
	owner.accessible("settings of a person")
	owner.narrow()
	choose := func(label, value string) {
		t.Helper()
		owner.run("choose "+value, chromedp.Evaluate(fmt.Sprintf(`(() => {
			const field = [...document.querySelectorAll(".preferences label.field")].find(l => l.innerText.includes(%s)).querySelector("select");
			field.value = %s;
			field.dispatchEvent(new Event("change", {bubbles: true}));
		})()`, quoted(label), quoted(value)), nil))
	}
	choose("Colors", "dark")
	if !owner.holds(`getComputedStyle(document.body).backgroundColor === "rgb(19, 20, 19)"`) {
		t.Error("it is not dark")
	}
	owner.picture("dark-by-choice")
	choose("Time zone", "Asia/Tokyo")
	owner.until("it to be kept", func() bool {
		p, err := in.app.Store.Person(t.Context(), app.Owner)
		return err == nil && p.TimeZone == "Asia/Tokyo"
	})
	choose("If you write", "queue")
	owner.until("it to be kept", func() bool {
		return owner.holds(`[...document.querySelectorAll(".preferences select")].at(-1).value === "queue"`)
	})
	choose("Language", "es")
	owner.sees("dialog.preferences", "Zona horaria")
	owner.complainsOfNothing("settings in Spanish")
	owner.presses(kb.Escape)
	owner.until("no dialog", func() bool { return owner.count("dialog") == 0 })
	owner.hasFocus("#who")

	// By the clocks of the person, wherever the browser is.
	owner.run("travel", emulation.SetTimezoneOverride("America/New_York"), chromedp.Reload())
	owner.sees("#log .day", "Hoy")
	if !owner.holds(`document.documentElement.dataset.theme === "dark"`) {
		t.Error("the colors are forgotten")
	}
	now := local()
	if strings.Fields(now)[0][:2] == strings.Fields(before)[0][:2] && strings.Contains(before, "M") == strings.Contains(now, "M") {
		t.Errorf("it was %q in English, and is %q in Spanish", before, now)
	}
	if !owner.holds(`document.querySelector("#log .reply time").textContent === new Intl.DateTimeFormat("es", {timeZone: "Asia/Tokyo", hour: "numeric", minute: "2-digit"}).format(new Date(document.querySelector("#log .reply time").dateTime))`) {
		t.Errorf("the time is %q", now)
	}
	owner.settings()
	if !owner.holds(`[...document.querySelectorAll(".preferences select")].map(s => s.value).join() === "es,Asia/Tokyo,dark,queue"`) {
		owner.until("what was set", func() bool {
			return owner.holds(`[...document.querySelectorAll(".preferences select")].map(s => s.value).join() === "es,Asia/Tokyo,dark,queue"`)
		})
	}
	owner.open(in.url + "/sessions")
	if !owner.holds(`getComputedStyle(document.body).backgroundColor === "rgb(19, 20, 19)"`) {
		t.Error("other pages are not dark")
	}
}
