package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"errand/internal/core"
	"errand/internal/test/chaos/rig"
)

var (
	answerPattern = regexp.MustCompile(`answers ([^|]*)\|`)
	tokenPattern  = regexp.MustCompile(`\bm\d+\b`)
)

// A ledger holds what people read against what they wrote, and what was done for them.
type ledger struct {
	in        *installation
	sent      map[string]*chat // by token, where it was written
	answered  map[string]int
	delivered map[string]int // by task

	messages, answers, tasks, results, doubtful int
	lost, doubled, wrong, failed                int
	calls, repeated, byFrozen                   int
	longest                                     time.Duration
	faults                                      []string
}

func (l *ledger) fault(count *int, format string, args ...any) {
	*count++
	l.faults = append(l.faults, fmt.Sprintf(format, args...))
}

// check prints the ledger. It fails if anything in it must not be there.
func (in *installation) check(ctx context.Context) error {
	l := &ledger{in: in, sent: map[string]*chat{}, answered: map[string]int{}, delivered: map[string]int{}}
	for _, c := range in.chats {
		for _, token := range c.sent {
			l.sent[token] = c
		}
	}
	for _, step := range []func(context.Context) error{l.read, l.readTasks, l.readCalls, l.readWaits, l.readLogs} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	fmt.Printf(`
messages sent               %6d
messages answered           %6d
tasks                       %6d
results told                %6d
model calls                 %6d
longest wait for an answer  %6.1f s
lost                        %6d
told twice                  %6d
in the wrong chat           %6d
failed                      %6d
committed calls repeated    %6d
  by a worker that stood still when they were committed  %d
repeats that say so, where a platform cannot tell what arrived  %d
`, l.messages, l.answers, l.tasks, l.results, l.calls, l.longest.Seconds(), l.lost, l.doubled, l.wrong, l.failed, l.repeated, l.byFrozen, l.doubtful)
	if len(l.faults) > 0 {
		return errors.New(strings.Join(l.faults, "\n"))
	}
	return nil
}

func (l *ledger) read(ctx context.Context) error {
	for _, c := range l.in.chats {
		texts, err := c.reads(ctx)
		if err != nil {
			return err
		}
		for _, text := range texts {
			if !c.doubts || !strings.HasPrefix(text, core.Repeating) {
				l.readText(c, text, false)
			}
		}
		for _, text := range texts {
			if c.doubts && strings.HasPrefix(text, core.Repeating) {
				l.doubtful++
				l.readText(c, text, true)
			}
		}
	}
	for _, c := range l.in.chats {
		for _, token := range c.sent {
			l.messages++
			switch n := l.answered[token]; {
			case n == 0 && !c.commands: // there, people stop what has not answered
				l.fault(&l.lost, "message %s in %s, written at %.1f s (%s), was not answered: %s",
					token, c.name, c.at[token].Sub(l.in.log.start).Seconds(), c.at[token].Format("15:04:05.000"), l.in.trace(ctx, token))
			case n > 1:
				l.fault(&l.doubled, "message %s in %s was answered %d times", token, c.name, n)
			case n == 1:
				l.answers++
			}
		}
	}
	return nil
}

// trace says what the store knows of a message: which turn took it, and what was sent of
// that.
func (in *installation) trace(ctx context.Context, token string) string {
	if in.db == nil {
		return ""
	}
	var row, turn int64
	var owner, state string
	err := in.db.QueryRowContext(ctx, `SELECT i.id, COALESCE(i.owner, ''), COALESCE(i.turn, 0), COALESCE('open ' || t.open || ', replied ' || t.replied || ', ' || t.reason, 'no turn')
		FROM inbox i LEFT JOIN turns t ON t.owner = i.owner AND t.turn = i.turn WHERE i.text ~ $1`, `\m`+token+`\M`).Scan(&row, &owner, &turn, &state)
	if err != nil {
		return err.Error()
	}
	sent, err := in.texts(ctx, `SELECT id || ' is ' || state || ' after ' || attempts || ' (' || error || '), receipts ' || receipts || ': ' || left(text, 200) FROM outbox WHERE made_by = $1 AND made_turn = $2`, owner, turn)
	if err != nil {
		return err.Error()
	}
	said, err := in.texts(ctx, `SELECT type || ' ' || left(text, 200) FROM events WHERE session = $1 AND turn = $2 AND type IN ('reply', 'late', 'notice')`, owner, turn)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("row %d of turn %d of %s (%s); sent %q; said %q", row, turn, owner, state, sent, said)
}

// readText counts what a text answers and tells; what it repeats, and says so, only
// where the first has not arrived.
func (l *ledger) readText(c *chat, text string, repeats bool) {
	of := func(token string) bool {
		if l.sent[token] != c {
			l.fault(&l.wrong, "%s was told in %s", token, c.name)
			return false
		}
		return true
	}
	for _, list := range answerPattern.FindAllStringSubmatch(text, -1) {
		for _, token := range tokenPattern.FindAllString(list[1], -1) {
			if of(token) && (!repeats || l.answered[token] == 0) {
				l.answered[token]++
			}
		}
	}
	for _, task := range rig.DonePattern.FindAllStringSubmatch(text, -1) {
		if token, _, _ := strings.Cut(task[1], "."); of(token) && (!repeats || l.delivered[task[1]] == 0) {
			l.delivered[task[1]]++
		}
	}
}

