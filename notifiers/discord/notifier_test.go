package discord_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"errand/internal/core"
	"errand/internal/test/notifiertest"
	platform "errand/internal/test/sim/discord"
	"errand/notifiers"
	"errand/notifiers/discord"
)

// A rig is a notifier and the platform behind it, with Ana, who shares a server
// with the bot and has written to it.
type rig struct {
	*discord.Notifier
	t      *testing.T
	server *platform.Server
	bot    *platform.Bot
	ana    *platform.Person
	guild  *platform.Guild
	chat   *platform.Channel
}

// newRig has no limits on either side: those have tests of their own.
func newRig(t *testing.T) *rig {
	return rigWith(t, platform.Options{PerRoute: -1, Global: -1}, 1)
}

func rigWith(t *testing.T, o platform.Options, every time.Duration) *rig {
	t.Helper()
	server, err := platform.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	r := &rig{t: t, server: server, bot: server.AddBot(platform.Bot{Name: "errand"}), ana: server.AddPerson(platform.Person{Name: "Ana"})}
	r.guild = server.AddGuild("Team", r.ana, r.bot)
	r.chat = server.DM(r.ana, r.bot)
	r.Notifier = r.restart(every)
	return r
}

func (r *rig) restart(every time.Duration) *discord.Notifier {
	r.t.Helper()
	n, err := discord.New(discord.Options{Accounts: map[string]string{"": r.bot.Token, "main": r.bot.Token}, Client: r.server.Client(), Every: every})
	if err != nil {
		r.t.Fatal(err)
	}
	return n
}

func (r *rig) note(key, text string) core.Notification { return note(r.chat, key, text) }

func note(c *platform.Channel, key, text string) core.Notification {
	return core.Notification{Key: key, Text: text, Event: core.EventReply,
		Route: core.Route{Channel: "discord", Account: "main", Chat: c.ID}}
}

func (r *rig) sentTexts() []string {
	var texts []string
	for _, l := range r.server.Lines(r.chat) {
		texts = append(texts, l.Text)
	}
	return texts
}

func sendError(t *testing.T, err error) *notifiers.SendError {
	t.Helper()
	var send *notifiers.SendError
	if !errors.As(err, &send) {
		t.Fatalf("the error is %v, not a SendError", err)
	}
	return send
}

// A judge lets the suite order the faults of a notifier from Discord.
type judge struct{ *rig }

func (j judge) Chat() string    { return j.chat.ID }
func (j judge) ShowsOnce() bool { return true }

func (j judge) Order(faults ...notifiertest.Fault) {
	kinds := map[notifiertest.Fault]platform.FaultKind{notifiertest.Refuse: platform.Forbidden, notifiertest.Busy: platform.TooMany,
		notifiertest.Broken: platform.Broken, notifiertest.DieBefore: platform.DieBefore, notifiertest.DieAfter: platform.DieAfter}
	for _, f := range faults {
		j.server.Order(platform.CreateMessage, platform.Fault{Kind: kinds[f]})
	}
}

func (j judge) Messages() []notifiertest.Message {
	var list []notifiertest.Message
	for _, l := range j.server.Lines(j.chat) {
		list = append(list, notifiertest.Message{ID: l.ID, Chat: j.Chat(), Text: l.Text})
	}
	return list
}

func TestNotifier(t *testing.T) {
	notifiertest.Run(t, func(t *testing.T) (notifiers.Notifier, notifiertest.Judge) {
		r := newRig(t)
		return r.Notifier, judge{r}
	})
}

