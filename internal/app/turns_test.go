package app_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/llm"
	"errand/internal/test/llmtest"
)

// TestSlowTurnsOfOnePerson proves that a person's turn starts while a guest
// has a hundred slow turns, of which some are shown as waiting, and that all of those are answered.
func TestSlowTurnsOfOnePerson(t *testing.T) {
	t.Parallel()
	begun, end := make(chan string, 1000), make(chan struct{})
	client, err := llm.New(llm.Config{Models: map[string]llm.Model{"default": {Providers: []llm.Provider{{Name: "only", BaseURL: llmtest.Address, Model: "m",
		HTTPClient: llmtest.InProcess(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			switch {
			case strings.Contains(string(body), "slow"):
				begun <- "slow"
				<-end
			case strings.Contains(string(body), "my turn"):
				begun <- "mine"
			}
			llmtest.Answer("done")(w, r)
		}))}}}}})
	if err != nil {
		t.Fatal(err)
	}
	in := install(t, client, nil)
	guest, _, err := in.Store.AdmitSender(t.Context(), "telegram", "main", []string{"42"}, core.Person{Name: "Gil", Role: core.Guest})
	if err != nil {
		t.Fatal(err)
	}
	write := func(chat, text string) core.SessionKey {
		out, err := in.Intake.Accept(t.Context(), intake.Inbound{Route: core.WebRoute(chat), Person: guest.ID, Role: core.Guest, Text: text})
		if err != nil {
			t.Fatal(err)
		}
		return out.Key
	}
	last := write("last", "hello")
	in.until(last, hasText("done"))
	events, cancel := in.Store.Bus().Subscribe(last)
	defer cancel()
	var keys []core.SessionKey
	for i := range 100 {
		keys = append(keys, write(fmt.Sprint("g", i), "slow"))
	}
	for range 32 {
		<-begun
	}
	key := in.send("mine", "my turn")
	if which := <-begun; which != "mine" { // all slow turns still hold their places
		t.Fatalf("a %s turn starts", which)
	}
	in.until(key, hasText("done"))
	write("last", "slow")
	for e := range events {
		if e.Type == core.EventStep && e.Text == "waiting: errand is busy" {
			break
		}
	}
	close(end)
	for _, key := range keys {
		in.until(key, hasText("done"))
	}
}
