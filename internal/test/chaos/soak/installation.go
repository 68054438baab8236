package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"errand/internal/temporal/devserver"
	"errand/internal/test/chaos/rig"
	"errand/internal/test/sim/discord"
	"errand/internal/test/sim/telegram"
	"errand/internal/test/sim/whatsapp"
)

// workers is how many there are. The first has all accounts, the second has no
// Telegram: whatever comes from there and goes there passes the first.
const workers = 2

const token = "the-token-of-the-owner-in-the-soak"

// An installation is errand, what surrounds it and what people have written.
type installation struct {
	seed            uint64
	pg              *rig.Postgres
	db              *sql.DB // errand's own
	temporal        *rig.SupervisedProcess
	workers         [workers]*rig.SupervisedProcess
	address         [workers]string // of their APIs
	temporalAddress string
	model           *rig.Model
	telegram        *telegram.Server
	telegramURL     string
	discord         *discord.Server
	bot             *discord.Bot
	whatsapp        *whatsapp.Server
	phone           *whatsapp.Account
	chats           []*chat
	number          atomic.Int64 // of the last message
	log             journal
	stalls          []interval // when a worker stood still
	stops           []func() error
}

func (in *installation) stopWith(f func() error) { in.stops = append(in.stops, f) }

// close ends all of it, the last part first.
func (in *installation) close() error {
	var errs []error
	for i := len(in.stops) - 1; i >= 0; i-- {
		errs = append(errs, in.stops[i]())
	}
	return errors.Join(errs...)
}

// install starts everything. What it returns is to be closed, with an error too.
func install(ctx context.Context, seed uint64, dir string, onWhatsApp bool) (in *installation, err error) {
	in = &installation{seed: seed, log: journal{start: time.Now()}}
	if in.pg, err = rig.StartPostgres(rig.PostgresOptions{}); err != nil {
		return in, err
	}
	in.stopWith(in.pg.Close)
	if err := rig.PrepareTemporal(ctx, in.pg); err != nil {
		return in, err
	}
	if err := in.pg.Exec(ctx, "postgres", "CREATE DATABASE errand"); err != nil {
		return in, err
	}
	if in.db, err = sql.Open("pgx", in.pg.URL("errand")); err != nil {
		return in, err
	}
	in.stopWith(in.db.Close)
	in.model = &rig.Model{Pause: in.modelPause(), Hesitates: in.modelHesitates()}
	model := httptest.NewServer(in.model)
	in.stopWith(func() error { model.CloseClientConnections(); model.Close(); return nil })
	env, err := in.platforms(onWhatsApp)
	if err != nil {
		return in, err
	}
	ports, err := devserver.FreePorts("127.0.0.1", 4+workers)
	if err != nil {
		return in, err
	}
	in.temporalAddress = fmt.Sprintf("127.0.0.1:%d", ports[0])
	if in.temporal, err = in.supervise(dir, "Temporal", "SOAK_ROLE=temporal",
		fmt.Sprintf("SOAK_PORTS=%d,%d,%d,%d,%d", ports[0], ports[1], ports[2], ports[3], in.pg.Port)); err != nil {
		return in, err
	}
	env = append(env, "SOAK_ROLE=worker", "OPENAI_BASE_URL="+model.URL+"/v1", "OPENAI_API_KEY=none", "ERRAND_MODEL=rig", "ERRAND_TOKEN="+token,
		"DATABASE_URL="+in.pg.URL("errand"), "TEMPORAL_ADDRESS="+in.temporalAddress)
	for i := range workers {
		in.address[i] = fmt.Sprintf("127.0.0.1:%d", ports[4+i])
		file := filepath.Join(dir, fmt.Sprintf("errand%d.yaml", i))
		if err := os.WriteFile(file, []byte(in.config(i)), 0o600); err != nil {
			return in, err
		}
		if in.workers[i], err = in.supervise(dir, fmt.Sprintf("worker %d", i), append(env, "ERRAND_CONFIG="+file,
			"ERRAND_DATA="+filepath.Join(dir, fmt.Sprintf("data%d", i)), "ERRAND_LISTEN="+in.address[i])...); err != nil {
			return in, err
		}
	}
	return in, in.ready(ctx)
}

