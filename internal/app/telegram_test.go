package app_test

import (
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"errand/internal/app"
	"errand/internal/core"
	"errand/internal/intake"
	platform "errand/internal/test/sim/telegram"
	"errand/notifiers"
	notifier "errand/notifiers/telegram"
)

// TestTelegramPresence proves that somebody on Telegram sees that an agent writes
// while a turn runs, and how far what it delegated is, in one message that
// changes and is the same after a restart.
func TestTelegramPresence(t *testing.T) {
	t.Parallel()
	server := platform.New(platform.Options{})
	web := httptest.NewServer(server)
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	bot, ana := server.AddBot("errand_bot"), server.AddPerson(platform.Person{Name: "Ana"})
	chat := server.Start(ana, bot)
	in, stage := play(t, func(o *app.Options) {
		o.Notifiers = func(r *notifiers.Router) {
			n, err := notifier.New(notifier.Options{Accounts: map[string]string{"main": bot.Token}, URL: web.URL})
			if err != nil {
				t.Fatal(err)
			}
			r.Handle("telegram", n)
		}
	})
	write := func(text string) core.SessionKey {
		t.Helper()
		out, err := in.Intake.Accept(t.Context(), intake.Inbound{Route: core.Route{Channel: "telegram", Account: "main", Chat: strconv.FormatInt(chat.ID, 10)},
			Person: app.Owner, MessageID: strconv.Itoa(server.Write(chat, ana, text)), Text: text})
		if err != nil {
			t.Fatal(err)
		}
		return out.Key
	}
	line := func(want string) {
		t.Helper()
		eventually(t, want, func() bool {
			n := 0
			for _, l := range server.Lines(chat) {
				if strings.HasSuffix(l.Text, " Sasha: wait trains") {
					n++
					if l.Text != want {
						return false
					}
				}
			}
			return n == 1
		})
	}
	write("wait a moment")
	eventually(t, "it types", func() bool { return len(server.Calls("sendChatAction")) > 1 })
	stage.open("a moment")
	session := in.current(write(do(send("sasha", "wait trains"))))
	line("⏳ Sasha: wait trains")
	// What is shown and never noted is given up, rather than shown twice.
	eventually(t, "which message it is", func() bool {
		p, _, err := in.Store.Progress(t.Context(), session, 2)
		return err == nil && p.Message != ""
	})
	in.stop()
	in.start()
	stage.open("trains")
	line("✔ Sasha: wait trains")
}
