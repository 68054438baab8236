package app_test

import (
	"context"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"errand"
	"errand/internal/app"
	channel "errand/internal/channels/telegram"
	"errand/internal/config"
	"errand/internal/intake"
	platform "errand/internal/sim/telegram"
	"errand/notifiers"
	notifier "errand/notifiers/telegram"
)

// TestTelegram proves that what a person writes on Telegram is answered there,
// once, from the platform's wire to the platform's wire: words by an agent, a
// command by errand, with a restart in between, and a reply whose fate Telegram
// did not tell as a repeat that says so.
func TestTelegram(t *testing.T) {
	t.Parallel()
	server := platform.New(platform.Options{})
	web := httptest.NewServer(server)
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	bot, ana := server.AddBot("errand_bot"), server.AddPerson(platform.Person{Name: "Ana"})
	chat := server.Start(ana, bot)
	in, _ := play(t, func(o *app.Options) {
		o.Notifiers = func(r *notifiers.Router) {
			n, err := notifier.New(notifier.Options{Accounts: map[string]string{"main": bot.Token}, URL: web.URL})
			if err != nil {
				t.Fatal(err)
			}
			r.Handle("telegram", n)
		}
	}, func(c *config.Config) { c.Access = map[string]config.Access{"telegram": {Mode: config.AccessOpen}} })
	connect := func() (stop func()) {
		c, err := channel.New(channel.Options{Account: "main", Token: bot.Token, URL: web.URL, Receiver: in.Intake, Logger: testLogger(t), Pause: 10 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); c.Run(ctx) }()
		return func() { cancel(); <-done }
	}
	sees := func(want ...string) {
		t.Helper()
		said := func() []string {
			var texts []string
			for _, l := range server.Lines(chat) {
				texts = append(texts, l.Text)
			}
			return texts
		}
		eventually(t, strings.Join(want, " | "), func() bool { return len(said()) >= len(want) })
		for i, text := range said() {
			if i >= len(want) || !strings.HasPrefix(text, want[i]) {
				t.Fatalf("Ana sees %q, want %q", said(), want)
			}
		}
	}
	stop := connect()
	server.Write(chat, ana, "hello **there**")
	sees("you said hello there")
	server.Write(chat, ana, "/whoami")
	sees("you said hello there", "You are Ana")
	stop()
	server.Write(chat, ana, "while you were away")
	stop = connect()
	sees("you said hello there", "You are Ana", "you said while you were away")
	server.Order("sendMessage", platform.Fault{Kind: platform.DieAfter})
	server.Write(chat, ana, "once more")
	sees("you said hello there", "You are Ana", "you said while you were away", "you said once more", "Repeating this in case it did not arrive:\nyou said once more")
	stop()
}

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
	write := func(text string) errand.SessionKey {
		t.Helper()
		out, err := in.Intake.Accept(t.Context(), intake.Inbound{Route: errand.Route{Channel: "telegram", Account: "main", Chat: strconv.FormatInt(chat.ID, 10)},
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