func (in *installation) supervise(dir, name string, env ...string) (*rig.SupervisedProcess, error) {
	s, err := rig.Supervise(name, filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".log"), func(text string) { in.log.add("%s", text) }, env...)
	if err == nil {
		in.stopWith(func() error { s.Close(); return nil })
	}
	return s, err
}

// config has short patiences, so that outages are longer.
func (in *installation) config(worker int) string {
	config := `
primary: nikki
agents:
  nikki: {instructions: "AGENT-nikki talks with people.", delegates: [sasha, finn]}
  sasha: {instructions: "AGENT-sasha works.", delegates: [finn]}
  finn: {instructions: "AGENT-finn works."}
sessions: {patience: 3s, fold_timeout: 20s, fold_window: 200ms, suspend_after: 15s, window: 1000}
channels:
`
	config += fmt.Sprintf("  discord: [{account: main, token_env: SOAK_DISCORD, access: open, role: member, url: %q}]\n", in.discord.URL())
	if in.whatsapp != nil {
		config += fmt.Sprintf("  whatsapp: [{account: main, access: open, role: member, reactions: false, url: %q}]\n", in.whatsapp.URL())
	}
	if worker == 0 {
		config += fmt.Sprintf("  telegram: [{account: main, token_env: SOAK_TELEGRAM, access: open, role: member, url: %q}]\n", in.telegramURL)
	}
	return config
}

// modelHesitates draws for how long answers to people pause, of which half is shown then
// where they read: a few do.
func (in *installation) modelHesitates() func(string) time.Duration {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(in.seed, 1<<33))
	return func(agent string) time.Duration {
		mu.Lock()
		defer mu.Unlock()
		if agent != "nikki" || random.IntN(8) > 0 {
			return 0
		}
		return time.Duration(1500+random.IntN(3000)) * time.Millisecond
	}
}

// modelPause draws how long calls take: most are quick, some of those that work on
// a task take seconds.
func (in *installation) modelPause() func(string) time.Duration {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(in.seed, 1<<32))
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

// ready waits until both workers take messages and every account is connected.
func (in *installation) ready(ctx context.Context) error {
	for i := range workers {
		err := eventually(ctx, 2*time.Minute, func() (bool, error) { return in.call(ctx, i, http.MethodGet, "/readyz", nil, nil) == nil, nil })
		if err != nil {
			return fmt.Errorf("worker %d is not ready: %w", i, err)
		}
	}
	linked, accounts := false, 2
	if in.whatsapp != nil {
		accounts = 3
	}
	return eventually(ctx, 2*time.Minute, func() (bool, error) {
		var list []struct{ Channel, State, Link string }
		if err := in.call(ctx, 0, http.MethodGet, "/api/channels", nil, &list); err != nil {
			return false, nil
		}
		up := 0
		for _, c := range list {
			if c.Link != "" && !linked {
				linked = in.phone.Scan(ctx, c.Link) == nil
			}
			if c.State == "connected" {
				up++
			}
		}
		return up == accounts, nil
	})
}

// call calls the API of a worker as its owner.
func (in *installation) call(ctx context.Context, worker int, method, path string, body, out any) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+in.address[worker]+path, strings.NewReader(string(raw)))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: %s", method, path, resp.Status)
	}
	if out == nil {
		return nil
	}
	return json.NewDecoder(resp.Body).Decode(out)
}

// eventually asks until done says so.
func eventually(ctx context.Context, within time.Duration, done func() (bool, error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, within, fmt.Errorf("not within %s", within))
	defer cancel()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// An interval is from one time to another.
type interval struct{ from, to time.Time }

// noteStall notes that a worker stood still.
func (in *installation) noteStall(from, to time.Time) {
	in.stalls = append(in.stalls, interval{from, to})
}

// A journal says what was done when.
type journal struct {
	start time.Time
	mu    sync.Mutex
}

func (j *journal) add(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	fmt.Printf("%7.1fs %s\n", time.Since(j.start).Seconds(), fmt.Sprintf(format, args...))
}
