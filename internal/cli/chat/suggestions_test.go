package chat

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"errand/internal/cli/console"
	"errand/internal/core"
)

// A desk answers what suggestions ask for, when a test says so.
type desk struct {
	*suggestions
	asked []suggested
}

func newDesk() *desk {
	d := &desk{suggestions: newSuggestions()}
	d.fetch = func(k kind, change int) {
		d.asked = append(d.asked, suggested{kind: k, change: change, at: time.Now()})
	}
	return d
}

func (d *desk) answers(failed bool, of ...string) bool {
	list := d.asked[0]
	d.asked = d.asked[1:]
	list.failed = failed
	for _, word := range of {
		list.choices = append(list.choices, choice{Word: word})
	}
	return d.come(list)
}

func (d *desk) offers(text string, want ...string) bool {
	var got []string
	_, choices := d.complete(text)
	for _, c := range choices {
		got = append(got, c.Word)
	}
	return slices.Equal(got, want)
}

// TestSuggestionsAfterAFailure proves that what the worker could not say is asked for again
// when it is needed next, and not before.
func TestSuggestionsAfterAFailure(t *testing.T) {
	d := newDesk()
	if !d.offers("/") || len(d.asked) != 1 {
		t.Fatalf("asked is %v", d.asked)
	}
	if d.answers(true) || len(d.asked) > 0 {
		t.Error("it is looked again at once")
	}
	if !d.offers("/") || len(d.asked) != 1 || !d.answers(false, "/help") || !d.offers("/", "/help") || len(d.asked) > 0 {
		t.Errorf("it is not asked again, or in vain: %+v", d.suggestions)
	}
}

// TestSuggestionsInAnotherLanguage proves that /language drops suggestions from before, also
// those that were on their way, and that a task which changes is asked for anew.
func TestSuggestionsInAnotherLanguage(t *testing.T) {
	d := newDesk()
	d.offers("/")
	d.answers(false, "/before")
	d.offers("@")
	(&dialogue{offers: d.suggestions, line: &line{}}).handle(answer{to: Outgoing{Text: "/language es"}})
	if !d.answers(false, "before") || !d.offers("@") || !d.offers("/") || len(d.asked) != 2 {
		t.Fatalf("there are words of before: %+v", d.suggestions)
	}
	d.answers(false, "after")
	d.answers(false, "/after")
	if !d.offers("@", "@after") || !d.offers("/", "/after") {
		t.Errorf("there are %+v", d.lists)
	}

	d.offers("/cancel ")
	d.note(core.EventTask)
	d.answers(false, "t-22222222")
	if !d.offers("/cancel ") || len(d.asked) != 1 {
		t.Error("what was asked for before the task changed is kept")
	}
}

// TestSuggestFails proves that a worker that does not answer is told from one that knows
// nothing.
func TestSuggestFails(t *testing.T) {
	for status, failed := range map[int]bool{http.StatusOK: false, http.StatusBadGateway: true} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			w.Write([]byte("[]"))
		}))
		defer server.Close()
		c := NewConversation(console.NewWorker(server.URL, ""), "main")
		for _, k := range []kind{ofCommands, ofAgents, ofTasks, ofOpenTasks, ofQuestions} {
			if got := c.suggest(t.Context(), k, 0); got.failed != failed {
				t.Errorf("status %d, kind %d: failed is %v", status, k, got.failed)
			}
		}
	}
}
