package app_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"

	"errand/api"
	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/ops"
	"errand/internal/store"
	"errand/internal/temporal/wire"
	platform "errand/internal/test/sim/telegram"
)

// A telegramWorld is Telegram with one person.
type telegramWorld struct {
	*platform.Server
	t   *testing.T
	web *httptest.Server
	ana *platform.Person
}

func newTelegram(t *testing.T) *telegramWorld {
	w := &telegramWorld{Server: platform.New(platform.Options{}), t: t}
	w.web = httptest.NewServer(w.Server)
	t.Cleanup(func() { w.web.CloseClientConnections(); w.web.Close() })
	w.ana = w.AddPerson(platform.Person{Name: "Ana"})
	return w
}

func (w *telegramWorld) account(name string, bot *platform.Bot) config.Channel {
	return config.Channel{Kind: config.Telegram, Account: name, Token: config.Secret(bot.Token), TokenFrom: "TOKEN", URL: w.web.URL, Agent: "nikki", Line: 1}
}

// sees waits until Ana sees in chat what begins with these texts, and no more.
func (w *telegramWorld) sees(chat *platform.Chat, want ...string) {
	w.t.Helper()
	var texts []string
	eventually(w.t, strings.Join(want, " | "), func() bool {
		texts = nil
		for _, l := range w.Lines(chat) {
			texts = append(texts, l.Text)
		}
		return len(texts) >= len(want)
	})
	if !slices.EqualFunc(texts, want, strings.HasPrefix) {
		w.t.Fatalf("Ana sees %q, want %q", texts, want)
	}
}

func withAccounts(list ...config.Channel) func(*config.Config) {
	return func(c *config.Config) {
		c.Channels = list
		c.Access = map[string]config.Access{"telegram": {Mode: config.AccessOpen, Role: core.Member}}
	}
}

// TestConfiguredWebhook proves that Telegram can deliver to a worker that is not
// open to anybody else, and that reactions are shown where they are wanted.
func TestConfiguredWebhook(t *testing.T) {
	t.Parallel()
	w := newTelegram(t)
	t.Cleanup(w.Close)
	bot := w.AddBot("errand_bot")
	chat := w.Start(w.ana, bot)
	var worker atomic.Value // its address
	front := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		req, err := http.NewRequestWithContext(r.Context(), r.Method, "http://"+worker.Load().(string)+r.URL.Path, r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		req.Host, req.Header = "errand.example.org", r.Header
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			rw.WriteHeader(http.StatusBadGateway)
			return
		}
		resp.Body.Close()
		rw.WriteHeader(resp.StatusCode)
	}))
	t.Cleanup(func() { front.CloseClientConnections(); front.Close() })
	account := w.account("main", bot)
	account.Webhook, account.Reactions = &config.Webhook{URL: front.URL, Secret: "0123456789abcdef"}, true
	worker.Store("127.0.0.1:1")
	in, stage := play(t, nil, withAccounts(account))
	worker.Store(in.Address)
	asked := w.Write(chat, w.ana, "wait a moment")
	mark := func(want string) {
		t.Helper()
		eventually(t, "the message is marked "+want, func() bool {
			return slices.ContainsFunc(w.Sees(chat), func(l platform.Line) bool { return l.ID == asked && l.Reaction == want })
		})
	}
	mark("👀")
	stage.open("a moment")
	w.sees(chat, "done a moment")
	mark("👌")
	if polls := w.Calls("getUpdates"); len(polls) > 0 {
		t.Errorf("it is asked %d times too", len(polls))
	}
}

// TestConfiguredAccount proves that an account in errand.yaml is all it takes: what a
// person writes on Telegram is answered there, once, from the platform's wire to the
// platform's wire, words by an agent and a command by errand. After a restart accounts
// are connected, with what was written meanwhile, and one that is gone from errand.yaml
// is not. A reply whose fate Telegram did not tell is repeated, and says so.
func TestConfiguredAccount(t *testing.T) {
	t.Parallel()
	w := newTelegram(t)
	stays, goes := w.AddBot("stays_bot"), w.AddBot("goes_bot")
	here, there := w.Start(w.ana, stays), w.Start(w.ana, goes)
	accounts := []config.Channel{w.account("stays", stays), w.account("goes", goes)}
	in, _ := play(t, nil, withAccounts(accounts...))
	w.Write(here, w.ana, "**one**")
	w.Write(there, w.ana, "two")
	w.sees(here, "you said one")
	w.sees(there, "you said two")
	w.Write(here, w.ana, "/whoami")
	w.sees(here, "you said one", "You are Ana")
	in.stop()
	w.Write(here, w.ana, "while you were away")
	in.opts.Config.Channels = accounts[:1]
	if in.opts.Config.DatabaseURL != "" { // another worker might come back for it
		in.rewind(`UPDATE connections SET since = since - ?`, time.Minute)
	}
	in.start()
	w.sees(here, "you said one", "You are Ana", "you said while you were away")
	gone := wire.ConnectionID(core.Account{Channel: "telegram", Name: "goes"})
	eventually(t, "the connection to end", func() bool {
		found, err := in.Client.DescribeWorkflowExecution(t.Context(), gone, "")
		return err == nil && found.GetWorkflowExecutionInfo().GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED
	})
	for _, history := range in.histories(gone) {
		in.replays("connection-of-an-account-that-is-gone", history)
	}
	eventually(t, "the other connection to be there, alone", func() bool {
		list, err := ops.Do(t.Context(), in.Service.Runner, api.ListChannels, owner, api.None{})
		return err == nil && len(list) == 1 && list[0].State == "connected" && list[0].Detail == "as @stays_bot" && list[0].Owner != ""
	})
	w.Order("sendMessage", platform.Fault{Kind: platform.DieAfter})
	w.Write(here, w.ana, "once more")
	w.sees(here, "you said one", "You are Ana", "you said while you were away", "you said once more", repeated+"you said once more")
}

