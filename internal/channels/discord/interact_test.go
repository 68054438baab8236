package discord_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"errand/internal/channels/discord"
	"errand/internal/intake"
	"errand/internal/store"
	platform "errand/internal/test/sim/discord"
)

// offered waits until people see our commands.
func (r *rig) offered() {
	r.t.Helper()
	r.Until("commands are offered", func() bool { return len(r.server.Commands(r.bot, r.guild)) > 0 })
}

func (r *rig) answer(c *platform.Channel, i *platform.Interaction) (l platform.Line) {
	r.t.Helper()
	if i == nil {
		r.t.Fatal("her client does not offer that")
	}
	r.Until("it is answered", func() bool {
		for _, line := range r.server.Sees(c, r.ana) {
			if line.Answers == i.ID && !line.Thinking {
				l = line
				return true
			}
		}
		return false
	})
	return l
}

// TestCommands proves that a slash command is carried out once, answered in the
// language of the client so that only the person sees it, and is not in the outbox.
func TestCommands(t *testing.T) {
	r := newRig(t)
	r.start()
	r.connected()
	r.offered()
	general := r.server.General(r.guild)
	for _, c := range []*platform.Channel{r.dm, general} {
		line := r.answer(c, r.server.Run(c, r.ana, r.bot, "whoami"))
		if line.Only != "Ana" || !strings.Contains(line.Text, "Ana") {
			t.Errorf("Ana reads %+v", line)
		}
	}
	line := r.answer(general, r.server.Run(general, r.ana, r.bot, "agent", platform.Option{Name: "agent", Value: "nobody"}))
	if !strings.Contains(line.Text, "nobody") {
		t.Errorf("Ana reads %+v", line)
	}
	came := r.Arrivals()[0]
	if came.Text != "/whoami" || !came.Private || came.Sender.Language != "es-ES" || came.Group || strings.Trim(came.MessageID, "0123456789") == "" {
		t.Errorf("came %+v", came)
	}
	r.server.Run(general, r.ana, r.bot, "language", platform.Option{Name: "words", Value: "es"})
	r.Until("it has come", func() bool { return len(r.Arrivals()) == 4 })
	r.server.Repeat(r.bot, 1)
	r.server.Write(r.dm, r.ana, "last")
	r.Until("all has come", func() bool {
		return slices.ContainsFunc(r.Arrivals(), func(in intake.Inbound) bool { return in.Text == "last" })
	})
	if n := len(r.Arrivals()); n != 5 {
		t.Errorf("%d came, want 5", n)
	}
	rows, err := r.Store.Deliveries(t.Context(), nil, store.Page{})
	if err != nil || len(rows) > 0 {
		t.Errorf("the outbox has %+v, %v", rows, err)
	}
}

// TestStranger proves that somebody who is not known gets their code where only
// they see it, also in a server.
func TestStranger(t *testing.T) {
	r := newRig(t)
	r.Errand = pairing(t)
	r.start()
	r.connected()
	r.offered()
	general := r.server.General(r.guild)
	if line := r.answer(general, r.server.Run(general, r.ana, r.bot, "tasks")); line.Only != "Ana" || !strings.Contains(line.Text, "código") {
		t.Errorf("Ana reads %+v", line)
	}
}

// TestSuggestions proves what is offered while somebody types.
func TestSuggestions(t *testing.T) {
	r := newRig(t)
	r.start()
	r.connected()
	r.offered()
	r.server.Write(r.dm, r.ana, "hello")
	r.Until("she is known", func() bool { return len(r.Arrivals()) == 1 })
	i := r.server.Complete(r.dm, r.ana, r.bot, "agent", "agent", "")
	r.Until("something is suggested", func() bool { return r.server.Answer(i).Type == 8 })
	if list := r.server.Answer(i).Choices; len(list) == 0 || list[0].Value == "" || !strings.Contains(list[0].Name, "–") {
		t.Errorf("suggested is %+v", list)
	}
	i = r.server.Complete(r.dm, r.ana, r.bot, "task", "task", "t-")
	r.Until("it is answered", func() bool { return r.server.Answer(i).Type == 8 })
}

// TestCommandsAreSetOnce proves that the list is told to Discord when it is another
// than the one that is there.
func TestCommandsAreSetOnce(t *testing.T) {
	r := newRig(t)
	stop := r.start()
	r.connected()
	r.offered()
	if got, want := len(r.server.Commands(r.bot, nil)), len(r.Commands.Menu()[""]); got != want {
		t.Errorf("%d commands are offered, of %d", got, want)
	}
	if body := r.server.Calls(platform.SetCommands)[0].Body; !strings.Contains(body, `"es-419"`) {
		t.Errorf("there is no Spanish: %.300s", body)
	}
	stop()
	asked := len(r.server.Calls(platform.ListCommands))
	r.start()
	r.connected()
	r.Until("it has looked", func() bool { return len(r.server.Calls(platform.ListCommands)) > asked })
	r.server.Write(r.dm, r.ana, "last")
	r.Until("it has come", func() bool { return len(r.Arrivals()) == 1 })
	if n := len(r.server.Calls(platform.SetCommands)); n != 1 {
		t.Errorf("they were set %d times", n)
	}
}

