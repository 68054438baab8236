package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/app"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/test/chaos/rig"
	"errand/internal/test/servicetest"

	"errand/internal/config"
	"errand/internal/intake"
	"errand/internal/probe"
	"errand/internal/store"
	"errand/internal/temporal/devserver"
	"errand/internal/temporal/wire"
	"errand/internal/test/notifiertest"
	"errand/internal/test/paralleltest"
	"errand/internal/test/sim/coding"
	simmcp "errand/internal/test/sim/mcp"
	"errand/internal/tools"
	"errand/notifiers"
)

// The test binary plays errand's processes too: which one, says the environment.
func TestMain(m *testing.M) {
	if simmcp.Main() || coding.Main() { // what a worker starts
		return
	}
	if code, is := app.Job(os.Args[1:]); is {
		os.Exit(code)
	}
	var err error
	switch os.Getenv("CHAOS_ROLE") {
	case "worker":
		err = runWorker()
	case "server":
		err = runServer()
	case "cluster":
		err = runTemporal()
	default:
		paralleltest.Set(4)
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func runWorker() error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	cfg, err := config.Load(config.Sources{Tools: append(app.ToolNames(), "ledger.read", "ledger.put", "ledger.pay")})
	if err != nil {
		return err
	}
	cfg.Limits.PerMinute = config.Rates{}
	cfg.Limits.OpenTasks = 0
	if atoi("CHAOS_SUSPEND_MS") > 0 {
		cfg.Sessions.EndAfter = config.Age(time.Millisecond) // maintenance ends whatever rests; it runs when it is told to
	}
	cfg.TemporalPort, cfg.UIPort = atoi("CHAOS_TEMPORAL_PORT"), 0
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelInfo}))
	a, err := app.Start(ctx, app.Options{
		Config: cfg, Logger: log, Probe: killer(), Program: program, Migrations: buildMigrations(),
		StopTimeout: time.Duration(atoi("CHAOS_STOP_MS")) * time.Millisecond,
		Notifiers: func(r *notifiers.Router) {
			r.Handle("platform", &notifiertest.Notifier{URL: os.Getenv("CHAOS_PLATFORM"), ReadBack: true})
		},
		Tools: func(set *tools.Set) error { return set.Replace("ledger", ledgerTools(os.Getenv("CHAOS_LEDGER"))) },
		Settings: func(s *wire.Settings) {
			s.FoldWindow = 100 * time.Millisecond
			s.TurnsPerRun = atoi("CHAOS_TURNS_PER_RUN")
			if d := atoi("CHAOS_SUSPEND_MS"); d > 0 {
				s.SuspendAfter = time.Duration(d) * time.Millisecond
			}
		},
	})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", os.Getenv("CHAOS_CONTROL"))
	if err != nil {
		return err
	}
	go http.Serve(l, control(a))
	err = a.Wait(ctx)
	a.Stop(context.WithoutCancel(ctx))
	return err
}

const temporalKey = "chaos"

func temporalAt(port int) []string {
	return devserver.ClientEnv(fmt.Sprintf("127.0.0.1:%d", port), devserver.DefaultNamespace, temporalKey)
}

func runServer() error {
	s, err := devserver.Start(context.Background(), devserver.Options{Dir: os.Getenv("ERRAND_DATA"), Port: atoi("CHAOS_TEMPORAL_PORT"), Key: temporalKey})
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	<-ctx.Done()
	return s.Stop(context.WithoutCancel(ctx))
}

// runTemporal is a real Temporal on PostgreSQL: CHAOS_PORTS are its ports, and
// CHAOS_PG_PORT that of PostgreSQL.
func runTemporal() error {
	var ports [4]int
	if _, err := fmt.Sscanf(os.Getenv("CHAOS_PORTS"), "%d,%d,%d,%d", &ports[0], &ports[1], &ports[2], &ports[3]); err != nil {
		return fmt.Errorf("read CHAOS_PORTS: %w", err)
	}
	return rig.RunTemporal(ports, atoi("CHAOS_PG_PORT"))
}

// killer returns what kills at the point "name#n": the nth time it is passed.
func killer() probe.Func {
	name, nth, _ := strings.Cut(os.Getenv("CHAOS_POINT"), "#")
	n, _ := strconv.Atoi(nth)
	point := probe.Point(name)
	if point != "" && !slices.Contains(probe.Points(), point) {
		panic(fmt.Sprintf("there is no point %q", point))
	}
	var passed atomic.Int64
	return func(at probe.Point) {
		if point == "" || at != point || passed.Add(1) != int64(max(n, 1)) {
			return
		}
		if server := atoi("CHAOS_SERVER_PID"); server > 0 && os.Getenv("CHAOS_TARGET") != "worker" {
			syscall.Kill(server, syscall.SIGKILL)
			if os.Getenv("CHAOS_TARGET") == "server" {
				return
			}
		}
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal is on its way
	}
}

var admin = actor.Actor{Person: app.Owner, Role: core.MasterAdmin}

