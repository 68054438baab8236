package chaos

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"errand/internal/core"
	"errand/internal/test/notifiertest"
)

// A stage is a platform with an account of ours and some people, each in a chat
// of their own with it.
type stage interface {
	// config is what errand.yaml says of the account; env what the worker needs.
	config() (yaml string, env []string)
	write(t *testing.T, person int, text string)
	// reads returns what a person reads of ours, in order.
	reads(person int) []string
	// files returns the files that a person has of ours, in order.
	files(person int) []sentFile
	// meet orders a fault, and returns what ends it; nil where it ends by itself.
	// ok is false for a fault that the platform cannot have.
	meet(f fault) (end func(), ok bool)
	// certain: errand can find out whether the platform took a message, or the
	// platform shows one that comes again once. Nothing is repeated in doubt.
	certain() bool
	// words is how many words of a long answer fill four messages; after the first
	// of them have been acknowledged the platform calls met when it has the next, and
	// has taken it or not, and answers nothing.
	words() int
	breakOff(acknowledged int, received bool, met func())
	// gatherings are chats of people with our account, one for each way in which one
	// can end.
	gatherings(t *testing.T) []*gathering
}

// A fault is what goes wrong on the way in or on the way out.
type fault string

const (
	nothing           fault = "nothing"
	dropped           fault = "the connection drops"
	away              fault = "the platform is unreachable for a while"
	twice             fault = "messages are delivered twice"
	disordered        fault = "messages are delivered in another order"
	held              fault = "messages are delivered late"
	slowDown          fault = "too many messages (429)"
	broken            fault = "the platform is broken (500)"
	diesBeforeReceipt fault = "it dies before it takes a message"
	diesAfterReceipt  fault = "it takes a message and dies before it answers"
	beforeInbox       fault = "killed before the inbox row"
	afterInbox        fault = "killed after the inbox row, before the acknowledgement"
	inModelCall       fault = "killed between a model's answer and its commit"
	beforeSend        fault = "killed before a reply is sent"
	afterSend         fault = "killed between a reply and its receipt"
	betweenTasks      fault = "killed when a result is there, before it is told"
	accountGone       fault = "its account is taken out, and put back"
	betweenParts      fault = "killed between the parts of a long answer"
	chatGone          fault = "its chat is gone while a task is open"
)

var probes = map[fault]string{
	beforeInbox: "before inbox#3", afterInbox: "after inbox#3", inModelCall: "before T2#3", beforeSend: "before send#3",
	afterSend: "before receipt#3", betweenTasks: "after finish", accountGone: "after finish",
}

var faults = []fault{nothing, dropped, away, twice, disordered, held, slowDown, broken, diesBeforeReceipt, diesAfterReceipt,
	beforeInbox, afterInbox, inModelCall, beforeSend, afterSend, betweenTasks, accountGone, betweenParts, chatGone}

// sample is the fault that is met by default; with ERRAND_CHAOS all are. It is the one
// in which a platform's own ways of telling a repeat matter most.
var sample = []fault{afterSend}

// TestPlatforms proves that whatever happens to a platform, or to errand's
// process on its wire, every message is answered and every late result told,
// each once, in its own chat; only where a platform cannot tell whether it took a
// message, it may be there twice, and then the second says so.
func TestPlatforms(t *testing.T) {
	t.Parallel()
	list := sample
	if os.Getenv("ERRAND_CHAOS") != "" {
		list = faults
	}
	var mu sync.Mutex
	rows := map[string]string{}
	t.Run("on", func(t *testing.T) {
		for name, open := range stages {
			for _, f := range list {
				t.Run(name+"/"+string(f), func(t *testing.T) {
					t.Parallel()
					c := plays(f)(t, open(t), f)
					mu.Lock()
					defer mu.Unlock()
					rows[fmt.Sprintf("%s %02d", name, slices.Index(faults, f))] = fmt.Sprintf("%-10s %-58s %s", name, f, c)
				})
			}
		}
	})
	var table []string
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		table = append(table, rows[key])
	}
	t.Logf("%-10s %-58s %s\n%s", "platform", "fault", "in  out  lost  duplicated  wrong chat  doubtful  back after", strings.Join(table, "\n"))
}

