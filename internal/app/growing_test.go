package app_test

import (
	"context"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/llm"
	"errand/internal/test/sim/discord"
	"errand/internal/test/sim/telegram"
)

// A writer is a model whose answers a test writes, piece by piece.
type writer struct {
	pieces chan string
	calls  atomic.Int32 // that are under way
}

// over ends an answer, and fails has the model fail in the middle of one.
const (
	over  = "\x00"
	fails = "\x01"
)

func (w *writer) Complete(ctx context.Context, _ llm.Request, deltas func(llm.Delta)) (llm.Response, error) {
	w.calls.Add(1)
	defer w.calls.Add(-1)
	var text strings.Builder
	for {
		select {
		case p := <-w.pieces:
			switch p {
			case over:
				return llm.Response{Text: text.String()}, nil
			case fails:
				return llm.Response{}, &llm.Error{Kind: llm.Refused}
			}
			text.WriteString(p)
			deltas(llm.Delta{Text: p})
		case <-ctx.Done():
			return llm.Response{}, context.Cause(ctx)
		}
	}
}

// A growingChat is a chat in which a person sees an answer grow.
type growingChat struct {
	ask   func()
	lines func() []simLine // what the bot's messages say
	still func() string    // what is shown of the answer; where it is no message, too
}

// paragraph is more than what is told without being shown before.
func paragraph(n int) string {
	return strconv.Itoa(n) + ": the night train leaves Hamburg at ten in the evening and is in Oslo for breakfast. "
}

func grow(t *testing.T, w *writer, c growingChat) {
	t.Helper()
	c.ask()
	whole := ""
	for n := range 2 {
		whole += paragraph(n)
		w.pieces <- paragraph(n)
		eventually(t, "it is shown as far as it is written: "+whole, func() bool { return c.still() == strings.TrimSpace(whole) })
	}
	w.pieces <- "That is all."
	w.pieces <- over
	whole += "That is all."
	eventually(t, "the answer", func() bool {
		lines := c.lines()
		return len(lines) > 0 && lines[len(lines)-1].text == whole
	})
}

func growingTelegram(t *testing.T) (*telegramWorld, *telegram.Bot, *installation, *writer) {
	world := newTelegram(t)
	bot := world.AddBot("errand_bot")
	account := world.account("main", bot)
	account.Streaming = true
	w := &writer{pieces: make(chan string)}
	in := install(t, w, func(o *app.Options) { o.Settings = quick }, cast, withAccounts(account))
	return world, bot, in, w
}

func telegramChat(w *telegramWorld, c *telegram.Chat, text string) growingChat {
	lines := func() (list []simLine) {
		for _, l := range w.Lines(c) {
			list = append(list, simLine{strconv.Itoa(l.ID), l.Text, l.Buttons})
		}
		return list
	}
	return growingChat{
		ask:   func() { w.Write(c, w.ana, text) },
		lines: lines,
		still: func() string {
			if d := w.Draft(c); d != "" {
				return d
			}
			if l := lines(); len(l) > 0 {
				return l[len(l)-1].text
			}
			return ""
		},
	}
}

// TestGrowsOnTelegram proves that a person on Telegram sees an answer while it is written,
// in a private chat and in a group, and that one message has it in the end.
func TestGrowsOnTelegram(t *testing.T) {
	t.Parallel()
	t.Run("private", func(t *testing.T) {
		t.Parallel()
		world, bot, _, w := growingTelegram(t)
		c := world.Start(world.ana, bot)
		grow(t, w, telegramChat(world, c, "how do I get to Oslo?"))
		if n := len(world.Lines(c)); n != 1 || world.Draft(c) != "" || len(world.Calls("editMessageText")) > 0 {
			t.Errorf("Ana sees %+v, and a draft %q", world.Lines(c), world.Draft(c))
		}
	})
	t.Run("group", func(t *testing.T) {
		t.Parallel()
		world, bot, _, w := growingTelegram(t)
		c := world.AddGroup("Team", false, bot)
		grow(t, w, telegramChat(world, c, "@errand_bot how do I get to Oslo?"))
		lines := world.Lines(c)
		if len(lines) != 1 || lines[0].ReplyTo == 0 || len(world.Calls("sendMessage")) != 1 || len(world.Calls("sendMessageDraft")) > 0 {
			t.Errorf("Ana sees %+v after %d messages", lines, len(world.Calls("sendMessage")))
		}
	})
}