// TestFates proves that after each fault what is known is said, with what to do
// about it, and without what was sent.
func TestFates(t *testing.T) {
	const secret = "the words of a person"
	fault := func(kind platform.FaultKind, with platform.Fault) func(*rig) core.Notification {
		return func(r *rig) core.Notification {
			with.Kind = kind
			r.server.Order(platform.CreateMessage, with)
			return r.note("k", secret)
		}
	}
	tests := []struct {
		name  string
		doing func(*rig) core.Notification
		fate  notifiers.Outcome
		after time.Duration
		text  string
	}{
		{"takes no messages", func(r *rig) core.Notification { r.server.SetClosed(r.ana, true); return r.note("k", secret) }, notifiers.Refused, 0, "direct messages"},
		{"no server shared", func(r *rig) core.Notification { r.server.Kick(r.guild, r.ana); return r.note("k", secret) }, notifiers.Refused, 0, "share a server"},
		{"kicked", func(r *rig) core.Notification {
			r.server.Kick(r.guild, r.bot)
			return note(r.server.General(r.guild), "k", secret)
		}, notifiers.Refused, 0, "invite it again"},
		{"may not write", func(r *rig) core.Notification {
			r.server.Deny(r.server.General(r.guild), r.bot, platform.SendMessages)
			return note(r.server.General(r.guild), "k", secret)
		}, notifiers.Refused, 0, `"Send Messages"`},
		{"channel deleted", func(r *rig) core.Notification {
			c := r.server.AddChannel(r.guild, "old")
			r.server.RemoveChannel(c)
			return note(c, "k", secret)
		}, notifiers.Refused, 0, "deleted"},
		{"thread locked", func(r *rig) core.Notification {
			c := r.server.AddThread(r.server.General(r.guild), r.ana, "old")
			r.server.Archive(c, true)
			return note(c, "k", secret)
		}, notifiers.Refused, 0, "open it again"},
		{"not a channel", func(r *rig) core.Notification {
			n := r.note("k", secret)
			n.Route.Chat = "../users/@me"
			return n
		}, notifiers.Refused, 0, "is a number"},
		{"no account", func(r *rig) core.Notification { n := r.note("k", secret); n.Route.Account = "finn"; return n }, notifiers.NotSent, time.Minute, `/finn is not set up here`},
		{"revoked", func(r *rig) core.Notification { r.server.Revoke(r.bot); return r.note("k", secret) }, notifiers.NotSent, time.Minute, "under Bot"},
		{"too many", fault(platform.TooMany, platform.Fault{After: 9 * time.Second}), notifiers.NotSent, 9 * time.Second, "429"},
		{"broken", fault(platform.Broken, platform.Fault{}), notifiers.Unknown, 0, "500"},
		{"in front of it", fault(platform.BadGateway, platform.Fault{}), notifiers.Unknown, 0, "502"},
		{"died after", fault(platform.DieAfter, platform.Fault{}), notifiers.Unknown, 0, "no answer"},
		{"slow", fault(platform.Slow, platform.Fault{For: time.Minute}), notifiers.Unknown, 0, "no answer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			token := r.bot.Token
			within := 8 * time.Second // less than "too many" asks for
			if tt.name == "slow" {
				within = time.Second
				// It is to come too late for the answer, not for the connection.
				if err := r.Typing(t.Context(), r.note("", "").Route); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), within)
			defer cancel()
			_, err := r.Notify(ctx, tt.doing(r))
			send := sendError(t, err)
			if send.Outcome != tt.fate || send.RetryAfter != tt.after || !strings.Contains(send.Error(), tt.text) {
				t.Errorf("after %s it is %v, want %s", send.RetryAfter, send, tt.fate)
			}
			if strings.Contains(send.Error(), secret) || strings.Contains(send.Error(), token) {
				t.Errorf("the error tells too much: %v", send)
			}
		})
	}
	t.Run("unreachable", func(t *testing.T) {
		r := newRig(t)
		r.server.Close()
		_, err := r.Notify(t.Context(), r.note("k", secret))
		if send := sendError(t, err); send.Outcome != notifiers.NotSent || strings.Contains(send.Error(), r.bot.Token) {
			t.Errorf("it is %v", send)
		}
	})
}

