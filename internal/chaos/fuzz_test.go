package chaos

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"errand/internal/freeport"
	"errand/internal/sim/telegram"
)

// TestFuzz runs two workers with different configurations on a real Temporal and
// a real PostgreSQL, lets people write and give commands at random, and meanwhile
// kills and stops workers, Temporal and PostgreSQL, keeps them away longer than
// any patience, and holds locks. When all that is over, and everything has
// settled, nothing may be lost, told twice or left open.
//
// ERRAND_CHAOS_FUZZ is how long the faults last ("60s"; without it the test is
// skipped), ERRAND_CHAOS_SEED what the choices are drawn from; a failure prints it.
func TestFuzz(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("ERRAND_CHAOS_FUZZ"))
	if err != nil {
		t.Skip("ERRAND_CHAOS_FUZZ is not set: how long faults are made, such as 60s")
	}
	seed, err := strconv.ParseUint(os.Getenv("ERRAND_CHAOS_SEED"), 10, 64)
	if err != nil {
		seed = uint64(time.Now().UnixNano()) % 1_000_000
	}
	t.Logf("ERRAND_CHAOS_SEED=%d", seed)
	f := newFuzz(t, seed)
	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	f.wait(30 * time.Second) // everything is up before the first fault
	var people sync.WaitGroup
	for _, chat := range f.chats {
		people.Go(func() { f.talk(ctx, chat) })
	}
	f.faults(ctx)
	people.Wait()
	f.settle(3 * time.Minute)
	f.check()
}

// workers is how many there are. The first has the Telegram account, the second
// knows nothing of it.
const workers = 2

// A fuzz is the installation, what surrounds it and what people have done.
type fuzz struct {
	t        *testing.T
	seed     uint64
	pg       *postgres
	db       *sql.DB // errand's own
	control  [workers]string
	ports    string // of Temporal
	temporal *supervised
	workers  [workers]*supervised
	platform *telegram.Server
	chats    []*fuzzChat
	number   atomicCounter // of messages
	log      fuzzLog
}

// A fuzzChat is one person's, and what they wrote there.
type fuzzChat struct {
	name     string
	commands bool // whoever writes here also stops, resets and cancels
	person   *telegram.Person
	chat     *telegram.Chat // nil: on the page
	random   *rand.Rand
	sent     []string // the tokens of messages that were accepted
}

func newFuzz(t *testing.T, seed uint64) *fuzz {
	f := &fuzz{t: t, seed: seed, pg: startPostgres(t), platform: telegram.New(telegram.Options{})}
	f.log.start = time.Now()
	if err := prepareTemporal(t.Context(), f.pg); err != nil {
		t.Fatal(err)
	}
	if err := f.pg.exec(t.Context(), "postgres", "CREATE DATABASE errand"); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("pgx", f.pg.url("errand"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	f.db = db
	model := httptest.NewServer(&fuzzModel{pause: f.modelPause()})
	t.Cleanup(model.Close)
	web := httptest.NewServer(f.platform)
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	bot := f.platform.AddBot("errand_bot")

	ports, err := freeport.Find("127.0.0.1", 4)
	if err != nil {
		t.Fatal(err)
	}
	f.ports = strings.Trim(strings.ReplaceAll(fmt.Sprint(ports), " ", ","), "[]")
	f.temporal = f.supervise("Temporal", "CHAOS_ROLE=cluster", "CHAOS_PORTS="+f.ports, fmt.Sprintf("CHAOS_PG_PORT=%d", f.pg.port))
	dir := t.TempDir()
	for i := range workers {
		f.control[i] = fmt.Sprintf("127.0.0.1:%d", freeport.For(t))
		file := filepath.Join(dir, fmt.Sprintf("errand%d.yaml", i))
		if err := os.WriteFile(file, []byte(fuzzConfig(i, web.URL)), 0o600); err != nil {
			t.Fatal(err)
		}
		f.workers[i] = f.supervise(fmt.Sprintf("worker %d", i), "CHAOS_ROLE=worker", "ERRAND_CONFIG="+file,
			"ERRAND_DATA="+filepath.Join(dir, strconv.Itoa(i)), "ERRAND_LISTEN=127.0.0.1:0", "CHAOS_CONTROL="+f.control[i],
			"OPENAI_BASE_URL="+model.URL+"/v1", "OPENAI_API_KEY=none", "ERRAND_MODEL=fuzz", "BOT_TOKEN="+bot.Token,
			"DATABASE_URL="+f.pg.url("errand"), fmt.Sprintf("TEMPORAL_ADDRESS=127.0.0.1:%d", ports[0]))
	}
	for i := range 9 {
		c := &fuzzChat{name: fmt.Sprintf("chat%d", i), commands: i%3 == 2, random: rand.New(rand.NewPCG(seed, uint64(i)))}
		if i < 2 {
			c.person = f.platform.AddPerson(telegram.Person{Name: c.name})
			c.chat = f.platform.Private(c.person, bot)
		}
		f.chats = append(f.chats, c)
	}
	t.Cleanup(func() {
		if t.Failed() {
			f.print()
		}
	})
	return f
}

// fuzzConfig has short patiences, so that outages are longer.
func fuzzConfig(worker int, platform string) string {
	config := `
primary: nikki
agents:
  nikki: {instructions: "AGENT-nikki talks with people.", delegates: [sasha, finn]}
  sasha: {instructions: "AGENT-sasha works.", delegates: [finn]}
  finn: {instructions: "AGENT-finn works."}
sessions: {patience: 3s, fold_timeout: 20s, fold_window: 200ms, suspend_after: 15s, window: 1000}
`
	if worker == 0 {
		config += fmt.Sprintf("channels:\n  telegram: [{account: main, token_env: BOT_TOKEN, access: open, role: member, url: %q}]\n", platform)
	}
	return config
}

// modelPause draws how long calls take: most are quick, some of those that work on
// a task take seconds.
func (f *fuzz) modelPause() func(string) time.Duration {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(f.seed, 1<<32))
	return func(agent string) time.Duration {
		mu.Lock()
		defer mu.Unlock()
		d := time.Duration(20+random.IntN(300)) * time.Millisecond
		if agent != "nikki" && random.IntN(4) == 0 {
			d += time.Duration(1+random.IntN(5)) * time.Second
		}
		return d
	}
}

// talk is what one person does until ctx is done.
func (f *fuzz) talk(ctx context.Context, c *fuzzChat) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Duration(200+c.random.IntN(2500)) * time.Millisecond):
		}
		f.write(c)
	}
}