// TestAccountDown proves that an account whose server cannot be reached holds up
// neither a turn nor another account, is seen as what it is, and is told everything
// in order once it can be reached.
func TestAccountDown(t *testing.T) {
	t.Parallel()
	w := newTelegram(t)
	bot, down := w.AddBot("errand_bot"), w.AddBot("down_bot")
	chat, dark := w.Start(w.ana, bot), w.Start(w.ana, down)
	account := w.account("down", down)
	back := w.unreachable(&account)
	in, _ := play(t, nil, withAccounts(account, w.account("main", bot)))
	eventually(t, "the account to be seen as down", func() bool {
		list, err := ops.Do(t.Context(), in.Service.Runner, api.ListChannels, owner, api.None{})
		return err == nil && list[0].State == core.Degraded && strings.Contains(list[0].Advice, "tries again by itself") && list[1].State == core.Connected && list[1].Advice == ""
	})
	route := core.Route{Channel: "telegram", Account: "down", Chat: strconv.FormatInt(dark.ID, 10)}
	for _, text := range []string{"one", "two"} {
		out, err := in.Intake.Accept(t.Context(), intake.Inbound{Route: route, Person: app.Owner, Role: core.MasterAdmin, Text: text})
		if err != nil {
			t.Fatal(err)
		}
		in.until(out.Key, hasText("you said "+text))
	}
	w.Write(chat, w.ana, "hello")
	w.sees(chat, "you said hello")
	eventually(t, "two replies to wait, and no more", func() bool {
		list, err := in.Store.Deliveries(t.Context(), []core.OutboxState{core.Pending, core.Sending}, store.Page{})
		return err == nil && len(list) == 2 && list[0].Route.Account == "down" && list[1].Route.Account == "down"
	})
	if asked := w.Calls("sendMessage"); len(asked) != 1 {
		t.Errorf("messages were sent %d times, of which one is to the account that is not down", len(asked))
	}
	back()
	w.sees(dark, "you said one", "you said two")
}

// TestAgentsAccount proves that sessions on an agent's own account begin with that
// agent and return to it, that another agent who speaks there gives its name, and
// that late results of the agent are told on its account, or where they were asked
// for if it may not write there.
func TestAgentsAccount(t *testing.T) {
	t.Parallel()
	w := newTelegram(t)
	main, finns := w.AddBot("errand_bot"), w.AddBot("finn_bot")
	here, there := w.Start(w.ana, main), w.Start(w.ana, finns)
	account := w.account("finn", finns)
	account.Agent = "finn"
	in, stage := play(t, nil, withAccounts(w.account("main", main), account))
	w.Write(there, w.ana, "hello")
	w.sees(there, "you said hello")
	w.Write(there, w.ana, "/agent")
	w.sees(there, "you said hello", "You are talking with Finn")
	w.Write(there, w.ana, "/new")
	w.Write(there, w.ana, "/agent")
	w.sees(there, "you said hello", "You are talking with Finn", "A new session begins, with Finn", "You are talking with Finn")

	w.Write(here, w.ana, "/agent sasha")
	w.Write(here, w.ana, "hello")
	w.sees(here, "You are now talking with Sasha", "Sasha: you said hello")
	w.Write(here, w.ana, "/supervisor")
	w.Write(here, w.ana, do(send("finn", "wait late"), send("finn", "wait later")))
	in.awaitTasks(strconv.FormatInt(here.ID, 10), 2)
	w.Write(here, w.ana, "/reset")
	// How far the tasks are may be shown between what is waited for, and after it.
	delivered := func(chat *platform.Chat, what string) {
		t.Helper()
		eventually(t, what, func() bool {
			return slices.ContainsFunc(w.Lines(chat), func(l platform.Line) bool { return strings.HasPrefix(l.Text, what) })
		})
	}
	delivered(here, "A new session begins")
	stage.open("late")
	sent := func(n int) {
		t.Helper()
		eventually(t, "all to be noted as sent", func() bool {
			list, err := in.Store.Deliveries(t.Context(), []core.OutboxState{core.Sent}, store.Page{})
			late := 0
			for _, row := range list {
				if row.Event == core.EventLate {
					late++
				}
			}
			return err == nil && late == n
		})
	}
	// Who is asked about one of them, where it was told, has read that one.
	asks := func(chat *platform.Chat, agent, has, not string) {
		t.Helper()
		w.Write(chat, w.ana, "what did you mean by that?")
		var prompt string
		eventually(t, agent+" is asked", func() bool {
			for _, r := range stage.Requests() {
				if text, _ := given(r); speaker(r) == agent && len(text) > 0 && text[len(text)-1] == "what did you mean by that?" {
					prompt = fmt.Sprint(r.Messages)
					return true
				}
			}
			return false
		})
		if !strings.Contains(prompt, has+"\n") || strings.Contains(prompt, not+"\n") {
			t.Errorf("%s, who is asked what it meant, has read %s", agent, prompt)
		}
	}
	delivered(there, "Finn here:")
	sent(1)
	asks(there, "finn", "done late", "done later")
	w.Block(w.ana, finns)
	stage.open("later")
	delivered(here, "Finn here:")
	sent(2)
	asks(here, "nikki", "done later", "done late")
}
