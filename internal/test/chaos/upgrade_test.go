package chaos

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"errand/internal/core"
	"errand/internal/temporal/devserver"
	"errand/internal/test/notifiertest"
	"errand/internal/test/sim/discord"
	"errand/internal/test/sim/telegram"
)

// released has the data folder of a process of version 0.9.0 that was killed at work, its errand.yaml
// and what people had read by then: see TestUpgradeRecord.
const released = "testdata/0.9.0.tar.gz"

// releasedConfig must not depend on the day on which the data is used.
const releasedConfig = `primary: nikki
agents:
  nikki: {instructions: "You are Nikki.", delegates: [sasha]}
  sasha: {instructions: "You are Sasha."}
models: {default: {name: ledger}}
sessions: {busy: queue, end_after: 3650d}
approvals: {ledger.pay: always}
questions: {expire_after: 3650d, remind_after: []}
retention: {transcripts: 3650d, deliveries: 3650d, usage_detail: 3650d, audit: 3650d}
channels:
  telegram: [{account: main, token_env: TELEGRAM_TOKEN, access: open, role: member, url: "` + telegramURL + `"}]
  discord: [{account: main, token_env: DISCORD_TOKEN, access: open, role: member, url: "` + discordURL + `"}]
`

// The platforms of a test have other addresses.
const (
	telegramURL = "http://telegram.invalid"
	discordURL  = "http://discord.invalid"
)

// What people write before the process is killed.
const (
	remindsInAYear = "remind me in a year"
	sendsToAsk     = "send Sasha to ask"
	slow           = "slow"       // its answer is there when the platform is away
	unfinished     = "unfinished" // its answer is never there
)

var delayedForever = []string{sashas, `nikki: answer "` + unfinished, `nikki: answer "` + slow}

// TestUpgrade proves that this program continues the data of version 0.9.0, with its Temporal database and
// without it ("errand upgrade"): everything is answered once in its own chat, open questions can be
// answered and their results are told once, files can be read, and reminders are due when they were.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(string) error{
		"as it was":            func(string) error { return nil },
		"after errand upgrade": func(data string) error { _, err := devserver.Replace(data); return err },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			w := newWorld(t, point{}, setting{target: embedded})
			if err := unpack(w.dir, released); err != nil {
				t.Fatal(err)
			}
			if err := prepare(filepath.Join(w.dir, "data")); err != nil {
				t.Fatal(err)
			}
			yaml, told := w.readRelease()
			h := openHouse(ctx, w, 5000)
			for name, texts := range told.Read {
				h.chats[name].before = texts
			}
			h.configure(yaml)
			h.start()
			h.answersOpen(told.Made)
		})
	}
}

// A house is an installation with people on three channels.
type house struct {
	*world
	ctx      context.Context
	telegram *telegramStage
	discord  *discordStage
	ids      string // the ids of messages on the web begin with it
	chats    map[string]*place
}

// A place is a chat of a person.
type place struct {
	before []string // what its person had read when the data was recorded
	write  func(text string)
	now    func() []string // what its person has read since
	files  func() []sentFile
}

func (p *place) reads() []string {
	return slices.DeleteFunc(slices.Concat(p.before, p.now()), notifiertest.IsProgress)
}