// TestNoRetryInside proves that the library asks once for each attempt, and what
// it posts names who it is by a nonce that holds for the key and the part.
func TestNoRetryInside(t *testing.T) {
	r := newRig(t)
	r.server.Order(platform.CreateMessage, platform.Fault{Kind: platform.BadGatewayAfter}, platform.Fault{Kind: platform.TooMany, After: time.Millisecond})
	for range 2 {
		if _, err := r.Notify(t.Context(), r.note("k", "x")); err == nil {
			t.Error("the fault was not met")
		}
	}
	if _, err := r.restart(1).Notify(t.Context(), r.note("k", "x")); err != nil {
		t.Fatal(err)
	}
	if calls := r.server.Calls(platform.CreateMessage); len(calls) != 3 || calls[0].Body != calls[2].Body || !strings.Contains(calls[0].Body, `"enforce_nonce":true`) ||
		!strings.Contains(calls[0].Body, `"allowed_mentions":{"parse":[]}`) {
		t.Errorf("three attempts were %d calls: %+v", len(calls), calls)
	}
	if sentTexts := r.sentTexts(); len(sentTexts) != 1 {
		t.Errorf("Ana sees %q", sentTexts)
	}
}

// TestShape proves that a notification has its buttons and the message it
// answers, and that one that is gone or may not be named keeps nothing back.
func TestShape(t *testing.T) {
	r := newRig(t)
	asked := r.server.Write(r.chat, r.ana, "shall I?")
	long, longer := strings.Repeat("ä", 90), strings.Repeat("b", 120)
	n := r.note("k1", "Yes or no?")
	n.ReplyTo, n.Options = asked, []string{"Yes", "", "Yes", "#1", long, longer}
	if _, err := r.Notify(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	line := r.server.Lines(r.chat)[0]
	if line.ReplyTo != asked || len(line.Buttons) != 4 || line.Buttons[0] != "Yes" || line.Buttons[1] != "#1" || !strings.HasSuffix(line.Text, "\n4\\. "+longer) {
		t.Errorf("Ana sees %+v", line)
	}
	many := r.note("k2", "which?")
	for i := range 30 {
		many.Options = append(many.Options, fmt.Sprint("option ", i))
	}
	if _, err := r.Notify(t.Context(), many); err != nil {
		t.Fatal(err)
	}
	if line := r.server.Lines(r.chat)[1]; len(line.Buttons) != 25 || !strings.Contains(line.Text, `30\. option 29`) || strings.Contains(line.Text, "option 24") {
		t.Errorf("Ana sees %+v", line)
	}
	for _, id := range []string{"9999", "press:4", ""} {
		n := r.note("k"+id, "still there")
		n.ReplyTo = id
		if _, err := r.Notify(t.Context(), n); err != nil {
			t.Errorf("in reply to %q: %v", id, err)
		}
	}
	general := r.server.General(r.guild)
	theirs := r.server.Write(general, r.ana, "hey")
	r.server.Deny(general, r.bot, platform.ReadHistory)
	n = note(general, "k3", "hello")
	n.ReplyTo = theirs
	if _, err := r.Notify(t.Context(), n); err != nil {
		t.Errorf("without the permission to reply: %v", err)
	}
	thread := r.server.AddThread(general, r.ana, "trains")
	if _, err := r.Notify(t.Context(), note(thread, "k4", "in the thread")); err != nil || len(r.server.Lines(thread)) != 1 {
		t.Errorf("in the thread: %+v, %v", r.server.Lines(thread), err)
	}
	if err := r.Typing(t.Context(), note(thread, "", "").Route); err != nil || !r.server.Types(thread, r.bot) {
		t.Errorf("nobody sees that the bot types: %v", err)
	}
}

func longText(lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "line %d 😀 of what is a long answer\n", i)
	}
	return b.String()
}

