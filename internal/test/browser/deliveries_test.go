package browser

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"

	"errand/internal/app"
	"errand/internal/core"
	"errand/internal/store"
)

// TestDeliveryThatArrived proves that who sends a delivery again which has arrived meanwhile
// is told so, by the page and by the API, and not that something is broken.
func TestDeliveryThatArrived(t *testing.T) {
	in, _, owner := atBoard(t)
	route := core.Route{Channel: "telegram", Account: "main", Chat: "7"}
	n := core.Notification{Key: "k", Route: route, Session: core.NewSessionKey(route, app.Owner), Event: core.EventReply, Text: "the train is blue"}
	_, err := in.app.Store.Answer(t.Context(), n)
	owner.must("queue a message", err)
	list, err := in.app.Store.Deliveries(t.Context(), core.OutboxStates(), store.Page{Limit: 1})
	owner.must("read it", err)
	owner.must("refuse it", in.app.Store.MarkBlocked(t.Context(), list[0].ID, "the chat is gone", false))
	owner.sees("#outbox .title", "telegram 7: not delivered")
	owner.sees("#outbox", "the train is blue")
	owner.accessible("an undelivered message")

	owner.run("hear of nothing more", chromedp.Evaluate(`(() => { const real = window.fetch; window.fetch = (path, options) => String(path).startsWith("/api/outbox?") ? new Promise(() => {}) : real(path, options); })()`, nil))
	owner.must("let it go", in.app.Store.RetryOutbox(t.Context(), list[0].ID))
	owner.must("let it arrive", in.app.Store.MarkSent(t.Context(), list[0].ID, "main", []string{"m-1"}))
	owner.clicks("#outbox .act button")
	owner.sees("#outbox .said", "has already arrived")
	owner.sees("#announcer", "has already arrived")

	var answer struct {
		Status int
		Body   struct {
			Error struct{ Code, Message string }
		}
	}
	owner.evaluates("retry it by the API", `fetch("/api/outbox/`+fmt.Sprint(list[0].ID)+`/retry", {method: "POST", headers: {"Content-Type": "application/json", "Accept-Language": "es"}, body: "{}"}).then(async answer => ({Status: answer.status, Body: await answer.json()}))`, &answer)
	if answer.Status != http.StatusConflict || answer.Body.Error.Code != "closed" {
		t.Errorf("the API answers %+v", answer)
	}
}
