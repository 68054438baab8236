package chaos

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"errand/internal/app"
	"errand/internal/backup"
	"errand/internal/config"
	"errand/internal/store"
	"errand/internal/store/sqldb"
	"errand/internal/test/storetest"
)

// TestRestore proves that a backup which was made under load, of an errand that was then killed,
// goes on elsewhere: every message in it is answered once, and a second answer says that it may be
// one; an open question can be answered, and its result is told once, as is that of an open task.
func TestRestore(t *testing.T) {
	on := map[string]func(*testing.T) stage{"telegram": onTelegram}
	if os.Getenv("ERRAND_CHAOS") != "" {
		on = stages
	}
	for name, open := range on {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			restores(t, name, s, onPlatform(t, s), func() store.Options { return store.Options{} })
		})
	}
	address := os.Getenv("ERRAND_TEST_APP_POSTGRES")
	if address == "" {
		return
	}
	for name, open := range on {
		t.Run(name+" on PostgreSQL", func(t *testing.T) {
			t.Parallel()
			s := open(t)
			restores(t, name, s, onPlatform(t, s), func() store.Options { return store.Options{PostgreSQL: storetest.Schema(t, address)} })
		})
	}
}

func restores(t *testing.T, channel string, s stage, w *world, database func() store.Options) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	place := func(name string) backup.Options {
		o := app.BackupOptions(&config.Config{Data: filepath.Join(w.dir, name)}, "test")
		o.Store = database()
		if o.Store.PostgreSQL == "" {
			o.Store.SQLite = filepath.Join(o.Data, store.File)
		}
		w.env = append(w.env, "ERRAND_DATA="+o.Data, "DATABASE_URL="+o.Store.PostgreSQL)
		return o
	}
	old := place("data")
	w.begin(ctx, s, "", 0, 1)
	w.send(ctx, "ann", "m-1", "good evening")
	w.greeted(ctx)
	w.delegate(ctx, url.Values{"agent": {"sasha"}, "text": {asksDay}})
	w.until(ctx, s, func() bool { return timesIn(w.platform.Seen("ann"), "Which day?") == 1 })
	w.ledger.delay(sashas)
	s.write(t, 1, "send Sasha")
	w.until(ctx, s, func() bool { return timesIn(hears(s, 1), "Sasha is at it") == 1 })

	load, stop := context.WithCancel(ctx)
	loaded := make(chan struct{})
	go func() {
		defer close(loaded)
		for i := 1; load.Err() == nil; i++ {
			for p := range people {
				s.write(t, p, fmt.Sprintf("message %d", i))
			}
			w.rest(load, 400*time.Millisecond)
		}
	}()
	answers := func(p int) int { return timesIn(hears(s, p), "you said message") }
	w.until(ctx, s, func() bool { return answers(0) > 5 && answers(1) > 5 })
	file := filepath.Join(w.dir, "backup")
	if _, err := backup.Write(ctx, old, file, true); err != nil {
		t.Fatal(err)
	}
	at := answers(0)
	w.until(ctx, s, func() bool { return answers(0) > at+3 }) // they are told after the backup, too
	w.worker.kill()
	stop()
	<-loaded

	elsewhere := place("elsewhere")
	if err := os.Mkdir(elsewhere.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Verify(elsewhere, file); err != nil {
		t.Fatal(err)
	}
	if err := backup.Restore(ctx, elsewhere, file); err != nil {
		t.Fatal(err)
	}
	saved, open := savedMessages(t, elsewhere, channel), 0
	for p := range people {
		for _, text := range saved {
			if timesIn(hears(s, p), "you said "+text) == 0 {
				open++
			}
		}
	}
	w.startWorker("")
	w.until(ctx, s, func() bool {
		for p := range people {
			if slices.ContainsFunc(saved, func(text string) bool { return !told(hears(s, p), "you said "+text) }) {
				return false
			}
		}
		return true
	})
	w.ledger.resume(sashas) // a result that meets a message is told instead of its answer by this model
	w.answer(ctx, "Monday")
	w.until(ctx, s, func() bool {
		return told(hears(s, 1), "Sasha says: two trains") && told(w.platform.Seen("ann"), "Sasha says: two trains")
	})
	for p := range people { // nothing is on its way behind
		text := fmt.Sprintf("still there, %d?", p)
		s.write(t, p, text)
		w.until(ctx, s, func() bool { return told(hears(s, p), "you said "+text) })
	}
	marked := judgeRestored(w, s, saved)
	t.Logf("%d messages were in the backup, %d of %d answers were open at the kill, %d answers say that they may be repeats", len(saved), open, people*len(saved), marked)
}

func savedMessages(t *testing.T, o backup.Options, channel string) (texts []string) {
	t.Helper()
	db, err := sqldb.Open(sqldb.Options{SQLite: o.Store.SQLite, PostgreSQL: o.Store.PostgreSQL})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Read(t.Context()).All(&texts, `SELECT text FROM inbox WHERE channel = ? AND text LIKE 'message %' GROUP BY text HAVING COUNT(*) = ?`, channel, people)
	if err != nil || len(texts) == 0 {
		t.Fatalf("the backup has %q, %v", texts, err)
	}
	return texts
}

func told(texts []string, want string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return unmarked(text) == want })
}

func unmarked(text string) string { return strings.TrimSpace(strings.TrimPrefix(text, again)) }

// judgeRestored returns the number of marked answers.
func judgeRestored(w *world, s stage, saved []string) (marked int) {
	want := []string{"Sasha says: two trains", "Sasha is at it"}
	for _, text := range saved {
		want = append(want, "you said "+text)
	}
	for p, texts := range [][]string{hears(s, 0), hears(s, 1), w.platform.Seen("ann")} {
		plain, again := map[string]int{}, map[string]int{}
		for _, text := range texts {
			if rest := unmarked(text); rest != text {
				again[rest]++
				marked++
			} else {
				plain[text]++
			}
		}
		for _, text := range want {
			if plain[text] > 1 || again[text] > 1 {
				w.t.Errorf("%d reads %q %d times, and %d times as a possible repeat", p, text, plain[text], again[text])
			}
		}
	}
	if w.t.Failed() {
		w.t.Errorf("they read %q, %q, %q; log:\n%s", hears(s, 0), hears(s, 1), w.platform.Seen("ann"), w.logs())
	}
	return marked
}