// control lets the test play the platform's inbound half and look into the log.
func control(a *app.App) http.Handler {
	mux := http.NewServeMux()
	route := func(r *http.Request) core.Route {
		return core.Route{Channel: r.FormValue("channel"), Account: core.LocalAccount, Chat: r.FormValue("chat")}
	}
	mux.HandleFunc("POST /say", func(w http.ResponseWriter, r *http.Request) {
		_, err := a.Intake.Accept(r.Context(), intake.Inbound{Route: route(r), Person: app.Owner, Role: core.MasterAdmin,
			MessageID: r.FormValue("id"), Text: r.FormValue("text")})
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) {
		events, err := a.Store.Events(r.Context(), core.NewSessionKey(route(r), app.Owner), 0, 1000)
		answer(w, events, err)
	})
	mux.HandleFunc("GET /tasks", func(w http.ResponseWriter, r *http.Request) {
		list, err := a.Store.Tasks(r.Context(), store.TaskFilter{Limit: 10000})
		answer(w, list, err)
	})
	mux.HandleFunc("POST /tasks", func(w http.ResponseWriter, r *http.Request) {
		in := api.CreateTaskInput{Route: route(r), Body: api.NewTask{Text: r.FormValue("text")}}
		for _, name := range r.Form["agent"] {
			in.Body.Agents = append(in.Body.Agents, core.AgentName(name))
		}
		if policy := r.FormValue("policy"); policy != "" {
			in.Body.Expect, in.Body.Policy = api.ExpectDecision, policy
			in.Body.Then = &core.Branch{Agents: []core.AgentName{"sasha"}, Task: "go there"}
			in.Body.Else = &core.Branch{Agents: []core.AgentName{"finn"}, Task: "stay here"}
		}
		task, err := ops.Do(r.Context(), a.Service.Runner, api.CreateTask, admin, in)
		answer(w, task, err)
	})
	mux.HandleFunc("GET /sessions", func(w http.ResponseWriter, r *http.Request) {
		list, err := a.Store.Sessions(r.Context(), store.SessionFilter{})
		answer(w, list, err)
	})
	mux.HandleFunc("GET /maintenance", func(w http.ResponseWriter, r *http.Request) {
		list, err := a.Store.Upkeeps(r.Context(), 10)
		answer(w, list, err)
	})
	mux.HandleFunc("POST /maintenance", func(w http.ResponseWriter, r *http.Request) {
		if err := servicetest.CleanUp(r.Context(), a.Service, admin); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	mux.HandleFunc("GET /connections", func(w http.ResponseWriter, r *http.Request) {
		list, err := ops.Do(r.Context(), a.Service.Runner, api.ListChannels, admin, api.None{})
		answer(w, list, err)
	})
	mux.HandleFunc("GET /mcp", func(w http.ResponseWriter, r *http.Request) {
		list, err := ops.Do(r.Context(), a.Service.Runner, api.ListMCPServers, admin, api.ListMCPServersInput{})
		answer(w, list, err)
	})
	mux.HandleFunc("GET /outbox", func(w http.ResponseWriter, r *http.Request) {
		list, err := a.Store.Deliveries(r.Context(), nil, store.Page{})
		answer(w, list, err)
	})
	mux.HandleFunc("POST /outbox", func(w http.ResponseWriter, r *http.Request) {
		id, _ := strconv.ParseInt(r.FormValue("retry"), 10, 64)
		if _, err := ops.Do(r.Context(), a.Service.Runner, api.RetryDelivery, admin, api.DeliveryID{ID: id}); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	mux.HandleFunc("GET /peer", func(w http.ResponseWriter, r *http.Request) {
		work, err := a.Store.PeerWork(r.Context(), core.TaskID(r.FormValue("task")), core.AgentName(r.FormValue("agent")))
		answer(w, work, err)
	})
	mux.HandleFunc("POST /giveup", func(w http.ResponseWriter, r *http.Request) { // as its time does, which takes a week
		id, agent := core.TaskID(r.FormValue("task")), core.AgentName(r.FormValue("agent"))
		_, err := a.Store.GiveUpPeer(r.Context(), id, agent, core.PeerTask{State: core.Working}, "it has not answered")
		answer(w, id, err)
	})
	mux.HandleFunc("POST /cancel", func(w http.ResponseWriter, r *http.Request) {
		t, err := servicetest.CancelTask(r.Context(), a.Service, admin, core.TaskID(r.FormValue("task")), "")
		answer(w, t, err)
	})
	return mux
}

func answer(w http.ResponseWriter, v any, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	json.NewEncoder(w).Encode(v)
}

func atoi(env string) int {
	n, _ := strconv.Atoi(os.Getenv(env))
	return n
}

// A process is one of errand's, under the test's thumb.
type process struct {
	cmd  *exec.Cmd
	log  *safeBuffer
	done chan struct{}
}

func spawn(t *testing.T, env ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(os.Args[0]), log: new(safeBuffer), done: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stderr, p.cmd.Stdout = p.log, p.log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(p.kill)
	return p
}

func (p *process) kill() {
	p.cmd.Process.Kill()
	<-p.done
}

func (p *process) last() string {
	s := p.log.String()
	return s[max(0, len(s)-6000):]
}