// A count is what became of all that was said.
type count struct {
	in, out, lost, duplicated, wrong, doubtful int
	took                                       time.Duration
}

func (c count) String() string {
	return fmt.Sprintf("%2d  %3d  %4d  %10d  %10d  %8d  %8.1f s", c.in, c.out, c.lost, c.duplicated, c.wrong, c.doubtful, c.took.Seconds())
}

const (
	people   = 2
	messages = 3 // of each, and one that sends Sasha
)

const again = core.Repeating

func plays(f fault) func(*testing.T, stage, fault) count {
	switch f {
	case betweenParts:
		return playParts
	case chatGone:
		return playGone
	}
	return play
}

// begin starts an installation on a platform, in which the people have been answered
// before anything goes wrong: everything is connected, and every chat known.
func begin(ctx context.Context, t *testing.T, s stage, probe string, people ...int) *world {
	w := onPlatform(t, s)
	w.begin(ctx, s, probe, people...)
	return w
}

func (w *world) begin(ctx context.Context, s stage, probe string, people ...int) {
	w.startWorker(probe)
	if p, ok := s.(interface{ prepare(context.Context, *world) }); ok {
		p.prepare(ctx, w)
	}
	for _, p := range people {
		s.write(w.t, p, "good morning")
		w.until(ctx, s, func() bool { return len(hears(s, p)) > 0 })
	}
}

func play(t *testing.T, s stage, f fault) count {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	w := begin(ctx, t, s, probes[f], 0, 1)
	start := time.Now()
	end, ok := s.meet(f)
	if !ok && probes[f] == "" && f != nothing {
		t.Skip("the platform cannot have that")
	}
	var texts [people][]string
	for i := range messages {
		for p := range people {
			text := fmt.Sprintf("%s %d", []string{"ana", "ben"}[p], i+1)
			texts[p] = append(texts[p], text)
			s.write(t, p, text)
		}
	}
	// A result that meets a message is told in the same turn, which this model
	// answers with the result alone: so it is asked for last.
	if f != disordered {
		s.write(t, 1, "send Sasha")
	}
	if end != nil {
		if f == away { // long enough to be noticed
			w.rest(ctx, 3*time.Second)
		}
		end()
	}
	if f == disordered {
		s.write(t, 1, "send Sasha")
	}
	if probes[f] != "" {
		w.waitDead(ctx)
		if f == accountGone {
			w.withoutAccount(ctx, s)
		}
		w.startWorker("")
	}
	delivered := func() bool {
		for p := range people {
			for _, text := range texts[p] {
				if !slices.ContainsFunc(hears(s, p), func(got string) bool { return strings.HasSuffix(got, "you said "+text) }) {
					return false
				}
			}
		}
		return slices.ContainsFunc(hears(s, 1), func(text string) bool { return strings.HasSuffix(text, "Sasha says: two trains") })
	}
	w.until(ctx, s, delivered)
	c := count{took: time.Since(start)}
	// A last message of each shows that nothing is on its way behind.
	for p := range people {
		text := fmt.Sprintf("still there, %d?", p)
		texts[p] = append(texts[p], text)
		s.write(t, p, text)
		w.until(ctx, s, func() bool { return slices.Contains(hears(s, p), "you said "+text) })
	}
	c.judge(s, texts)
	if c.lost+c.duplicated+c.wrong > 0 || c.doubtful > 0 && (s.certain() || !uncertain(f)) {
		for p := range people {
			t.Errorf("%d reads %q", p, hears(s, p))
		}
		t.Errorf("%s; log:\n%s", c, w.logs())
	}
	if f == disordered { // whoever came first is answered first
		return c
	}
	for p := range people {
		var order []string
		for _, got := range hears(s, p) {
			if text, ok := strings.CutPrefix(got, "you said "); ok && text != "good morning" {
				order = append(order, text)
			}
		}
		if c.doubtful == 0 && !slices.Equal(order, texts[p]) {
			t.Errorf("%d is answered in the order %q", p, order)
		}
	}
	return c
}

