package chaos

import (
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"errand/internal/store"
	"errand/internal/temporal/devserver"
	"errand/internal/test/sim/telegram"
)

// answeredWithin is how long an answer may take while workers are replaced.
const answeredWithin = 15 * time.Second

// TestUpgradeOfTwo proves that two workers can be replaced, one after the other, by a version with another
// migration, while people write and a task runs: everything is answered once within 15 seconds. Then the
// old version does not start any more.
func TestUpgradeOfTwo(t *testing.T) {
	s := onTelegramWith(t, telegram.Options{PerChat: -1, PerBot: -1})
	l := newLedger()
	model := httptest.NewServer(l)
	t.Cleanup(model.Close)
	w := newTwoWith(t, s, ledgerConfig, "OPENAI_BASE_URL="+model.URL+"/v1", "OPENAI_API_KEY=none", "ERRAND_MODEL=ledger", "ERRAND_CHECK_MODELS=false",
		"CHAOS_STOP_MS=5000") // Sasha is still at work when her worker stops
	first, _ := w.connected(-1)
	l.delay(sashas)
	s.write(t, 1, "send Sasha")
	w.eventually("Sasha is at work", func() bool { return l.calledLike(sashas) > 0 })

	written := writeOn(t, s)
	answered := func(more int) {
		at := len(hears(s, 0)) + more
		w.eventually("more is answered", func() bool { return len(hears(s, 0)) >= at })
	}
	answered(3)
	for _, i := range []int{first, 1 - first} { // the connection of the first is taken over
		w.replace(i)
		answered(5)
	}
	l.resume(sashas)
	slowest := written.end(w)
	w.eventually("Ben reads the result", func() bool { return timesIn(hears(s, 1), "two trains") > 0 })
	if got := timesIn(hears(s, 1), "two trains"); got != 1 {
		t.Errorf("Ben reads %q", hears(s, 1))
	}
	if slowest > answeredWithin {
		t.Errorf("an answer took %s", slowest)
	}
	t.Logf("%d messages were answered, the slowest after %s", written.count(), slowest.Round(10*time.Millisecond))
	w.apart()
	if _, err := store.Open(t.Context(), store.Options{PostgreSQL: w.database}); err == nil || !strings.Contains(err.Error(), "a newer version made it") {
		t.Errorf("the old version opens the database: %v", err)
	}
}

// replace stops a worker, and starts one of the next version.
func (w *two) replace(i int) {
	w.workers[i].cmd.Process.Signal(syscall.SIGTERM)
	<-w.workers[i].done
	control := fmt.Sprintf("127.0.0.1:%d", devserver.FreePort(w.t))
	w.workers[i] = w.spawn([]string{"one", "two"}[i], "CHAOS_MIGRATION=1", "CHAOS_CONTROL="+control)
	w.eventually("the new worker is ready", func() bool { return get(w.t.Context(), control, "/sessions") == nil })
}

// nextMigration changes tables that workers use all the time.
const nextMigration = `CREATE TABLE later (id BIGINT PRIMARY KEY);
ALTER TABLE sessions ADD COLUMN later TEXT NOT NULL DEFAULT '';
ALTER TABLE inbox ADD COLUMN later TEXT NOT NULL DEFAULT '';
ALTER TABLE turns ADD COLUMN later TEXT NOT NULL DEFAULT '';
ALTER TABLE tasks ADD COLUMN later TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN later TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN later TEXT NOT NULL DEFAULT '';
ALTER TABLE outbox ADD COLUMN later TEXT NOT NULL DEFAULT '';
CREATE INDEX inbox_later ON inbox (later);`

// buildMigrations returns the migrations of the next version, if this process plays one.
func buildMigrations() fs.FS {
	if os.Getenv("CHAOS_MIGRATION") == "" {
		return nil
	}
	files := fstest.MapFS{}
	for _, database := range []string{"sqlite", "postgres"} {
		known, err := filepath.Glob(filepath.Join("../../store/migrations", database, "*.sql"))
		if err != nil {
			panic(err) // the pattern is valid
		}
		for _, path := range known {
			text, err := os.ReadFile(path)
			if err != nil {
				panic(err)
			}
			files["migrations/"+database+"/"+filepath.Base(path)] = &fstest.MapFile{Data: text}
		}
		files[fmt.Sprintf("migrations/%s/%05d_later.sql", database, len(known)+1)] = &fstest.MapFile{Data: []byte(nextMigration)}
	}
	return files
}

// A writing is what Ana writes, one message after the other, while something happens.
type writing struct {
	mu         sync.Mutex
	at, read   []time.Time // when each message was written, and when each answer was read
	stop, done chan struct{}
}

const (
	lookEvery  = 50 * time.Millisecond
	writeEvery = 400 * time.Millisecond
	maxOpen    = 3 // errand sends one message a second to a chat
)

func writeOn(t *testing.T, s stage) *writing {
	l := &writing{stop: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(l.done)
		look, write := time.NewTicker(lookEvery), time.NewTicker(writeEvery)
		for writes := true; writes || len(l.read) < len(l.at); {
			select {
			case <-t.Context().Done():
				return
			case <-l.stop:
				l.stop, writes = nil, false
			case <-look.C:
				for range len(hears(s, 0)) - len(l.read) {
					l.read = append(l.read, time.Now())
				}
			case <-write.C:
				if writes && len(l.at)-len(l.read) < maxOpen {
					l.write(t, s)
				}
			}
		}
	}()
	return l
}

func (l *writing) write(t *testing.T, s stage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at = append(l.at, time.Now())
	s.write(t, 0, fmt.Sprintf("message %d", len(l.at)))
}

func (l *writing) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.at)
}

// end stops the writing and waits until each message is answered, in order. It returns how long the
// slowest answer took.
func (l *writing) end(w *two) (slowest time.Duration) {
	w.t.Helper()
	close(l.stop)
	w.eventually("everything is answered", func() bool {
		select {
		case <-l.done:
			return true
		default:
			return false
		}
	})
	texts := hears(w.stage, 0)
	if len(texts) != len(l.at) {
		w.t.Errorf("%d messages have %d answers", len(l.at), len(texts))
	}
	for i, text := range texts[:min(len(l.read), len(l.at))] {
		if want := fmt.Sprintf("you said message %d", i+1); text != want {
			w.t.Errorf("Ana reads %q, want %q", text, want)
		}
		slowest = max(slowest, l.read[i].Sub(l.at[i]))
	}
	return slowest
}
