package browser

import (
	_ "embed"
	"os"
	"strings"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// axe is axe-core, see internal/doors/web/vendor.sh. It is not served.
//
//go:embed testdata/vendor/axe/axe.min.js
var axe string

// accessible proves that axe-core finds nothing to complain about on a page as it is now, in light on
// a desk and in dark on a phone. With ERRAND_TEST_VIEWS=all also in dark on a desk and in light on a phone.
func (p *person) accessible(state string) {
	p.t.Helper()
	desk, phone := chromedp.EmulateViewport(1280, 800), chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile)
	for _, view := range []struct {
		name, scheme string
		size         chromedp.Action
		usual        bool
	}{
		{"light, desk", "light", desk, true},
		{"dark, desk", "dark", desk, false},
		{"light, phone", "light", phone, false},
		{"dark, phone", "dark", phone, true},
	} {
		if !view.usual && os.Getenv("ERRAND_TEST_VIEWS") != "all" {
			continue
		}
		p.run("set up "+view.name, view.size,
			emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: view.scheme}}))
		p.complainsOfNothing(state + ", " + view.name)
	}
	p.run("back to the desk", chromedp.EmulateViewport(1280, 800),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "light"}}))
	p.settles()
}

func (p *person) complainsOfNothing(state string) {
	p.t.Helper()
	var found []string
	p.evaluates("run axe-core", `(async () => {
		if (!window.axe) { `+axe+` }
		// What still appears is paler than it will be.
		await Promise.allSettled(document.getAnimations().filter(a => a.timeline === document.timeline && a.playState === "running" && a.effect.getComputedTiming().iterations !== Infinity).map(a => a.finished));
		const {violations} = await axe.run(document, {resultTypes: ["violations"]});
		return violations.map(v => v.id + " (" + v.impact + "): " + v.nodes.map(n => n.target.join(" ") + " " + n.any.concat(n.all, n.none).map(c => c.message).join(" ")).join("; "));
	})()`, &found)
	p.picture(strings.NewReplacer(" ", "-", ",", "").Replace(state))
	if len(found) > 0 {
		p.t.Errorf("%s: axe-core says\n%s", state, strings.Join(found, "\n"))
	}
}

// announces proves that a page has one live region.
func (p *person) announces() {
	p.t.Helper()
	var regions []string
	p.evaluates("look for live regions", `[...document.querySelectorAll("[aria-live], [role=status], [role=alert], [role=log]")].filter(n => n.ariaLive !== "off").map(n => n.id)`, &regions)
	if len(regions) != 1 || regions[0] != "announcer" {
		p.t.Errorf("live regions are %q", regions)
	}
}