// hears is what a person reads, but how far tasks are: that is shown only once they
// have taken a while.
func hears(s stage, person int) []string {
	return slices.DeleteFunc(s.reads(person), notifiertest.IsProgress)
}

// uncertain reports whether a fault may leave a message in doubt: it breaks off
// what is being sent.
func uncertain(f fault) bool {
	return probes[f] != "" || slices.Contains([]fault{dropped, away, broken, diesBeforeReceipt, diesAfterReceipt}, f)
}

// judge holds what people read against what they said.
func (c *count) judge(s stage, texts [people][]string) {
	want := [people]map[string]int{}
	for p := range people {
		want[p] = map[string]int{"you said good morning": 1}
		c.in++
		for _, text := range texts[p] {
			c.in++
			want[p]["you said "+text] = 1
		}
	}
	want[1]["Sasha says: two trains"] = 1
	c.in++
	seen := [people]map[string]int{}
	for p := range people {
		seen[p] = map[string]int{}
		for _, text := range hears(s, p) {
			if rest, ok := strings.CutPrefix(text, again); ok {
				c.doubtful++
				// It stands for the first, which may not have arrived.
				if rest = strings.TrimSpace(rest); seen[p][rest] > 0 {
					continue
				}
				text = rest
			}
			if text == "Sasha is at it" { // told only if the result was not there yet
				seen[p][text]++
				c.out++
				continue
			}
			c.out++
			seen[p][text]++
			if want[p][text] == 0 {
				c.wrong++
			}
		}
		for text, n := range want[p] {
			switch got := seen[p][text]; {
			case got < n:
				c.lost++
			case got > n:
				c.duplicated++
			}
		}
		if seen[p]["Sasha is at it"] > 1 {
			c.duplicated++
		}
	}
}

const ledgerConfig = `primary: nikki
agents:
  nikki: {instructions: "You are Nikki.", delegates: [sasha]}
  sasha: {instructions: "You are Sasha."}
models: {default: {name: ledger}}
sessions: {busy: queue}
channels:
`

// onPlatform prepares an installation whose account is on a platform.
func onPlatform(t *testing.T, s stage) *world {
	yaml, env := s.config()
	w := newWorld(t, point{}, setting{target: embedded})
	w.configure(ledgerConfig + yaml)
	w.env = append(w.env, env...)
	return w
}

// withoutAccount runs a worker whose errand.yaml has not the account, until a result
// waits there for it.
func (w *world) withoutAccount(ctx context.Context, s stage) {
	w.t.Helper()
	file := filepath.Join(w.dir, "errand.yaml")
	whole, err := os.ReadFile(file)
	if err != nil {
		w.t.Fatal(err)
	}
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			w.t.Fatal(err)
		}
	}
	without, _, _ := strings.Cut(string(whole), "channels:\n")
	write(without)
	w.startWorker("")
	w.until(ctx, s, func() bool {
		list, err := w.tasks(ctx)
		return err == nil && len(list) > 0 && list[0].Way != ""
	})
	w.worker.kill()
	w.waitDead(ctx)
	write(string(whole))
}

// until waits for something to be so; a worker that killed itself is replaced by
// whoever told it to.
func (w *world) until(ctx context.Context, s stage, so func() bool) {
	w.t.Helper()
	for !so() {
		if !w.pause(ctx) {
			for p := range people {
				w.t.Errorf("%d reads %q", p, hears(s, p))
			}
			w.t.Fatalf("it never was so; log:\n%s", w.logs())
		}
	}
}

func (w *world) rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
