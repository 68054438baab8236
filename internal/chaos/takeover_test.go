package chaos

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"errand"
	"errand/internal/freeport"
	platform "errand/internal/sim/telegram"
	"errand/internal/store"
	"errand/internal/store/storetest"
)

// takeover is how long it may take until another worker has a connection whose
// owner was killed.
const takeover = 15 * time.Second

// TestTakeover proves that of two workers on one database and one Temporal one is
// connected, that the other is within 15 seconds of the first being killed, and
// that what was written meanwhile is answered, once.
func TestTakeover(t *testing.T) {
	address := os.Getenv("ERRAND_TEST_APP_POSTGRES")
	if address == "" {
		t.Skip("ERRAND_TEST_APP_POSTGRES is not set: a URL, postgres://…, of a database where schemas may be made")
	}
	w := newTwo(t, storetest.Schema(t, address))
	w.platform.Write(w.chat, w.ana, "good day")
	w.answered(1)
	first, _ := w.connected(-1)
	w.workers[first].kill()
	killed := time.Now()
	w.platform.Write(w.chat, w.ana, "are you there?")
	// Not when it is seen or answered, which depends on how busy the machine is,
	// but when the other worker says that it was connected.
	second, since := w.connected(first)
	took := since.Sub(killed)
	if took > takeover {
		t.Errorf("worker %d took over from %d after %s, want it within %s", second, first, took, takeover)
	}
	w.answered(2)
	t.Logf("the other worker was connected %s after the kill, and answered after %s", took.Round(100*time.Millisecond), time.Since(killed).Round(100*time.Millisecond))
	for i, p := range w.workers {
		p.kill()
		if log := p.log.String(); strings.Contains(log, "another program polls") {
			t.Errorf("worker %d met the other at the platform; its log:\n%s", i, log)
		}
	}
}

// A two is two workers that could both hold one account.
type two struct {
	t        *testing.T
	platform *platform.Server
	ana      *platform.Person
	chat     *platform.Chat
	store    *store.Store
	workers  []*process
}

func newTwo(t *testing.T, database string) *two {
	w := &two{t: t, platform: platform.New(platform.Options{})}
	web := httptest.NewServer(w.platform)
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	bot := w.platform.AddBot("errand_bot")
	w.ana = w.platform.AddPerson(platform.Person{Name: "Ana"})
	w.chat = w.platform.Start(w.ana, bot)
	var err error
	if w.store, err = store.Open(t.Context(), store.Options{PostgreSQL: database}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.store.Close() })
	dir, port := t.TempDir(), freeport.For(t)
	file := filepath.Join(dir, "errand.yaml")
	yaml := fmt.Sprintf("channels:\n  telegram: [{account: main, token_env: BOT_TOKEN, access: open, role: member, url: %q}]\n", web.URL)
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	spawn(t, "CHAOS_ROLE=server", "ERRAND_DATA="+filepath.Join(dir, "temporal"), fmt.Sprintf("CHAOS_TEMPORAL_PORT=%d", port))
	for _, name := range []string{"one", "two"} {
		w.workers = append(w.workers, spawn(t, append(temporalAt(port), "CHAOS_ROLE=worker", "ERRAND_CONFIG="+file, "ERRAND_DATA="+filepath.Join(dir, name), "BOT_TOKEN="+bot.Token,
			"DATABASE_URL="+database, "ERRAND_LISTEN=127.0.0.1:0", "CHAOS_CONTROL=127.0.0.1:0")...))
	}
	return w
}

// answered waits until Ana has so many answers of the demonstration model, and no
// more.
func (w *two) answered(want int) {
	w.t.Helper()
	for deadline := time.Now().Add(time.Minute); len(w.platform.Lines(w.chat)) < want; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			for _, p := range w.workers {
				p.kill()
				w.t.Log(p.log.String())
			}
			w.t.Fatalf("Ana has %d answers, want %d", len(w.platform.Lines(w.chat)), want)
		}
	}
	if said := w.platform.Lines(w.chat); len(said) > want {
		w.t.Fatalf("Ana is told %d times, want %d: %+v", len(said), want, said)
	}
}

// connected waits until one of the workers, which is not but, is connected, and
// returns which it is, and since when.
func (w *two) connected(but int) (worker int, since time.Time) {
	w.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		c, _, err := w.store.Connection(w.t.Context(), errand.Account{Channel: "telegram", Name: "main"})
		if err != nil {
			w.t.Fatal(err)
		}
		for i, p := range w.workers {
			if i != but && c.State == errand.Connected && strings.Contains(c.Owner, fmt.Sprintf(":%d:", p.cmd.Process.Pid)) {
				return i, c.Since
			}
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("%q holds the connection, which is %s", c.Owner, c.State)
		}
	}
}
