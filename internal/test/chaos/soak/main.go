// Command soak runs errand as people run it at its largest, under load on all platforms,
// kills and stops its parts at random, and counts what became of the messages.
//
// There are two workers with different configurations, a real Temporal server and
// PostgreSQL. When the faults are over and everything has settled it prints a ledger:
// what was sent, answered, done and told. It fails if anything was lost, told twice or in
// the wrong chat, or if a model call was made again whose answer was committed.
//
//	go run ./internal/test/chaos/soak --for 30m
//	go run ./internal/test/chaos/soak --for 30m --seed 7     the faults of that seed again
//
// It needs PostgreSQL's programs (apt-get install postgresql). Logs are kept when it
// fails.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/test/chaos/rig"
)

func main() {
	var err error
	switch os.Getenv("SOAK_ROLE") {
	case "temporal":
		err = runTemporal()
	case "worker":
		err = runWorker()
	default:
		err = run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	length := flag.Duration("for", 10*time.Minute, "for how long faults are made")
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano())%1_000_000, "what faults and messages are drawn from")
	logs := flag.String("logs", "", "folder for the logs; default: one that is removed unless it fails")
	without := flag.String("without", "", "leave this platform out: whatsapp")
	flag.Parse()
	if *without != "" && *without != "whatsapp" {
		return fmt.Errorf("--without %s: only whatsapp can be left out", *without)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	dir := *logs
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "soak"); err != nil {
			return err
		}
	} else if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	fmt.Printf("--seed %d\n", *seed)
	err := soak(ctx, *length, *seed, dir, *without == "")
	if err != nil {
		return fmt.Errorf("%w\nfailed with --seed %d; logs are in %s", err, *seed, dir)
	}
	if *logs == "" {
		return os.RemoveAll(dir)
	}
	return nil
}

func soak(ctx context.Context, length time.Duration, seed uint64, dir string, onWhatsApp bool) (err error) {
	in, err := install(ctx, seed, dir, onWhatsApp)
	defer func() { err = errors.Join(err, in.close()) }()
	if err != nil {
		return err
	}
	if err := in.exchangeFirst(ctx); err != nil {
		return err
	}
	faulty, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	if err := in.runFaults(faulty); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("interrupted: %w", err)
	}
	if err := in.settle(ctx, 3*time.Minute); err != nil {
		return err
	}
	return in.check(ctx)
}

func runTemporal() error {
	var ports [4]int
	var postgres int
	if _, err := fmt.Sscanf(os.Getenv("SOAK_PORTS"), "%d,%d,%d,%d,%d", &ports[0], &ports[1], &ports[2], &ports[3], &postgres); err != nil {
		return fmt.Errorf("read SOAK_PORTS: %w", err)
	}
	return rig.RunTemporal(ports, postgres)
}

func runWorker() error {
	cfg, err := config.Load(config.Sources{Tools: app.ToolNames()})
	if err != nil {
		return err
	}
	cfg.Limits.PerMinute = config.Rates{} // people write as fast as they can
	cfg.Limits.OpenTasks = 0
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	a, err := app.Start(ctx, app.Options{Config: cfg, Version: "soak", Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if err != nil {
		return err
	}
	err = a.Wait(ctx)
	a.Stop(context.WithoutCancel(ctx))
	return err
}
