package main

import (
	"context"
	"fmt"
	"time"

	"errand/internal/app"
	"errand/internal/core"
)

// stickyDelay is how long the model thinks here; elsewhere it has no latency.
const stickyDelay = 200 * time.Millisecond

// sticky compares a follow-up turn of a conversation that was handed over to a
// specialist with the same turn where the primary agent asks the specialist
// every time.
func (b *bench) sticky(ctx context.Context) error {
	const handed, supervised = "sticky", "supervised"
	key := core.NewSessionKey(core.WebRoute(handed), app.Owner)
	if err := b.app.Store.HandOver(ctx, key, "sasha", time.Hour); err != nil {
		return err
	}
	turn := func(chat, text string) (time.Duration, int64, error) {
		calls, begin := b.model.calls.Load(), time.Now()
		err := send(ctx, b.app, chat, text)
		return time.Since(begin), b.model.calls.Load() - calls, err
	}
	for _, chat := range []string{handed, supervised} { // warm up
		if _, _, err := turn(chat, "hello"); err != nil {
			return err
		}
	}
	b.model.delay.Store(int64(stickyDelay))
	defer b.model.delay.Store(0)
	var with, without []time.Duration
	var callsWith, callsWithout int64
	const rounds = 10
	for range rounds {
		took, calls, err := turn(handed, "more about night trains")
		if err != nil {
			return err
		}
		with, callsWith = append(with, took), callsWith+calls
		if took, calls, err = turn(supervised, "ask more about night trains"); err != nil {
			return err
		}
		without, callsWithout = append(without, took), callsWithout+calls
	}
	fmt.Fprintf(b.Out, "\na follow-up turn for a specialist, model of %v %13s %12s\n", stickyDelay, "p50", "model calls")
	row := func(name string, took []time.Duration, calls int64) {
		fmt.Fprintf(b.Out, "%-48s %13s %12.1f\n", name, ms(quantile(took, 0.5)), float64(calls)/rounds)
	}
	row("handed over: the specialist answers", with, callsWith)
	row("supervised: the primary agent asks and tells", without, callsWithout)
	fmt.Fprintf(b.Out, "%-48s %13.2f %12.2f\n", "  ratio", float64(quantile(with, 0.5))/float64(quantile(without, 0.5)), float64(callsWith)/float64(callsWithout))
	return nil
}
