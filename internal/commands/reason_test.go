package commands_test

import (
	"strings"
	"testing"

	"errand/internal/core"
	"errand/internal/texts"
)

// TestReasonsOfTasks is what people read with /task of one that did not complete: the
// reasons of errand's own in their language, their own words as they wrote them.
func TestReasonsOfTasks(t *testing.T) {
	h := build(t, nil)
	ended := func(reason string) core.TaskID {
		id := h.task("member", "trains")
		if _, _, err := h.store.FinishTask(t.Context(), id, core.Failed, reason); err != nil {
			t.Fatal(err)
		}
		return id
	}
	gone, own := ended(core.ReasonTerminated.Text()), ended("the hotel is closed")
	for language, want := range map[string]string{"en": "its workflow was terminated", "es": "su workflow fue terminado"} {
		h.setLanguage("member", language)
		if got := h.send("member", "/task "+string(gone)); !strings.HasSuffix(got, "\n\n"+want) {
			t.Errorf("%s: %q", language, got)
		}
		unwanted := h.task("member", "hotels")
		h.send("member", "/cancel "+string(unwanted))
		canceled := map[string]string{"en": "canceled", "es": "cancelada"}[language]
		if got := h.send("member", "/task "+string(unwanted)); !strings.HasSuffix(got, "\n\n"+canceled) {
			t.Errorf("%s: without a reason: %q", language, got)
		}
		if got := h.send("member", "/task "+string(own)); !strings.HasSuffix(got, "\n\nthe hotel is closed") {
			t.Errorf("%s: %q", language, got)
		}
	}
	catalog, err := texts.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range core.Reasons() {
		if !catalog.Has("reason." + string(r)) {
			t.Errorf("there are no words for %s", r)
		}
	}
}
