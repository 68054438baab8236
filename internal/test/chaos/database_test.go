package chaos

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/temporal/devserver"
	"errand/internal/test/chaos/rig"
)

// An outage is a whole installation in this process whose database fails while turns
// and delegations are under way.
type outage struct {
	*testing.T
	options app.Options
	app     *app.App
	log     safeBuffer
	mu      sync.Mutex
	asked   map[string]int // model calls, by whom
	let     chan struct{}  // closed: model calls are answered
	calls   chan string    // by whom a call that waits was made
}

// A safeBuffer may be read while it is written.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// newOutage starts an installation: data is its folder, database the URL of its
// PostgreSQL, or empty.
func newOutage(t *testing.T, data, database string) *outage {
	t.Helper()
	o := &outage{T: t, asked: map[string]int{}, calls: make(chan string, 1000)}
	model := httptest.NewServer(&rig.Model{Pause: func(agent string) time.Duration {
		o.mu.Lock()
		o.asked[agent]++
		let := o.let
		o.mu.Unlock()
		if let != nil {
			o.calls <- agent
			<-let
		}
		return 0
	}})
	t.Cleanup(model.Close)
	file := filepath.Join(t.TempDir(), "errand.yaml")
	yaml := "primary: nikki\nagents:\n  nikki: {instructions: \"AGENT-nikki talks with people.\", delegates: [sasha]}\n  sasha: {instructions: \"AGENT-sasha works.\"}\n"
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"ERRAND_CONFIG": file, "ERRAND_DATA": data, "DATABASE_URL": database, "OPENAI_BASE_URL": model.URL + "/v1", "OPENAI_API_KEY": "none",
		"ERRAND_MODEL": "rig", "ERRAND_CHECK_MODELS": "false"}
	cfg, err := config.Load(config.Sources{Env: func(name string) string { return env[name] }, Tools: app.ToolNames(), Flags: config.Flags{Listen: "127.0.0.1:0"}})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Limits.PerMinute = config.Rates{}
	cfg.Limits.OpenTasks = 0
	cfg.TemporalPort, cfg.UIPort = devserver.FreePort(t), 0
	o.options = app.Options{Config: cfg, Logger: slog.New(slog.NewTextHandler(&o.log, nil)), StopTimeout: time.Second}
	if o.app, err = app.Start(t.Context(), o.options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.stop)
	return o
}

// hold has model calls wait, until answer.
func (o *outage) hold() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.let = make(chan struct{})
}

func (o *outage) askedOf(agent string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.asked[agent]
}

// called waits for n calls of the model.
func (o *outage) called(n int) {
	o.Helper()
	late := time.After(2 * time.Minute)
	for i := range n {
		select {
		case <-o.calls:
		case <-late:
			o.Fatalf("the model was called %d times, want %d; log:\n%s", i, n, last(o.log.String()))
		}
	}
}

func (o *outage) answer() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.let != nil {
		close(o.let)
	}
	o.let = nil
}

const outageChats = 3

// send writes a message once: an error is its sender's to repeat.
func (o *outage) send(chat int, id, text string) error {
	ctx, cancel := context.WithTimeout(o.Context(), 10*time.Second)
	defer cancel()
	_, err := o.app.Intake.Accept(ctx, intake.Inbound{Route: core.WebRoute(fmt.Sprint("chat", chat)), Person: app.Owner, Role: core.MasterAdmin, MessageID: id, Text: text})
	return err
}

// repeat writes a message until it is accepted, as every client does.
func (o *outage) repeat(chat int, id, text string) {
	o.Helper()
	o.until("the message "+id+" is accepted", func() bool { return o.send(chat, id, text) == nil })
}

func (o *outage) until(what string, is func() bool) {
	o.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !is(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			o.Fatalf("it never was so: %s; log:\n%s", what, last(o.log.String()))
		}
	}
}

func (o *outage) replyCounts() map[string]int {
	n := map[string]int{}
	for chat := range outageChats {
		events, err := o.app.Store.Events(o.Context(), core.NewSessionKey(core.WebRoute(fmt.Sprint("chat", chat)), app.Owner), 0, 10_000)
		if err != nil {
			return nil
		}
		for _, e := range events {
			if e.Type != core.EventReply && e.Type != core.EventLate {
				continue
			}
			answers, done, _ := strings.Cut(e.Text, "|")
			for _, token := range strings.Fields(strings.TrimPrefix(answers, "answers")) {
				n[token]++
			}
			for _, token := range rig.DonePattern.FindAllStringSubmatch(done, -1) {
				n["done-"+token[1]]++
			}
		}
	}
	return n
}

