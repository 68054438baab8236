package app_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"

	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/temporal/wire"
	platform "errand/internal/test/sim/telegram"
)

func (w *telegramWorld) cutOff(account *config.Channel) (cut func(bool)) {
	var off atomic.Bool
	line := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if off.Load() {
			panic(http.ErrAbortHandler) // the connection breaks
		}
		w.Server.ServeHTTP(rw, r)
	}))
	w.t.Cleanup(func() { line.CloseClientConnections(); line.Close() })
	account.URL = line.URL
	return func(now bool) {
		off.Store(now)
		line.CloseClientConnections()
	}
}

// unreachable puts a platform where every connection is refused until back is called.
// The port is the test's meanwhile: nobody else can listen there.
func (w *telegramWorld) unreachable(account *config.Channel) (back func()) {
	w.t.Helper()
	check := func(err error) {
		if err != nil {
			w.t.Helper()
			w.t.Fatal(err)
		}
	}
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	check(err)
	f := os.NewFile(uintptr(socket), "the platform")
	w.t.Cleanup(func() { f.Close() })
	check(syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	at, err := syscall.Getsockname(socket)
	check(err)
	account.URL = "http://127.0.0.1:" + strconv.Itoa(at.(*syscall.SockaddrInet4).Port)
	return func() {
		w.t.Helper()
		check(syscall.Listen(socket, syscall.SOMAXCONN))
		l, err := net.FileListener(f)
		check(err)
		web := httptest.NewUnstartedServer(w.Server)
		web.Listener.Close()
		web.Listener = l
		web.Start()
		w.t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	}
}

// connection waits for the connection of an account to be in a state.
func (in *installation) connection(a core.Account, state core.ConnectionState) {
	in.t.Helper()
	eventually(in.t, a.String()+" to be "+string(state), func() bool {
		c, found, err := in.Store.Connection(in.t.Context(), a)
		return err == nil && found && c.State == state
	})
}

// pauses waits until the Outbox workflow of a chat waits for its next attempt.
func (in *installation) pauses(r core.Route) {
	in.t.Helper()
	var seen string
	defer func() {
		if in.t.Failed() {
			in.t.Log("last seen of its Outbox workflow:", seen)
		}
	}()
	eventually(in.t, "a pause of "+r.Chat, func() bool {
		d, err := in.Client.DescribeWorkflowExecution(in.t.Context(), wire.OutboxID(r), "")
		seen = fmt.Sprint(d.GetWorkflowExecutionInfo().GetStatus(), d.GetPendingActivities(), err)
		if err != nil || len(d.GetPendingActivities()) != 1 {
			return false
		}
		a := d.GetPendingActivities()[0]
		return a.GetState() == enumspb.PENDING_ACTIVITY_STATE_SCHEDULED && a.GetAttempt() > 1
	})
}

// TestAccountBack proves that what waits for an account is told in order as soon as
// the account is connected again: the next attempt by itself would be an hour later.
func TestAccountBack(t *testing.T) {
	t.Parallel()
	w := newTelegram(t)
	bot := w.AddBot("errand_bot")
	account := w.account("main", bot)
	cut := w.cutOff(&account)
	other := w.AddPerson(platform.Person{Name: "Ben"})
	ana, ben := w.Start(w.ana, bot), w.Start(other, bot)
	in, stage := play(t, func(o *app.Options) {
		o.Settings = func(s *wire.Settings) { quick(s); s.SendAgain = time.Hour }
	}, withAccounts(account))
	w.Write(ana, w.ana, "wait for it")
	w.Write(ben, other, "wait for it")
	stage.begun(t, "nikki", 2)
	cut(true)
	in.connection(account.At(), "degraded")
	stage.open("for it")
	route := func(c *platform.Chat) core.Route {
		return core.Route{Channel: "telegram", Account: "main", Chat: strconv.FormatInt(c.ID, 10)}
	}
	in.pauses(route(ana))
	in.pauses(route(ben))
	out, err := in.Intake.Accept(t.Context(), intake.Inbound{Route: route(ana), Person: app.Owner, Role: core.MasterAdmin, Text: "and more"})
	if err != nil {
		t.Fatal(err)
	}
	in.until(out.Key, hasText("you said and more"))
	cut(false)
	w.sees(ana, repeated+"done for it", "you said and more")
	w.sees(ben, repeated+"done for it")
	in.atRest(wire.OutboxID(route(ana)))
	for _, history := range in.histories(wire.OutboxID(route(ana))) {
		in.replays("outbox-of-an-account-that-is-back", history)
	}
}
