package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/store"
)

// How many late results go out, and to how many chats.
const (
	lateResults = 1000
	lateChats   = 200
)

// A platformWire is a platform on this machine, with an account of ours and people who
// each have a chat with it.
type platformWire interface {
	account() config.Channel
	// join makes n people, numbered from 0, and waits until errand can hear them.
	join(ctx context.Context, n int) error
	chat(person int) string
	write(ctx context.Context, person int, text string) error
	sentTo(person int) []string // by us, in order
	changed() <-chan struct{}   // closed when somebody sees something else
	// rateLimit is how many messages a second an account may send, and who says so.
	rateLimit() (perSecond float64, text string)
	close()
}

// Channels are the platforms that can be measured.
func Channels() []string { return []string{config.Telegram, config.Discord, config.WhatsApp} }

func newWire(name string) (platformWire, error) {
	switch name {
	case config.Telegram:
		return newTelegram(), nil
	case config.Discord:
		return newDiscord()
	case config.WhatsApp:
		return newWhatsApp()
	}
	return nil, fmt.Errorf("%q is no platform that can be measured: there are %s", name, strings.Join(Channels(), ", "))
}

// platform measures an account on a platform against the page's channel, in one
// installation: what a turn takes from wire to wire, and how late results go out.
func platform(ctx context.Context, o Options) error {
	dir, err := os.MkdirTemp("", "errand-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	w, err := newWire(o.Channel)
	if err != nil {
		return err
	}
	defer w.close()
	a, err := startWith(ctx, filepath.Join(dir, "errand"), o, &instant{}, nil, w.account())
	if err != nil {
		return err
	}
	defer a.Stop(context.WithoutCancel(ctx))
	if err := link(ctx, w, a.Store); err != nil {
		return err
	}
	if err := w.join(ctx, max(lateChats, 2*o.Rounds+warmUp)); err != nil {
		return err
	}
	if err := wireTurns(ctx, o, a, w); err != nil {
		return err
	}
	return late(ctx, o, a, w)
}

// link links the account, on platforms where a phone does that.
func link(ctx context.Context, w platformWire, s *store.Store) error {
	phone, ok := w.(interface {
		scan(ctx context.Context, code string) error
	})
	if !ok {
		return nil
	}
	var list []store.Connection
	err := until(ctx, func() (bool, error) {
		var err error
		list, err = s.Connections(ctx)
		return len(list) > 0 && list[0].Link != "", err
	})
	if err == nil {
		err = phone.scan(ctx, list[0].Link)
	}
	if err != nil {
		return fmt.Errorf("link the account: %w", err)
	}
	return nil
}

// warmUp is how many turns are not counted.
const warmUp = 10

// wireTurns takes turns on the page and on the platform by turns. Everybody says
// two things: the first begins a session. Nobody says the second before all have
// said the first, for platforms take only so many messages for a chat.
func wireTurns(ctx context.Context, o Options, a *app.App, w platformWire) error {
	var first, next struct{ page, wire []time.Duration }
	perSecond, _ := w.rateLimit()
	apart := time.NewTicker(time.Duration(1.2 * float64(time.Second) / perSecond)) // what is measured is not the pace
	defer apart.Stop()
	for n, into := range []*struct{ page, wire []time.Duration }{&first, &next} {
		for i := range o.Rounds + warmUp {
			onPage, err := timed(func() error { return send(ctx, a, "person"+strconv.Itoa(i), "hello") })
			if err != nil {
				return err
			}
			select {
			case <-apart.C:
			case <-ctx.Done():
				return ctx.Err()
			}
			onWire, err := timed(func() error {
				if err := w.write(ctx, i, "hello"); err != nil {
					return err
				}
				return seen(ctx, w, func() bool { return len(w.sentTo(i)) > n })
			})
			if err != nil {
				return fmt.Errorf("person %d on %s: %w", i, o.Channel, err)
			}
			if i >= warmUp {
				into.page, into.wire = append(into.page, onPage), append(into.wire, onWire)
			}
		}
	}
	fmt.Fprintf(o.Out, "embedded Temporal on SQLite, model with zero latency, %d people\n\n", o.Rounds)
	fmt.Fprintf(o.Out, "%-34s %10s %10s %10s %10s %8s\n", "", o.Channel+" p50", "p95", "page p50", "p95", "ratio")
	wireRow(o.Out, "first turn, wire to wire", first.wire, first.page)
	wireRow(o.Out, "next turn, wire to wire", next.wire, next.page)
	return nil
}

// late puts late results into the outbox, several for each chat, and waits until
// people have read them.
func late(ctx context.Context, o Options, a *app.App, w platformWire) error {
	before := make([]int, lateChats)
	for i := range before {
		if len(w.sentTo(i)) == 0 { // a platform lets nobody be written to who never wrote
			if err := w.write(ctx, i, "hello"); err != nil {
				return err
			}
		}
	}
	for i := range before {
		if err := seen(ctx, w, func() bool { return len(w.sentTo(i)) > 0 }); err != nil {
			return err
		}
		before[i] = len(w.sentTo(i))
	}
	account := w.account()
	begin := time.Now()
	for n := range lateResults {
		i := n % lateChats
		route := core.Route{Channel: account.Kind, Account: account.Account, Chat: w.chat(i)}
		if _, err := a.Store.Answer(ctx, core.Notification{Key: fmt.Sprintf("late-%d", n), Route: route, Agent: "sasha",
			Event: core.EventLate, Text: fmt.Sprintf("result %d", n)}); err != nil {
			return err
		}
		if err := a.Dispatch.WakeOutbox(ctx, route); err != nil { // as the writer of a row does
			return err
		}
	}
	delivered := func() (all int) {
		for i := range lateChats {
			all += len(w.sentTo(i)) - before[i]
		}
		return all
	}
	if err := seen(ctx, w, func() bool { return delivered() >= lateResults }); err != nil {
		return fmt.Errorf("%d of %d late results were told: %w", delivered(), lateResults, err)
	}
	took := time.Since(begin)
	lost, twice, disorder := 0, 0, 0
	for i := range lateChats {
		times, last := map[int]int{}, -1
		for _, text := range w.sentTo(i)[before[i]:] {
			_, number, _ := strings.Cut(text, "result ")
			n, err := strconv.Atoi(number)
			if err != nil {
				return fmt.Errorf("person %d reads %q", i, text)
			}
			if n < last {
				disorder++
			}
			times[n], last = times[n]+1, n
		}
		for n := i; n < lateResults; n += lateChats {
			switch {
			case times[n] == 0:
				lost++
			case times[n] > 1:
				twice++
			}
		}
	}
	perSecond, permits := w.rateLimit()
	fmt.Fprintf(o.Out, "\n%d late results to %d chats: %.1f s, %.1f/s (%s %.0f/s); lost %d, twice %d, out of order %d\n",
		lateResults, lateChats, took.Seconds(), lateResults/took.Seconds(), permits, perSecond, lost, twice, disorder)
	return nil
}

// seen waits until what people see is so.
func seen(ctx context.Context, w platformWire, so func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	for {
		changed := w.changed()
		if so() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func wireRow(out io.Writer, name string, wire, page []time.Duration) {
	fmt.Fprintf(out, "%-34s %10s %10s %10s %10s %8.2f\n", name,
		ms(quantile(wire, 0.5)), ms(quantile(wire, 0.95)), ms(quantile(page, 0.5)), ms(quantile(page, 0.95)),
		float64(quantile(wire, 0.5))/float64(quantile(page, 0.5)))
}
