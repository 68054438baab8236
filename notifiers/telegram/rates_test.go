package telegram_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	platform "errand/internal/test/sim/telegram"
	"errand/notifiers"
	"errand/notifiers/telegram"
)

// A direct line leads to a platform in the same bubble.
type direct struct{ to http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	d.to.ServeHTTP(answer, r)
	return answer.Result(), nil
}

// TestPace proves that a platform that refuses what is too fast never has to, and
// that no time is spent waiting that the caller does not have. In its bubble no
// machine is too busy to keep the pace.
func TestPace(t *testing.T) { synctest.Test(t, testRates) }

func testRates(t *testing.T) {
	server := platform.New(platform.Options{})
	bot := server.AddBot("errand_bot")
	chat := server.Start(server.AddPerson(platform.Person{Name: "Ana"}), bot)
	notifier, err := telegram.New(telegram.Options{Accounts: map[string]string{"main": bot.Token}, URL: "http://telegram", Client: &http.Client{Transport: direct{server}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := notifier.Notify(t.Context(), note(chat, "k1", longText(200))); err != nil {
		t.Fatal(err)
	}
	calls := server.Calls("sendMessage")
	if len(calls) != 2 || calls[1].At.Sub(calls[0].At) < time.Second {
		t.Errorf("%d calls", len(calls))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = notifier.Notify(ctx, note(chat, "k2", "too soon"))
	if send := sendError(t, err); send.Outcome != notifiers.NotSent || send.RetryAfter <= 100*time.Millisecond {
		t.Errorf("it is %v after %s", send, send.RetryAfter)
	}
	if ctx.Err() != nil {
		t.Error("it failed only when the context did")
	}
}