// TestLongText proves that a long text arrives whole, once, in order and with a
// receipt for each part, whichever part has trouble, and whether the process that
// goes on with it knows anything or not, within the time of the nonce and after.
func TestLongText(t *testing.T) {
	text := longText(150)
	for _, fault := range []platform.FaultKind{platform.TooMany, platform.DieBefore, platform.DieAfter, platform.BadGatewayAfter} {
		for at := range 3 {
			for _, how := range []string{"same process", "another process", "another process, late"} {
				t.Run(fmt.Sprint(fault, " at part ", at, ", ", how), func(t *testing.T) {
					o := platform.Options{PerRoute: -1, Global: -1}
					if how == "another process, late" {
						o.NonceFor = time.Nanosecond
					}
					r := rigWith(t, o, 1)
					for range at {
						r.server.Order(platform.CreateMessage, platform.Fault{})
					}
					r.server.Order(platform.CreateMessage, platform.Fault{Kind: fault, After: time.Millisecond})
					n := r.note("k", text)
					_, err := r.Notify(t.Context(), n)
					send := sendError(t, err)
					if want := map[bool]notifiers.Outcome{true: notifiers.NotSent, false: notifiers.Unknown}[fault == platform.TooMany && at == 0]; send.Outcome != want {
						t.Fatalf("the fate is %q, want %q", send.Outcome, want)
					}
					again := r.Notifier
					if how != "same process" {
						again = r.restart(1)
					}
					receipt, ok, err := again.Delivered(t.Context(), n)
					if err != nil {
						t.Fatal(err)
					}
					if !ok {
						if receipt, err = again.Notify(t.Context(), n); err != nil {
							t.Fatal(err)
						}
					}
					sentTexts := r.sentTexts()
					if len(sentTexts) != 3 || len(receipt.IDs) != 3 {
						t.Fatalf("Ana sees %d messages, with receipts %q", len(sentTexts), receipt.IDs)
					}
					for i, l := range r.server.Lines(r.chat) {
						if l.ID != receipt.IDs[i] {
							t.Errorf("receipts %q are not those of the messages in order", receipt.IDs)
						}
					}
					for i := range 150 {
						if !strings.Contains(strings.Join(sentTexts, "\n"), fmt.Sprintf("line %d ", i)) {
							t.Fatalf("line %d is lost", i)
						}
					}
				})
			}
		}
	}
}