// openHouse makes platforms with the same accounts and chats each time. The numbers of their messages
// begin with first.
func openHouse(ctx context.Context, w *world, first int) *house {
	var open atomic.Bool
	clock := func() time.Time { // Discord's ids are times
		if open.Load() {
			return time.Now()
		}
		return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	h := &house{
		world: w, ctx: ctx, ids: fmt.Sprint(first), chats: map[string]*place{},
		telegram: onTelegramWith(w.t, telegram.Options{First: first}), discord: onDiscordWith(w.t, discord.Options{Now: clock}),
	}
	open.Store(true)
	for p, name := range names {
		h.telegram.Start(h.telegram.people[p], h.telegram.bot)
		for channel, s := range map[string]stage{"telegram": h.telegram, "discord": h.discord} {
			h.chats[channel+" "+name] = &place{
				write: func(text string) { s.write(w.t, p, text) },
				now:   func() []string { return s.reads(p) },
				files: func() []sentFile { return s.files(p) },
			}
		}
	}
	for _, name := range []string{"web Ana", "web Ben"} {
		n := 0
		h.chats[name] = &place{write: func(text string) {
			n++
			w.sendTo(ctx, core.WebRoute(strings.Fields(name)[1]), fmt.Sprintf("m-%s-%d", h.ids, n), text)
		}, now: func() []string { return w.readsOnWeb(strings.Fields(name)[1]) }}
	}
	return h
}

func (w *world) readsOnWeb(chat string) (texts []string) {
	var events []core.Event
	if w.get(w.t.Context(), "/events?channel=web&chat="+chat, &events) != nil {
		return nil
	}
	for _, e := range events {
		if slices.Contains([]core.EventType{core.EventReply, core.EventQuestion, core.EventLate, core.EventNotice, core.EventError}, e.Type) {
			texts = append(texts, e.Text)
		}
	}
	return texts
}

func (h *house) configure(yaml string) {
	h.world.configure(strings.NewReplacer(telegramURL, h.telegram.web.URL, discordURL, h.discord.URL()).Replace(yaml))
	h.env = append(h.env, "TELEGRAM_TOKEN="+h.telegram.bot.Token, "DISCORD_TOKEN="+h.discord.bot.Token)
}

func (h *house) start() {
	h.startWorker("")
	h.discord.prepare(h.ctx, h.world)
}

// await waits until something is so in every chat of a person.
func (h *house) await(person, what string, so func(*place) bool) {
	h.t.Helper()
	for name, p := range h.chats {
		for strings.HasSuffix(name, person) && !so(p) {
			if !h.pause(h.ctx) {
				h.t.Fatalf("never %s in the chat %s, where are read %q; log:\n%s", what, name, p.reads(), h.logs())
			}
		}
	}
}

// tell has a person write in each of their chats, and waits until each has read something.
func (h *house) tell(person, text, want string) {
	h.t.Helper()
	had := map[*place]int{}
	for name, p := range h.chats {
		if strings.HasSuffix(name, person) {
			had[p] = timesIn(p.reads(), want)
			p.write(text)
		}
	}
	h.await(person, want, func(p *place) bool { return timesIn(p.reads(), want) > had[p] })
}

func (h *house) answersOpen(made time.Time) {
	const result = "two trains"
	h.await("Ana", "an answer and a result", func(p *place) bool { return told(p.reads(), "you said "+slow) && timesIn(p.reads(), result) > 0 })
	h.await("Ben", "an answer", func(p *place) bool {
		return told(p.reads(), "you said "+unfinished) && told(p.reads(), "you said "+unfinished+" 2")
	})
	for name, p := range h.chats {
		if strings.HasSuffix(name, "Ben") {
			q := answerWith.FindStringSubmatch(strings.Join(p.reads(), "\n"))
			if q == nil {
				h.t.Fatalf("no question in %s: %q", name, p.reads())
			}
			p.write("/answer " + q[1] + " Monday")
		}
	}
	h.await("Ben", "a result", func(p *place) bool { return timesIn(p.reads(), result) > 0 })
	h.tell("Ana", "use read_file", "two trains to Oslo")
	if time.Now().Before(made.AddDate(1, 0, 0)) {
		h.tell("Ana", "use list_reminders", "it said r-")
	} else {
		h.await("Ana", "a reminder", func(p *place) bool { return timesIn(p.reads(), reminds) > 0 })
	}
	for _, name := range names { // nothing is on its way behind
		h.tell(name, "still there?", "you said still there?")
	}
	for name, p := range h.chats {
		h.judgeOnce(name, p)
	}
}

// judgeOnce checks that everything was told once in its own chat. Telegram may repeat what was on its way
// at the kill.
func (h *house) judgeOnce(name string, p *place) {
	want := []string{"good morning", "still there?"}
	if strings.HasSuffix(name, "Ben") {
		want = append(want, unfinished, unfinished+" 2")
	} else {
		want = append(want, slow)
	}
	var answers []string
	results := 0
	for _, text := range p.reads() {
		again := unmarked(text) != text
		if answer, ok := strings.CutPrefix(unmarked(text), "you said "); ok && !(again && strings.HasPrefix(name, "telegram") && slices.Contains(answers, answer)) {
			answers = append(answers, answer)
		}
		if strings.Contains(text, "two trains") && !strings.Contains(text, "it said") {
			results++
		}
	}
	slices.Sort(answers)
	slices.Sort(want)
	if !slices.Equal(answers, want) || results != 1 {
		h.t.Errorf("in %s answers to %q and %d results were read, want %q and one: %q; log:\n%s", name, answers, results, want, p.reads(), h.logs())
	}
}

// A release is what people had read when the data was recorded.
type release struct {
	Made time.Time
	Read map[string][]string
}

const releaseFile = "read.json"

func (w *world) readRelease() (yaml string, r release) {
	w.t.Helper()
	config, err := os.ReadFile(filepath.Join(w.dir, "errand.yaml"))
	text, missing := os.ReadFile(filepath.Join(w.dir, releaseFile))
	if err := errors.Join(err, missing, json.Unmarshal(text, &r)); err != nil {
		w.t.Fatal(err)
	}
	return string(config), r
}

func unpack(dir, archive string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	for r := tar.NewReader(z); ; {
		head, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if head.FileInfo().IsDir() {
			err = os.MkdirAll(filepath.Join(dir, head.Name), 0o700)
		} else {
			err = unpackFile(filepath.Join(dir, head.Name), r)
		}
		if err != nil {
			return err
		}
	}
}

func unpackFile(path string, r io.Reader) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}
