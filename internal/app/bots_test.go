package app_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"errand/internal/app"
	"errand/internal/config"
)

// TestSwappedTokens proves that errand does not start where two accounts have
// each other's tokens, with words that say so, and that people are told nothing by
// the wrong bot; that another bot may take an account over; and that an account
// keeps its bot when its token is a new one.
func TestSwappedTokens(t *testing.T) {
	t.Parallel()
	w := newTelegram(t)
	one, two := w.AddBot("errand_bot"), w.AddBot("finn_bot")
	here, there := w.Start(w.ana, one), w.Start(w.ana, two)
	in, stage := play(t, nil, withAccounts(w.account("main", one), w.account("finn", two)))
	w.Write(here, w.ana, "wait for it")
	stage.begun(t, "nikki", 1)
	in.stop()
	in.opts.Config.Channels[0].Token, in.opts.Config.Channels[1].Token = config.Secret(two.Token), config.Secret(one.Token)
	if a, err := app.Start(t.Context(), in.opts); err == nil {
		a.Stop(t.Context())
		t.Fatal("it starts with swapped tokens")
	} else if !strings.Contains(err.Error(), "telegram/finn was so far: the tokens may be swapped") || strings.Contains(err.Error(), two.Token) {
		t.Errorf("it says: %v", err)
	}
	var log bytes.Buffer
	three := w.AddBot("third_bot")
	in.opts.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	in.opts.Config.Channels[0].Token, in.opts.Config.Channels[1].Token = config.Secret(one.Token), config.Secret(three.Token)
	stage.open("for it")
	in.start()
	w.sees(here, "done for it")
	w.sees(there)
	in.stop()
	if n := strings.Count(log.String(), "another bot than before"); n != 1 || !strings.Contains(log.String(), "account=finn") {
		t.Errorf("it is said %d times:\n%s", n, log.String())
	}
}