// TestReadBack proves what is told from what: another row with the same words, a
// message of somebody else, and a channel whose past cannot be read.
func TestReadBack(t *testing.T) {
	r := newRig(t)
	n := r.note("k1", "done")
	n.Created = time.Now()
	if _, err := r.Notify(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	r.server.Write(r.chat, r.ana, "done")
	other := r.note("k2", "done")
	if _, ok, err := r.Delivered(t.Context(), other); ok || err != nil {
		t.Errorf("what has the words of another is delivered: %v, %v", ok, err)
	}
	if got, ok, err := r.restart(1).Delivered(t.Context(), n); !ok || err != nil || !slices.Equal(got.IDs, []string{r.server.Lines(r.chat)[0].ID}) {
		t.Errorf("Delivered = %v, %v, %v", got, ok, err)
	}
	general := r.server.General(r.guild)
	there := note(general, "k3", "hello")
	if _, err := r.Notify(t.Context(), there); err != nil {
		t.Fatal(err)
	}
	r.server.Deny(general, r.bot, platform.ReadHistory)
	if _, _, err := r.restart(1).Delivered(t.Context(), there); !errors.Is(err, notifiers.ErrCannotCheck) {
		t.Errorf("of a channel that cannot be read: %v", err)
	}
	there.Repeated = true
	if _, err := r.restart(1).Notify(t.Context(), there); err != nil || len(r.server.Lines(general)) != 1 {
		t.Errorf("repeated while the nonce is known: %+v, %v", r.server.Lines(general), err)
	}
}

// TestRepeatedLate proves that what cannot be read back and is repeated after the
// nonce is forgotten says that it is.
func TestRepeatedLate(t *testing.T) {
	r := rigWith(t, platform.Options{PerRoute: -1, Global: -1, NonceFor: time.Nanosecond}, 1)
	r.server.Order(platform.CreateMessage, platform.Fault{Kind: platform.DieAfter})
	n := r.note("k", "**done**")
	if _, err := r.Notify(t.Context(), n); err == nil {
		t.Fatal("the fault was not met")
	}
	n.Repeated = true
	if _, err := r.restart(1).Notify(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	if sentTexts := r.sentTexts(); !slices.Equal(sentTexts, []string{"**done**", "Repeating this in case it did not arrive:\n**done**"}) {
		t.Errorf("Ana sees %q", sentTexts)
	}
}

// TestMarkdown proves that what an agent writes is shown as it meant it, and that
// what errand says is not touched.
func TestMarkdown(t *testing.T) {
	r := newRig(t)
	text := "# Trains\n\n**Oslo** by `night`\n\n```go\n" + strings.Repeat("fmt.Println(1)\n", 300) + "```\n\nsnake_case is 2*3*4 @everyone <@" + r.ana.ID + ">"
	if _, err := r.Notify(t.Context(), r.note("k1", text)); err != nil {
		t.Fatal(err)
	}
	sentTexts := strings.Join(r.sentTexts(), "\n")
	if strings.Count(sentTexts, "fmt.Println") != 300 || strings.Count(sentTexts, "```")%2 != 0 || !strings.Contains(sentTexts, "**Oslo**") {
		t.Errorf("Ana sees %.200s", sentTexts)
	}
	for _, l := range r.server.Lines(r.chat) {
		if len(l.Pings) > 0 {
			t.Errorf("pinged are %q", l.Pings)
		}
	}
	n := r.note("k2", "1. /task t-7k3 *is* __as it stands__ @everyone https://x.org/a_b_c\n- `x`")
	n.Event = core.EventNotice
	if _, err := r.Notify(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	sentTexts = r.sentTexts()[len(r.sentTexts())-1]
	if want := "1\\. /task t-7k3 \\*is\\* \\_\\_as it stands\\_\\_ @\u200beveryone https://x.org/a_b_c\n\\- \\`x\\`"; sentTexts != want {
		t.Errorf("Ana sees %q", sentTexts)
	}
}

// TestHostileText proves that whatever a model writes either arrives or is
// refused, and that a message is never blank, nor too long.
func TestHostileText(t *testing.T) {
	r := newRig(t)
	for _, event := range []core.EventType{core.EventReply, core.EventNotice} {
		for i, text := range []string{"", " \n\t", "\u200b\u200b", "مرحبا 👩‍👩‍👧 e\u0301", "@everyone <@&1> [x](javascript:1)", strings.Repeat("😀", 5000), strings.Repeat("x", 9000),
			strings.Repeat("*", 5000), strings.Repeat("\n", 5000) + "end"} {
			n := r.note(fmt.Sprint(event, i), text)
			n.Event = event
			if _, err := r.Notify(t.Context(), n); err != nil {
				t.Errorf("%s %.20q: %v", event, text, err)
			}
		}
	}
	for _, l := range r.server.Lines(r.chat) {
		if !utf8.ValidString(l.Text) || strings.TrimSpace(l.Text) == "" || len(l.Pings) > 0 {
			t.Errorf("Ana sees %+v", l)
		}
	}
}

// TestPace proves that a platform that refuses what is too fast never has to, and
// that no time is spent waiting that the caller does not have.
func TestPace(t *testing.T) {
	began := time.Now()
	// The platform's clock stands still: however busy the machine, all of the time
	// is left that a limit lasts.
	r := rigWith(t, platform.Options{PerRoute: 2, Now: func() time.Time { return began }}, 0)
	for i := range 2 {
		if _, err := r.Notify(t.Context(), r.note(fmt.Sprint("k", i), "x")); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	_, err := r.Notify(ctx, r.note("k2", "too soon"))
	if send := sendError(t, err); send.Outcome != notifiers.NotSent || send.RetryAfter < time.Second {
		t.Errorf("it is %v after %s", send, send.RetryAfter)
	}
	if ctx.Err() != nil {
		t.Error("it failed only when the context did")
	}
	if _, err := r.Notify(t.Context(), note(r.server.General(r.guild), "k3", "elsewhere")); err != nil {
		t.Fatal(err)
	}
	for _, c := range r.server.Calls(platform.CreateMessage) {
		if c.Status != http.StatusOK {
			t.Errorf("a call was answered %d", c.Status)
		}
	}
}

// TestProgress proves that a line is edited in place, written anew when it is
// gone, and pings nobody.
func TestProgress(t *testing.T) {
	r := newRig(t)
	route := r.note("", "").Route
	id, err := r.ShowProgress(t.Context(), route, "step *1* @everyone", "")
	if err != nil {
		t.Fatal(err)
	}
	same, err := r.ShowProgress(t.Context(), route, "step 2", id)
	if err != nil || same != id {
		t.Fatalf("ShowProgress = %q, %v", same, err)
	}
	if sentTexts := r.server.Lines(r.chat); len(sentTexts) != 1 || sentTexts[0].Text != "step 2" || !sentTexts[0].Edited {
		t.Errorf("Ana sees %+v", sentTexts)
	}
	r.server.Delete(r.chat, id)
	if other, err := r.ShowProgress(t.Context(), route, "step 3", id); err != nil || other == id || len(r.sentTexts()) != 1 {
		t.Errorf("ShowProgress = %q, %v", other, err)
	}
}

// TestMarks proves that a message has one mark, and then another, or none.
func TestMarks(t *testing.T) {
	r := newRig(t)
	id := r.server.Write(r.chat, r.ana, "hello")
	for _, step := range []struct {
		mark notifiers.Mark
		want []string
	}{{notifiers.Seen, []string{"👀"}}, {notifiers.Done, []string{"✅"}}, {notifiers.None, nil}} {
		if err := r.React(t.Context(), r.note("", "").Route, id, step.mark); err != nil {
			t.Fatal(err)
		}
		if got := r.server.Sees(r.chat, r.ana)[0].Reactions; !slices.Equal(got, step.want) {
			t.Errorf("after %q it has %q", step.mark, got)
		}
	}
	if err := r.React(t.Context(), r.note("", "").Route, "press-1", notifiers.Seen); !errors.Is(err, notifiers.ErrCannotShow) {
		t.Errorf("of what is no message: %v", err)
	}
}

// TestRefusedMidway proves that of a long text it is known that its first parts have
// arrived when the next is refused.
func TestRefusedMidway(t *testing.T) {
	for _, arrived := range []int{0, 1} {
		r := newRig(t)
		faults := append(make([]platform.Fault, arrived), platform.Fault{Kind: platform.Forbidden})
		r.server.Order(platform.CreateMessage, faults...)
		_, err := r.Notify(t.Context(), r.note("k", strings.Repeat("many words ", 500)))
		if send := sendError(t, err); send.Outcome != notifiers.Refused || send.Started != (arrived > 0) {
			t.Errorf("after %d parts: %s, begun: %v", arrived, send, send.Started)
		}
	}
}

// TestDirect proves that what is for a person goes to their private chat, which
// Discord names.
func TestDirect(t *testing.T) {
	r := newRig(t)
	n := r.note("k", "It is there.")
	n.Route.Chat = core.DirectTo + r.ana.ID
	if _, err := r.Notify(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := r.Delivered(t.Context(), n); err != nil || !ok {
		t.Errorf("it is not found there: %v, %v", ok, err)
	}
	sentTexts := r.server.Lines(r.server.DM(r.ana, r.bot))
	if len(sentTexts) != 1 || sentTexts[0].Text != "It is there." {
		t.Errorf("they read %+v", sentTexts)
	}
	for _, wrong := range []string{"../@me", "", "ana"} {
		n.Route.Chat = core.DirectTo + wrong
		if _, err := r.Notify(t.Context(), n); sendError(t, err).Outcome != notifiers.Refused {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}
