package web

import (
	"net/http/httptest"
	"strings"
	"testing"

	"errand/internal/core"
)

// TestLatePieces proves that pieces of a reply which come after the reply itself
// are not sent: a page would show them as a second reply in the making.
func TestLatePieces(t *testing.T) {
	w := httptest.NewRecorder()
	out := newStream(w)
	for _, e := range []core.Event{
		{Type: core.EventDelta, Session: "s", Turn: 1, Text: "one"},
		{ID: 7, Type: core.EventReply, Session: "s", Turn: 1, Text: "one two"},
		{Type: core.EventStep, Session: "s", Turn: 1, Text: "too late"},
		{Type: core.EventDelta, Session: "s", Turn: 1, Text: "too late"},
		{Type: core.EventStep, Session: "s", Task: "t-22222222", Text: "a task goes on"},
		{Type: core.EventDelta, Session: "s", Turn: 2, Text: "next turn"},
		{Type: core.EventDelta, Session: "after a reset", Turn: 1, Text: "next session"},
	} {
		if err := out.send(e); err != nil {
			t.Fatal(err)
		}
	}
	got := w.Body.String()
	if strings.Contains(got, "too late") {
		t.Errorf("what comes after the end of a turn is sent:\n%s", got)
	}
	for _, want := range []string{"one two", "a task goes on", "next turn", "next session"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
}
