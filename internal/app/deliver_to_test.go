package app_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"testing"

	"errand/internal/core"
	platform "errand/internal/test/sim/telegram"
)

// TestDeliverTo proves that the result of a task which a program gives for a person is told in
// the chat of theirs that it names, on Telegram, in the agent's voice and once, though the
// request comes twice; and that nobody has anything told in it by somebody else's token.
func TestDeliverTo(t *testing.T) {
	t.Parallel()
	w := newTelegram(t)
	nikki, finn := w.AddBot("errand_bot"), w.AddBot("finn_bot")
	workshop := w.account("workshop", finn)
	workshop.Agent, workshop.Line = "finn", 2
	in, _ := play(t, nil, withAccounts(w.account("main", nikki), workshop))
	here, there := w.Start(w.ana, nikki), w.Start(w.ana, finn)
	w.Post(here, w.ana, platform.Post{Text: "hello"})
	w.sees(here, "you said hello")
	w.Post(there, w.ana, platform.Post{Text: "hi Finn"})
	w.sees(there, "you said hi Finn")

	ana, err := in.Store.Identify(t.Context(), "telegram", "workshop", strconv.FormatInt(w.ana.ID, 10))
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := in.Store.EnsurePerson(t.Context(), "bob", "Bob", core.Member)
	if err != nil || !stranger {
		t.Fatal(stranger, err)
	}
	give := func(person core.PersonID, to string) (int, string) {
		t.Helper()
		token, _, err := in.Store.CreateToken(t.Context(), core.Token{Person: person, Kind: core.TokenAPI}, 0)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(map[string]any{"agent": "finn", "task": "trains", "deliver_to": to})
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+in.Address+"/trigger-bot", bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Idempotency-Key", "k")
		resp, err := (&http.Client{Transport: bearer(token)}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var out struct{ ID string }
		if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, out.ID
	}
	if status, _ := give("bob", "telegram/workshop/"+strconv.FormatInt(there.ID, 10)); status != http.StatusForbidden {
		t.Errorf("somebody else's chat is answered %d", status)
	}
	status, id := give(ana.ID, "telegram/workshop")
	if status != http.StatusAccepted && status != http.StatusOK {
		t.Fatalf("it is answered %d", status)
	}
	w.sees(there, "you said hi Finn", "Finn on “trains”")
	if _, again := give(ana.ID, "telegram/workshop"); again != id {
		t.Errorf("the same request is %s and %s", id, again)
	}
	in.atRest(id)
	in.reconcile() // who looks after what was missed tells nothing again
	w.sees(there, "you said hi Finn", "Finn on “trains”")
	w.sees(here, "you said hello")
}