// through has people write, delegate and delegate in the background, and makes a fault
// while all of that is under way. meanwhile is done while the fault lasts. When it is
// taken back, everything is answered and told, once.
func (o *outage) through(round int, fault func() (takeBack func()), meanwhile func()) {
	o.Helper()
	for len(o.calls) > 0 {
		<-o.calls // of the round before: all that it asked for is told
	}
	before := o.askedOf("sasha")
	o.hold()
	token := func(chat, n int) string { return fmt.Sprintf("m%d%d%d", round, chat, n) }
	var want []string
	for chat := range outageChats {
		o.repeat(chat, token(chat, 1), "async "+token(chat, 1)+" k=2")
		want = append(want, token(chat, 1), "done-"+token(chat, 1)+".0", "done-"+token(chat, 1)+".1")
	}
	o.called(outageChats)
	o.answer()
	o.hold() // the reports, and what is said of them
	o.called(2 * outageChats)
	takeBack := fault()
	o.answer()
	o.hold()
	meanwhile()
	takeBack()
	o.answer()
	for chat := range outageChats {
		o.repeat(chat, token(chat, 2), "sync "+token(chat, 2)+" k=1")
		want = append(want, token(chat, 2), "done-"+token(chat, 2)+".0")
	}
	o.until("everything is told", func() bool {
		told := o.replyCounts()
		for _, w := range want {
			if told[w] == 0 {
				return false
			}
		}
		counts, err := o.app.Store.Counts(o.Context())
		return err == nil && counts.Inbox == 0 && counts.OpenTasks[core.Submitted]+counts.OpenTasks[core.Working] == 0
	})
	told := o.replyCounts()
	for _, w := range want {
		if told[w] != 1 {
			o.Errorf("%s was told %d times", w, told[w])
		}
	}
	if n := o.askedOf("sasha") - before; n != 3*outageChats {
		o.Errorf("what Sasha was asked for %d times was paid for %d times: an answer that was there was not kept", 3*outageChats, n)
	}
	o.until("it is ready", func() bool { return o.app.Service.Internal.Ready(o.Context()) == nil })
	select {
	case err := <-waited(o.app):
		o.Errorf("it has ended: %v", err)
	default:
	}
}

func waited(a *app.App) <-chan error {
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := a.Wait(ctx); err != nil {
		ended <- err
	}
	return ended
}

// refuses waits until who writes is told words.
func (o *outage) refuses(words string) {
	o.Helper()
	n := 0
	o.until("who writes is told: "+words, func() bool {
		n++
		err := o.send(0, fmt.Sprintf("refused%d", n), "say "+noise(20_000)) // no token: it may be accepted
		return err != nil && strings.Contains(err.Error(), words)
	})
}

// logs waits until the log says words.
func (o *outage) logs(words string) {
	o.Helper()
	o.until("the log says: "+words, func() bool { return strings.Contains(o.log.String(), words) })
}

// unready waits until whoever asks whether it is ready is told words.
func (o *outage) unready(words string) {
	o.Helper()
	o.until("whoever asks whether it is ready is told: "+words, func() bool {
		err := o.app.Service.Internal.Ready(o.Context())
		return err != nil && strings.Contains(err.Error(), words)
	})
}

func (o *outage) requireReported(words string) {
	o.Helper()
	o.refuses(words)
	o.logs(words)
	o.unready(words)
}

func last(s string) string { return s[max(0, len(s)-6000):] }

func cluster(t *testing.T, o rig.PostgresOptions) (*rig.Postgres, string) {
	t.Helper()
	pg, err := rig.StartPostgres(o)
	if errors.Is(err, rig.ErrNoPostgres) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pg.Close() })
	for _, statement := range []string{"CREATE ROLE worker LOGIN", "CREATE DATABASE errand OWNER worker"} {
		if err := pg.Exec(t.Context(), "postgres", statement); err != nil {
			t.Fatal(err)
		}
	}
	return pg, strings.Replace(pg.URL("errand"), "//errand@", "//worker@", 1)
}

// TestPostgresFails proves what a whole installation does whose PostgreSQL is restarted,
// is killed, and has no connections left, in the middle of turns and delegations: it says
// so to who can act, and once that is over goes on by itself; nothing is lost, and
// nothing is told twice.
func TestPostgresFails(t *testing.T) {
	t.Parallel()
	pg, database := cluster(t, rig.PostgresOptions{Settings: []string{"max_connections=60"}})
	o := newOutage(t, t.TempDir(), database)
	back := func() {
		if err := pg.Start(); err != nil {
			t.Fatal(err)
		}
	}
	o.through(1, func() func() {
		if err := pg.Stop(); err != nil {
			t.Fatal(err)
		}
		return back
	}, func() { o.requireReported("cannot be reached") })
	o.through(2, func() func() { pg.Kill(); return back }, func() { o.requireReported("cannot be reached") })
	o.through(3, func() func() { return takeConnections(t, pg) }, func() { o.requireReported("takes no more connections: raise max_connections") })
}

