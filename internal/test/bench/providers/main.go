// Command providers runs the turn loop of a whole errand against a server of each kind of
// provider, and prints what became of it. The servers refuse what the real ones refuse.
//
//	go run ./internal/test/bench/providers
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	if os.Getenv(roleVariable) == victim {
		return runVictim(ctx)
	}
	rows, err := Table(ctx, os.Stderr)
	fmt.Print(Render(rows))
	return err
}
