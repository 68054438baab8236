package chaos

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"errand/internal/test/sim/discord"
	"errand/internal/test/sim/telegram"
)

// The answer to "grow" has two halves, and pauses between them until the test says so.
const (
	firstHalf  = "The night train to Oslo leaves at ten in the evening; it has beds, and a place to eat."
	secondHalf = " It is there for breakfast."
	pauses     = "\x00"
)

// A chatThatGrows is one in which an answer is shown in a message while it is written.
type chatThatGrows struct {
	stage
	write func(text string)
	reads func() []string
	// takes has the platform take the first message, or the first change of one, call met,
	// and break the connection off.
	takes func(change bool, met func())
	// edits is how often a message was changed.
	edits func() int
	// left is what may be there in the end of a first message whose id was not stored.
	left string
}

var growingStages = map[string]func(*testing.T) chatThatGrows{
	"telegram": func(t *testing.T) chatThatGrows {
		s := onTelegramWith(t, telegram.Options{})
		return growsOnTelegram(s, s.AddGroup("Team", false, s.bot), "@"+s.bot.Username+" ")
	},
	"telegram without drafts": func(t *testing.T) chatThatGrows {
		s := onTelegramWith(t, telegram.Options{NoDrafts: true})
		return growsOnTelegram(s, s.chats[0], "")
	},
	"discord": func(t *testing.T) chatThatGrows {
		s := onDiscord(t).(*discordStage)
		return chatThatGrows{stage: s, left: firstHalf,
			write: func(text string) { s.write(t, 0, text) },
			reads: func() []string { return s.reads(0) },
			edits: func() int { return len(s.Calls(discord.EditMessage)) },
			takes: func(change bool, met func()) {
				route := discord.CreateMessage
				if change {
					route = discord.EditMessage
				}
				s.Order(route, discord.Fault{Kind: discord.DieAfter, Met: met})
			}}
	},
}

func growsOnTelegram(s *telegramStage, c *telegram.Chat, address string) chatThatGrows {
	return chatThatGrows{stage: s, left: "…",
		write: func(text string) { s.Write(c, s.people[0], address+text) },
		reads: func() []string { return textsOf(s.Lines(c)) },
		edits: func() int { return len(s.Calls("editMessageText")) },
		takes: func(change bool, met func()) {
			method := "sendMessage"
			if change {
				method = "editMessageText"
			}
			s.Order(method, telegram.Fault{Kind: telegram.DieAfter, Met: met})
		}}
}

// A growingPoint is where a worker is killed in the course of an answer that grows.
type growingPoint struct {
	name  string
	probe string // in the worker; empty: see below
	taken bool   // when the platform has taken the first message, and not answered
	edit  bool   // when it has taken a change
	first string // the platform on which it is tried by default
}

var growingPoints = []growingPoint{
	{name: "its first message is taken, and nobody knows which it is", taken: true, first: "discord"},
	{name: "a change is taken, and not acknowledged", edit: true},
	{name: "its first half is there", first: "telegram without drafts"},
	{name: "it is written, and not committed", probe: "before T2#2"},
	{name: "it is committed, and not told", probe: "after T2#2"},
	{name: "it is about to be told", probe: "before send#2", first: "telegram"},
	{name: "it is told, without a receipt", probe: "before receipt#2"},
}

// TestKilledWhileItGrows proves that wherever a worker is killed while an answer is shown
// as it is written, the whole of it is there in the end, once, and no half of it whose message was known.
func TestKilledWhileItGrows(t *testing.T) {
	for platform, open := range growingStages {
		for _, p := range growingPoints {
			if os.Getenv("ERRAND_CHAOS") == "" && p.first != platform {
				continue
			}
			t.Run(platform+"/"+p.name, func(t *testing.T) {
				t.Parallel()
				killGrowing(t, open(t), p)
			})
		}
	}
}

func killGrowing(t *testing.T, c chatThatGrows, p growingPoint) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	w := onPlatform(t, c.stage)
	w.ledger.grown = make(chan struct{})
	w.startWorker(p.probe)
	if s, ok := c.stage.(interface{ prepare(context.Context, *world) }); ok {
		s.prepare(ctx, w)
	}
	until := func(what string, so func([]string) bool) {
		t.Helper()
		for !so(c.reads()) {
			if !w.pause(ctx) {
				t.Fatalf("%s: it reads %q; log:\n%s", what, c.reads(), w.logs())
			}
		}
	}
	c.write("good morning")
	until("it answers", func(got []string) bool { return len(got) == 1 })
	if p.taken || p.edit {
		c.takes(p.edit, w.worker.kill)
	}
	before := c.edits()
	c.write("grow")
	if !p.taken && !p.edit {
		// A message is changed only when its id is stored: until then its half answer may stay.
		until("the first half", func(got []string) bool { return slices.Contains(got, firstHalf) && c.edits() > before })
		if p.probe == "" {
			w.worker.kill()
		} else {
			close(w.ledger.grown)
		}
	}
	w.waitDead(ctx)
	edits := c.edits()
	w.startWorker("")
	if p.probe == "" {
		until("it is written again", func([]string) bool { return w.ledger.called(fmt.Sprintf("nikki: answer slowly, message %d", 2)) > 1 })
		if !p.taken { // the message is known
			until("it grows on", func([]string) bool { return c.edits() > edits })
		}
		close(w.ledger.grown)
	}
	whole := firstHalf + secondHalf
	until("the answer", func(got []string) bool { return slices.Contains(got, whole) })
	// A next message shows that nothing is on its way behind.
	c.write("and then")
	until("what follows", func(got []string) bool { return slices.Contains(got, "you said and then") })
	want := []string{"you said good morning", whole, "you said and then"}
	clean := func(got []string) bool {
		return slices.Equal(slices.DeleteFunc(slices.Clone(got), func(s string) bool { return p.taken && c.left != "" && s == c.left }), want)
	}
	until("that alone", func(got []string) bool {
		if n := strings.Count(strings.Join(got, "\n"), whole); n > 1 {
			t.Fatalf("it is there %d times: %q", n, got)
		}
		return clean(got)
	})
}