// write writes one message, or gives one command.
func (f *fuzz) write(c *fuzzChat) {
	n := f.number.next()
	token := fmt.Sprintf("m%d", n)
	if c.commands && c.random.IntN(5) == 0 {
		all := []string{"/stop", "/stop all", "/reset", "/new", "/busy collect", "/busy steer", "/busy queue", "/busy interrupt", "/status", "/tasks", "/usage", "/history"}
		f.say(c, token, all[c.random.IntN(len(all))])
		return
	}
	kinds := []string{"say", "say", "async", "async", "sync", "nest"}
	f.say(c, token, fmt.Sprintf("%s %s k=%d", kinds[c.random.IntN(len(kinds))], token, 1+c.random.IntN(2)))
	c.sent = append(c.sent, token)
}

// say is tried again with the same id, at either worker, until it is accepted:
// that is what clients do whose request broke.
func (f *fuzz) say(c *fuzzChat, id, text string) {
	if c.chat != nil {
		f.platform.Write(c.chat, c.person, text)
		return
	}
	form := url.Values{"channel": {"web"}, "chat": {c.name}, "id": {id}, "text": {text}}
	for try := 0; ; try++ {
		if err := post(f.t.Context(), f.control[(try+len(id))%workers], "/say", form); err == nil {
			// Now and then a client does not hear that, and sends it once more.
			if c.random.IntN(10) == 0 {
				post(f.t.Context(), f.control[(try+1)%workers], "/say", form)
			}
			return
		}
		select {
		case <-f.t.Context().Done():
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func post(ctx context.Context, address, path string, form url.Values) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+path, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return nil
}

// faults makes one fault after the other until ctx is done, and takes back the
// last.
func (f *fuzz) faults(ctx context.Context) {
	random := rand.New(rand.NewPCG(f.seed, 1<<33))
	between := func(least, most time.Duration) time.Duration {
		return least + time.Duration(random.Int64N(int64(most-least)))
	}
	// pause waits, and reports whether there is still time.
	pause := func(d time.Duration) bool {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(d):
			return true
		}
	}
	stopped := func(what string, d time.Duration, signal func(syscall.Signal)) {
		f.log.add("%s stands still for %s", what, d)
		signal(syscall.SIGSTOP)
		pause(d)
		signal(syscall.SIGCONT)
	}
	for pause(between(500*time.Millisecond, 3*time.Second)) {
		i := random.IntN(workers)
		switch kind := random.IntN(12); kind {
		case 0, 1, 2:
			d := between(0, 4*time.Second)
			f.log.add("worker %d is killed for %s", i, d)
			f.workers[i].kill()
			pause(d)
			f.workers[i].start()
		case 3:
			f.log.add("worker %d is restarted", i)
			f.workers[i].signal(syscall.SIGTERM)
		case 4, 5, 6:
			stopped(fmt.Sprintf("worker %d", i), between(time.Second, 14*time.Second), f.workers[i].signal)
		case 7:
			d := between(0, 4*time.Second)
			if random.IntN(3) == 0 {
				d = between(20*time.Second, 30*time.Second) // longer than every patience
			}
			f.log.add("Temporal is killed for %s", d)
			f.temporal.kill()
			pause(d)
			f.temporal.start()
		case 8:
			stopped("Temporal", between(time.Second, 12*time.Second), f.temporal.signal)
		case 9:
			d := between(0, 3*time.Second)
			f.log.add("PostgreSQL is killed for %s", d)
			f.pg.kill()
			pause(d)
			f.pg.start()
		case 10:
			stopped("PostgreSQL", between(time.Second, 8*time.Second), f.pg.signal)
		case 11:
			f.hold(between(2*time.Second, 12*time.Second), random.IntN(2) == 0, pause)
		}
	}
}

// hold holds locks that steps need: of what people have used up, or of a
// conversation.
func (f *fuzz) hold(d time.Duration, budgets bool, pause func(time.Duration) bool) {
	f.log.add("a lock is held for %s (budgets: %v)", d, budgets)
	tx, err := f.db.Begin()
	if err != nil {
		return // PostgreSQL is not there: that is a fault as well
	}
	defer tx.Rollback()
	query := `SELECT pg_advisory_xact_lock(hashtextextended('session/web/local/chat3/-/owner', 0))`
	if budgets {
		query = `SELECT count(*) FROM (SELECT 1 FROM budgets FOR UPDATE) AS all_of_them`
	}
	ctx, cancel := context.WithTimeout(f.t.Context(), d)
	defer cancel()
	if _, err := tx.ExecContext(ctx, query); err == nil {
		pause(d)
	}
}