func takeConnections(t *testing.T, pg *rig.Postgres) (giveBack func()) {
	t.Helper()
	others, err := sql.Open("pgx", pg.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	var taken []*sql.Conn
	take := func() bool {
		c, err := others.Conn(t.Context())
		if err == nil {
			taken = append(taken, c)
		}
		return err == nil
	}
	if !take() {
		t.Fatal("there is no connection for an administrator")
	}
	for deadline := time.Now().Add(30 * time.Second); ; {
		for take() {
		}
		var left int
		if err := taken[0].QueryRowContext(t.Context(), `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'worker'`).Scan(&left); err != nil {
			t.Fatal(err)
		}
		if left == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the worker keeps %d connections", left)
		}
	}
	return func() {
		for _, c := range taken {
			c.Close()
		}
		others.Close()
	}
}

// TestPostgresDiskFull proves the same of a PostgreSQL whose disk is full. It may end
// itself then; whoever makes room starts it again.
func TestPostgresDiskFull(t *testing.T) {
	t.Parallel()
	disk, fill := smallDisk(t, 160)
	pg, database := cluster(t, rig.PostgresOptions{In: disk, Settings: []string{"max_wal_size=32MB", "min_wal_size=32MB"}})
	o := newOutage(t, t.TempDir(), database)
	o.through(1, func() func() {
		makeRoom := fill()
		return func() {
			makeRoom()
			pg.Kill()
			if err := pg.Start(); err != nil {
				t.Fatal(err)
			}
		}
	}, func() { o.refuses("disk is full: make room") })
}

// TestDiskFull proves the same of the embedded default, whose words and whose Temporal are
// files on one disk.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	disk, fill := smallDisk(t, 64)
	o := newOutage(t, filepath.Join(disk, "data"), "")
	o.through(1, fill, func() {
		o.refuses("the disk is full")
		o.logs("the disk is full")
		o.unready("the disk is full")
		o.until("a message is refused with 507", func() bool {
			status, body := o.ask(http.MethodPost, "/api/sessions/full/messages", fmt.Sprintf(`{"text": %q}`, "say "+noise(20_000)))
			return status == http.StatusInsufficientStorage && strings.Contains(body, "disk_full")
		})
		if status, body := o.ask(http.MethodGet, "/readyz", ""); status != http.StatusServiceUnavailable || !strings.Contains(body, "cannot write to the store: the disk is full") {
			o.Errorf("/readyz is answered %d %s", status, body)
		}
	})
	killed := filepath.Join(disk, "killed") // what a process that was killed leaves, its logs included
	if err := os.CopyFS(killed, os.DirFS(filepath.Join(disk, "data"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(killed, "owner.key"), 0o600); err != nil {
		t.Fatal(err)
	}
	o.stop()
	o.options.Config.Data = killed
	makeRoom := fill()
	defer makeRoom()
	if _, err := app.Start(t.Context(), o.options); err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("a start on a full disk ends with %v", err)
	}
}

// ask sends the owner's request to the installation; status 0: it is not answered.
func (o *outage) ask(method, path, body string) (status int, answer string) {
	o.Helper()
	ctx, cancel := context.WithTimeout(o.Context(), 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, "http://"+o.app.Address+path, strings.NewReader(body))
	if err != nil {
		o.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+o.app.Key())
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, ""
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, ""
	}
	return resp.StatusCode, string(raw)
}

// stop ends the installation.
func (o *outage) stop() {
	o.answer()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	o.app.Stop(ctx)
}

// smallDisk mounts a file system of so many megabytes, and returns what fills it up, and
// makes room again.
func smallDisk(t *testing.T, megabytes int) (dir string, fill func() (makeRoom func())) {
	t.Helper()
	dir, err := os.MkdirTemp("", "disk") // PostgreSQL is another user, who may not look into t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(dir) })
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dm,mode=755", megabytes)); err != nil {
		t.Skipf("a small disk cannot be mounted here, which only root may: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir, func() func() {
		name := filepath.Join(dir, "filler")
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		block := make([]byte, 1<<20)
		for len(block) > 0 {
			if _, err := f.Write(block); err != nil {
				block = block[:len(block)/2]
			}
		}
		return func() {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// noise is text that does not get smaller when it is compressed.
func noise(n int) string {
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "%016x ", rand.Uint64())
	}
	return b.String()
}