// TestButtons proves that a button that is pressed is its answer in full, in reply
// to the question, said once however often it is pressed; that the buttons are
// gone then, and in a server the person is told.
func TestButtons(t *testing.T) {
	r := newRig(t)
	r.start()
	r.connected()
	general := r.server.General(r.guild)
	long, longer := strings.Repeat("ä", 90), strings.Repeat("*b* ", 40)
	for _, answer := range []string{"Yes", long, strings.TrimSpace(longer)} {
		for _, c := range []*platform.Channel{r.dm, general} {
			before := len(r.Arrivals())
			asked := r.write(c, "Yes or no? "+answer[:2]+"\n\n1. as you wish\n2. as I wish", answer, "No")
			label := r.line(c, asked).Buttons[0]
			i := r.server.Press(c, r.ana, asked, label)
			r.Until("it has come", func() bool { return len(r.Arrivals()) > before })
			in := r.Arrivals()[before]
			if in.Text != answer || in.ReplyTo != asked || in.Group != (c == general) || in.Route != r.route(c) {
				t.Errorf("came %+v", in)
			}
			if c == general {
				if line := r.answer(c, i); line.Only != "Ana" || !strings.HasPrefix(line.Text, "Has dicho: ") {
					t.Errorf("Ana reads %+v", line)
				}
				again := r.server.Press(c, r.ana, asked, label)
				r.answer(c, again)
				if a, b := r.Arrivals()[before], r.Arrivals()[before+1]; a.MessageID != b.MessageID {
					t.Errorf("pressed twice it is %q and %q", a.MessageID, b.MessageID)
				}
				continue
			}
			r.Until("the buttons are gone", func() bool { return len(r.line(c, asked).Buttons) == 0 })
		}
	}
	if got := r.Inbox(r.route(general)); !slices.Equal(got, []string{"Yes", long, strings.TrimSpace(longer)}) {
		t.Errorf("there is to answer %q", got)
	}
}

// line is a message as people see it.
func (r *rig) line(c *platform.Channel, id string) platform.Line {
	list := r.server.Sees(c, nil)
	if i := slices.IndexFunc(list, func(l platform.Line) bool { return l.ID == id }); i >= 0 {
		return list[i]
	}
	return platform.Line{}
}

// TestAcknowledgedInTime proves that Discord hears at once of an interaction that
// takes long, and that it keeps its place among the messages of its chat.
func TestAcknowledgedInTime(t *testing.T) {
	r := newRig(t)
	r.start()
	r.connected()
	r.offered()
	r.Fail(errors.New("the disk is full"))
	r.server.Write(r.dm, r.ana, "before")
	i := r.server.Run(r.dm, r.ana, r.bot, "whoami")
	r.Until("it is acknowledged", func() bool { return r.server.Answer(i).Type == 5 })
	r.Fail(nil)
	r.answer(r.dm, i)
	if came := r.Arrivals(); len(came) != 2 || came[0].Text != "before" {
		t.Errorf("came %+v", came)
	}
	r.server.Order(platform.AnswerInteraction, platform.Fault{Kind: platform.DieAfter}, platform.Fault{Kind: platform.TooMany, After: 10 * time.Millisecond})
	if line := r.answer(r.dm, r.server.Run(r.dm, r.ana, r.bot, "whoami")); line.Text == "" {
		t.Errorf("Ana reads %+v", line)
	}
}

// TestTooLate proves that what could not be carried out for long is not any more,
// be it that what was written before it could not be taken in, and that whoever
// waits is told.
func TestTooLate(t *testing.T) {
	for _, before := range []bool{false, true} {
		r := newRig(t)
		r.patience = 100 * time.Millisecond
		r.start()
		r.connected()
		r.offered()
		r.Fail(errors.New("the disk is full"))
		if before {
			r.server.Write(r.dm, r.ana, "before")
		}
		i := r.server.Run(r.dm, r.ana, r.bot, "whoami")
		if before {
			r.Until("it is acknowledged", func() bool { return r.server.Answer(i).Type == 5 })
			came := time.Now()
			r.Until("it is too late", func() bool { return time.Since(came) > r.patience })
			r.Fail(nil)
		}
		if line := r.answer(r.dm, i); line.Text != "ahora no" {
			t.Errorf("Ana reads %+v", line)
		}
	}
}

// TestNew proves that what is missing is said.
func TestNew(t *testing.T) {
	r := newRig(t)
	whole := discord.Options{Account: "main", Token: "t", Receiver: r, Memory: r, Logger: r.Logger()}
	for _, without := range []func(*discord.Options){
		func(o *discord.Options) { o.Account = "" }, func(o *discord.Options) { o.Token = "" }, func(o *discord.Options) { o.Receiver = nil },
		func(o *discord.Options) { o.Memory = nil }, func(o *discord.Options) { o.Logger = nil },
	} {
		o := whole
		without(&o)
		if _, err := discord.New(o); err == nil {
			t.Errorf("%+v is enough", o)
		}
	}
}