// TestGrowsNoMore proves what becomes of an answer that is shown while it is written and then
// is not told in the place of that: of one that was stopped nothing is left, one whose message
// somebody has deleted is told in another, and of one whose model fails that is told.
func TestGrowsNoMore(t *testing.T) {
	t.Parallel()
	world, bot, _, w := growingTelegram(t)
	c := world.AddGroup("Team", false, bot)
	chat := telegramChat(world, c, "@errand_bot how do I get to Oslo?")
	begin := func(want string) {
		t.Helper()
		chat.ask()
		w.pieces <- paragraph(0)
		eventually(t, "it is shown", func() bool { return strings.HasPrefix(chat.still(), want) })
	}
	begin("…")
	world.Remove(c, world.Lines(c)[0].ID)
	w.pieces <- "By train."
	w.pieces <- over
	eventually(t, "the answer", func() bool { return chat.still() == paragraph(0)+"By train." })
	first := world.Lines(c)[0].ID

	begin(strings.TrimSpace(paragraph(0)))
	world.Write(c, world.ana, "/stop@errand_bot")
	eventually(t, "nothing of it is left", func() bool {
		lines := world.Lines(c)
		return len(lines) == 2 && lines[0].ID == first && !strings.HasPrefix(lines[1].Text, "0:")
	})
	// Until then the call that was stopped would take what is meant for the next one.
	eventually(t, "nobody writes", func() bool { return w.calls.Load() == 0 })

	begin(strings.TrimSpace(paragraph(0)))
	shown := world.Lines(c)[2].ID
	w.pieces <- fails
	eventually(t, "that it failed", func() bool {
		lines := world.Lines(c)
		return len(lines) == 3 && lines[2].ID == shown && !strings.HasPrefix(lines[2].Text, "0:")
	})
}

// TestGrowsBeyond proves that an answer longer than one message is told in the place of what
// was shown of it, and behind that.
func TestGrowsBeyond(t *testing.T) {
	t.Parallel()
	_, c, _, w := growingDiscord(t)
	c.ask()
	whole := ""
	for n := range 30 {
		whole += paragraph(n)
		w.pieces <- paragraph(n)
	}
	eventually(t, "as much of it as one message holds", func() bool { return len(c.still()) > 1900 && strings.HasPrefix(whole, c.still()) })
	w.pieces <- over
	eventually(t, "the answer", func() bool { return len(c.lines()) > 1 })
	text := ""
	for _, l := range c.lines() {
		text += l.text + " "
	}
	if text != whole {
		t.Errorf("Ana reads %q", text)
	}
}

func growingDiscord(t *testing.T) (*discord.Server, growingChat, *installation, *writer) {
	server, bot, account := newDiscord(t)
	ana := server.AddPerson(discord.Person{Name: "Ana"})
	server.AddGuild("Team", ana, bot)
	dm := server.DM(ana, bot)
	w := &writer{pieces: make(chan string)}
	in := install(t, w, func(o *app.Options) { o.Settings = quick }, cast, account, func(c *config.Config) { c.Channels[0].Streaming = true })
	eventually(t, "it is connected", func() bool { return server.Connected(bot) })
	lines := func() (list []simLine) {
		for _, l := range server.Lines(dm) {
			list = append(list, simLine{l.ID, l.Text, l.Buttons})
		}
		return list
	}
	return server, growingChat{
		ask:   func() { server.Write(dm, ana, "how do I get to Oslo?") },
		lines: lines,
		still: func() string {
			if l := lines(); len(l) > 0 {
				return l[len(l)-1].text
			}
			return ""
		},
	}, in, w
}

// TestGrowsOnDiscord is TestGrowsOnTelegram.
func TestGrowsOnDiscord(t *testing.T) {
	t.Parallel()
	server, c, _, w := growingDiscord(t)
	grow(t, w, c)
	if n := len(c.lines()); n != 1 {
		t.Errorf("Ana sees %+v", c.lines())
	}
	if n := len(server.Calls(discord.CreateMessage)); n != 1 {
		t.Errorf("%d messages were posted", n)
	}
}