// readTasks holds what became of tasks against what was told.
func (l *ledger) readTasks(ctx context.Context) error {
	rows, err := l.in.db.QueryContext(ctx, `SELECT id, text, state, way, origin FROM tasks ORDER BY created`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id, text, state, way, origin string
		if err := rows.Scan(&id, &text, &state, &way, &origin); err != nil {
			return err
		}
		work := rig.WorkPattern.FindStringSubmatch(text)
		if work == nil || strings.HasSuffix(work[1], "x") {
			continue // one that a sub-agent asked for
		}
		l.tasks++
		n := l.delivered[work[1]]
		l.results += min(n, 1)
		switch {
		case n > 1:
			l.fault(&l.doubled, "the result of %s (%s, %s, way %q) was told %d times; asked for in %s", work[1], id, state, way, n, origin)
		case state == "completed" && way != "none" && n == 0:
			l.fault(&l.lost, "the result of %s (%s), whose way is %q, was told to nobody; asked for in %s", work[1], id, way, origin)
		case state != "completed" && state != "canceled":
			l.fault(&l.failed, "task %s (%s) is %s", work[1], id, state)
		}
	}
	return rows.Err()
}

// stallGrace is how soon after it goes on a worker makes the call that it was about to
// make when it stood still.
const stallGrace = 5 * time.Second

// readCalls finds calls of a model that began when the answer to the same was committed.
// A worker that stands still between its first transaction and its call, for longer than
// Temporal waits for it, makes the call when it goes on: nobody can keep it from that.
func (l *ledger) readCalls(ctx context.Context) error {
	calls := l.in.model.Calls()
	l.calls = len(calls)
	rows, err := l.in.db.QueryContext(ctx, `SELECT text || calls, pg_xact_commit_timestamp(xmin) FROM messages WHERE speaker = 'assistant' AND pg_xact_commit_timestamp(xmin) IS NOT NULL`)
	if err != nil {
		return err
	}
	defer rows.Close()
	type answer struct {
		number int
		at     time.Time
	}
	committed := map[[32]byte]answer{}
	for rows.Next() {
		var said string
		var at time.Time
		if err := rows.Scan(&said, &at); err != nil {
			return err
		}
		found := rig.CallPattern.FindStringSubmatch(said)
		if found == nil {
			continue
		}
		number, err := strconv.Atoi(found[1])
		if err != nil {
			return err
		}
		committed[calls[number].Prompt] = answer{number, at}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if len(committed) == 0 {
		return errors.New("no answer of the model is to be found in the store")
	}
	for number, call := range calls {
		first, ok := committed[call.Prompt]
		if !ok || number == first.number || !call.Began.After(first.at) {
			continue
		}
		if l.in.justStalled(first.at, call.Began) {
			l.byFrozen++
			continue
		}
		l.fault(&l.repeated, "call %d was made %s after the answer of call %d to the same was committed", number, call.Began.Sub(first.at), first.number)
	}
	return nil
}

// justStalled reports whether a worker stood still at a time, and has just gone on at
// another.
func (in *installation) justStalled(at, then time.Time) bool {
	for _, s := range in.stalls {
		if at.After(s.from) && at.Before(s.to.Add(stallGrace)) && then.Before(s.to.Add(stallGrace)) {
			return true
		}
	}
	return false
}

func (l *ledger) readWaits(ctx context.Context) error {
	begun := map[string]time.Time{}
	read := func(query string, each func(text string, at time.Time)) error {
		rows, err := l.in.db.QueryContext(ctx, query)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var text string
			var at int64
			if err := rows.Scan(&text, &at); err != nil {
				return err
			}
			each(text, time.UnixMicro(at))
		}
		return rows.Err()
	}
	err := read(`SELECT text, created FROM inbox ORDER BY id DESC`, func(text string, at time.Time) {
		if token := tokenPattern.FindString(text); token != "" {
			begun[token] = at
		}
	})
	if err != nil {
		return err
	}
	return read(`SELECT text, created FROM events WHERE type IN ('reply', 'late') ORDER BY id`, func(text string, at time.Time) {
		for _, list := range answerPattern.FindAllStringSubmatch(text, -1) {
			for _, token := range tokenPattern.FindAllString(list[1], -1) {
				if since, ok := begun[token]; ok {
					l.longest = max(l.longest, at.Sub(since))
				}
			}
		}
	})
}

// readLogs looks for what must not be in the logs of workers.
func (l *ledger) readLogs(context.Context) error {
	for _, w := range l.in.workers {
		text, err := os.ReadFile(w.Log())
		if err != nil {
			return err
		}
		if strings.Contains(strings.ToLower(string(text)), "nondeterminis") {
			l.fault(&l.failed, "%s met a history that its code does not make", w.Name)
		}
		if strings.Contains(string(text), "panic:") {
			l.fault(&l.failed, "%s panicked", w.Name)
		}
	}
	return nil
}
