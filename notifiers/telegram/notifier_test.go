package telegram_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"errand/internal/core"
	"errand/internal/test/notifiertest"
	platform "errand/internal/test/sim/telegram"
	"errand/notifiers"
	"errand/notifiers/telegram"
)

// A rig is a notifier and the platform behind it, with Ana in the bot's chat.
type rig struct {
	*telegram.Notifier
	t      *testing.T
	server *platform.Server
	url    string
	bot    *platform.Bot
	ana    *platform.Person
	chat   *platform.Chat
}

// newRig has no limits on either side: those have tests of their own.
func newRig(t *testing.T) *rig {
	return rigWith(t, platform.Options{PerChat: -1, PerBot: -1, PerGroup: -1}, telegram.Rates{Chat: 1, Group: 1, All: 1})
}

func rigWith(t *testing.T, o platform.Options, pace telegram.Rates) *rig {
	t.Helper()
	r := &rig{t: t, server: platform.New(o)}
	web := httptest.NewServer(r.server)
	t.Cleanup(web.Close)
	r.url, r.bot, r.ana = web.URL, r.server.AddBot("errand_bot"), r.server.AddPerson(platform.Person{Name: "Ana"})
	r.chat = r.server.Start(r.ana, r.bot)
	r.Notifier = r.restart(pace)
	return r
}

func (r *rig) restart(pace telegram.Rates) *telegram.Notifier {
	r.t.Helper()
	n, err := telegram.New(telegram.Options{Accounts: map[string]string{"": r.bot.Token, "main": r.bot.Token}, URL: r.url, Rates: pace})
	if err != nil {
		r.t.Fatal(err)
	}
	return n
}

func (r *rig) restartWith(parts notifiers.Parts) *telegram.Notifier {
	r.t.Helper()
	n, err := telegram.New(telegram.Options{Accounts: map[string]string{"main": r.bot.Token}, URL: r.url, Rates: telegram.Rates{Chat: 1, All: 1}, Parts: parts})
	if err != nil {
		r.t.Fatal(err)
	}
	return n
}

func (r *rig) note(key, text string) core.Notification { return note(r.chat, key, text) }

func note(c *platform.Chat, key, text string) core.Notification {
	return core.Notification{Key: key, Text: text, Event: core.EventReply,
		Route: core.Route{Channel: "telegram", Account: "main", Chat: strconv.FormatInt(c.ID, 10)}}
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

// A judge lets the suite order the faults of a notifier from Telegram.
type judge struct{ *rig }

func (j judge) Chat() string    { return strconv.FormatInt(j.chat.ID, 10) }
func (j judge) ShowsOnce() bool { return false }

func (j judge) Order(faults ...notifiertest.Fault) {
	kinds := map[notifiertest.Fault]platform.FaultKind{notifiertest.Refuse: platform.Refuse, notifiertest.Busy: platform.TooMany,
		notifiertest.Broken: platform.Broken, notifiertest.DieBefore: platform.DieBefore, notifiertest.DieAfter: platform.DieAfter}
	for _, f := range faults {
		j.server.Order("sendMessage", platform.Fault{Kind: kinds[f]})
	}
}

func (j judge) Messages() []notifiertest.Message {
	var list []notifiertest.Message
	for _, l := range j.server.Lines(j.chat) {
		list = append(list, notifiertest.Message{ID: strconv.Itoa(l.ID), Chat: j.Chat(), Text: l.Text})
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
	t.Parallel()
	const secret = "the words of a person"
	tests := []struct {
		name  string
		doing func(*rig) core.Notification
		fate  notifiers.Outcome
		after time.Duration
		text  string
	}{
		{"blocked", func(r *rig) core.Notification { r.server.Block(r.ana, r.bot); return r.note("k", secret) }, notifiers.Refused, 0, "press Start"},
		{"never written to", func(r *rig) core.Notification {
			return note(r.server.Private(r.server.AddPerson(platform.Person{Name: "Cleo"}), r.bot), "k", secret)
		}, notifiers.Refused, 0, "has to press Start in the bot's chat"},
		{"kicked", func(r *rig) core.Notification {
			g := r.server.AddGroup("Team", false, r.bot)
			r.server.Kick(g, r.bot)
			return note(g, "k", secret)
		}, notifiers.Refused, 0, "add it again"},
		{"group deleted", func(r *rig) core.Notification {
			g := r.server.AddGroup("Team", false, r.bot)
			r.server.Delete(g)
			return note(g, "k", secret)
		}, notifiers.Refused, 0, "the group is deleted"},
		{"account deleted", func(r *rig) core.Notification { r.server.Deactivate(r.ana); return r.note("k", secret) }, notifiers.Refused, 0, "Telegram account is deleted"},
		{"another bot's token", func(r *rig) core.Notification {
			other, cleo := r.server.AddBot("other_bot"), r.server.AddPerson(platform.Person{Name: "Cleo"})
			return note(r.server.Start(cleo, other), "k", secret) // who knows the other one only
		}, notifiers.Refused, 0, "after another token was set"},
		{"no topic", func(r *rig) core.Notification {
			n := note(r.server.AddGroup("Team", true, r.bot), "k", secret)
			n.Route.Thread = "99"
			return n
		}, notifiers.Refused, 0, "topic is deleted"},
		{"topic deleted", func(r *rig) core.Notification {
			g := r.server.AddGroup("Team", true, r.bot)
			n := note(g, "k", secret)
			n.Route.Thread = strconv.Itoa(r.server.AddTopic(g))
			r.server.RemoveTopic(g, 1)
			return n
		}, notifiers.Refused, 0, "topic is deleted"},
		{"not a chat", func(r *rig) core.Notification { n := r.note("k", secret); n.Route.Chat = "ana"; return n }, notifiers.Refused, 0, "is a number"},
		{"no account", func(r *rig) core.Notification { n := r.note("k", secret); n.Route.Account = "finn"; return n }, notifiers.NotSent, time.Minute, `/finn is not set up here`},
		{"revoked", func(r *rig) core.Notification { r.server.Revoke(r.bot); return r.note("k", secret) }, notifiers.NotSent, time.Minute, "@BotFather"},
		{"too many", func(r *rig) core.Notification {
			r.server.Order("sendMessage", platform.Fault{Kind: platform.TooMany, RetryAfter: 9})
			return r.note("k", secret)
		}, notifiers.NotSent, 9 * time.Second, "429"},
		{"broken", func(r *rig) core.Notification {
			r.server.Order("sendMessage", platform.Fault{Kind: platform.Broken})
			return r.note("k", secret)
		}, notifiers.Unknown, 0, "Telegram broke off"},
		{"in front of it", func(r *rig) core.Notification {
			r.server.Order("sendMessage", platform.Fault{Kind: platform.BadGateway})
			return r.note("k", secret)
		}, notifiers.Unknown, 0, "Telegram broke off"},
		{"died after", func(r *rig) core.Notification {
			r.server.Order("sendMessage", platform.Fault{Kind: platform.DieAfter})
			return r.note("k", secret)
		}, notifiers.Unknown, 0, "Telegram broke off"},
		{"slow", func(r *rig) core.Notification {
			r.server.Order("sendMessage", platform.Fault{Kind: platform.Slow, For: time.Minute})
			return r.note("k", secret)
		}, notifiers.Unknown, 0, "in time"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
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
			if strings.Contains(send.Error(), secret) || strings.Contains(send.Error(), r.bot.Token) {
				t.Errorf("the error tells too much: %v", send)
			}
		})
	}
	t.Run("unreachable", func(t *testing.T) {
		n, err := telegram.New(telegram.Options{Accounts: map[string]string{"main": "7:x"}, URL: "http://127.0.0.1:1"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = n.Notify(t.Context(), note(newRig(t).chat, "k", secret))
		if send := sendError(t, err); send.Outcome != notifiers.NotSent || strings.Contains(send.Error(), "7:x") {
			t.Errorf("it is %v", send)
		}
	})
}

// TestShape proves that a notification has its buttons, its topic, and the
// message it answers, and that one that is gone keeps nothing back.
func TestShape(t *testing.T) {
	r := newRig(t)
	long := strings.Repeat("ä", 40)
	asked := r.server.Write(r.chat, r.ana, "shall I?")
	n := r.note("k1", "Yes or no?")
	n.ReplyTo, n.Options = strconv.Itoa(asked), []string{"Yes", "", "#1", long}
	if _, err := r.Notify(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	line := r.server.Lines(r.chat)[0]
	if line.ReplyTo != asked || !slices.Equal(line.Buttons, []string{"Yes", "#1", long}) {
		t.Errorf("Ana sees %+v", line)
	}
	for _, id := range []string{"9999", "press:4", ""} {
		n := r.note("k"+id, "still there")
		n.ReplyTo = id
		if _, err := r.Notify(t.Context(), n); err != nil {
			t.Errorf("in reply to %q: %v", id, err)
		}
	}
	group := r.server.AddGroup("Team", true, r.bot)
	topic := r.server.AddTopic(group)
	n = note(group, "k3", "in the topic")
	n.Route.Thread = strconv.Itoa(topic)
	if _, err := r.Notify(t.Context(), n); err != nil || r.server.Lines(group)[0].Thread != topic {
		t.Errorf("in the group: %+v, %v", r.server.Lines(group), err)
	}
	if err := r.Typing(t.Context(), n.Route); err != nil || r.server.Action(group, r.bot) != "typing" {
		t.Errorf("it shows %q, %v", r.server.Action(group, r.bot), err)
	}
	to := r.server.Migrate(group)
	if _, err := r.Notify(t.Context(), note(group, "k4", "moved")); err != nil || len(r.server.Lines(to)) != 1 {
		t.Errorf("after the group moved: %+v, %v", r.server.Lines(to), err)
	}
}

func longText(lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "line %d 😀 of what is a long answer\n", i)
	}
	return b.String()
}

// TestLongText proves that a long text arrives whole, in order, with a receipt
// for each part, whichever part is not taken at first.
func TestLongText(t *testing.T) {
	t.Parallel()
	text := longText(300)
	for _, fault := range []platform.FaultKind{platform.TooMany, platform.DieBefore, platform.DieAfter} {
		for at := range 3 {
			t.Run(fmt.Sprint(fault, " at part ", at), func(t *testing.T) {
				r := newRig(t)
				for range at {
					r.server.Order("sendMessage", platform.Fault{})
				}
				r.server.Order("sendMessage", platform.Fault{Kind: fault})
				n := r.note("k", text)
				_, err := r.Notify(t.Context(), n)
				send := sendError(t, err)
				sure := fault == platform.TooMany
				if want := map[bool]notifiers.Outcome{true: notifiers.NotSent, false: notifiers.Unknown}[sure && at == 0]; send.Outcome != want {
					t.Fatalf("the fate is %q, want %q", send.Outcome, want)
				}
				if send.Outcome == notifiers.Unknown { // what the outbox does then
					_, ok, err := r.Delivered(t.Context(), n)
					if sure != (err == nil) || ok {
						t.Fatalf("Delivered = %v, %v", ok, err)
					}
					if err != nil {
						n.Repeated = true
					}
				}
				receipt, err := r.Notify(t.Context(), n)
				if err != nil || len(receipt.IDs) != 3 {
					t.Fatalf("the second attempt: %v, %v", receipt, err)
				}
				sentTexts := r.sentTexts()
				extra := 0
				if fault == platform.DieAfter {
					extra++ // the part whose answer was lost
				}
				if len(sentTexts) != 3+extra {
					t.Errorf("Ana sees %d messages, want %d", len(sentTexts), 3+extra)
				}
				if marks := strings.Count(strings.Join(sentTexts, "\n"), "Repeating this"); sure != (marks == 0) || marks > 1 {
					t.Errorf("%d marks", marks)
				}
				for i := range 300 {
					if !strings.Contains(strings.Join(sentTexts, "\n"), fmt.Sprintf("line %d ", i)) {
						t.Fatalf("line %d is lost", i)
					}
				}
			})
		}
	}
}

// TestMarkdown proves that what an agent writes is shown as it meant it, never as
// raw marks, cut where it can be; and that what errand says is not touched.
func TestMarkdown(t *testing.T) {
	r := newRig(t)
	text := "# Trains\n\n**Oslo** by `night`, see [the list](https://example.org/t)\n\n> quoted\n\n```go\n" + strings.Repeat("fmt.Println(1) // 😀\n", 300) + "```\n\nsnake_case_name is 2*3*4"
	if _, err := r.Notify(t.Context(), r.note("k1", text)); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	all := ""
	for _, l := range r.server.Lines(r.chat) {
		all += l.Text + "\n"
		for _, e := range l.Entities {
			kinds[e.Type] = true
		}
	}
	for _, want := range []string{"bold", "code", "text_link", "blockquote", "pre"} {
		if !kinds[want] {
			t.Errorf("no %s among %v", want, kinds)
		}
	}
	if strings.Contains(all, "**") || strings.Contains(all, "```") || !strings.Contains(all, "snake_case_name is 2*3*4") || strings.Count(all, "fmt.Println") != 300 {
		t.Errorf("Ana sees %.300s", all)
	}
	for _, c := range r.server.Calls("sendMessage")[1:] {
		if c.Params["entities"] == "" {
			t.Error("a part of the code has no entity")
		}
	}
	n := r.note("k2", "/task t-7k3 *is* __as it stands__")
	n.Event = core.EventNotice
	if _, err := r.Notify(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	if sentTexts := r.sentTexts(); sentTexts[len(sentTexts)-1] != n.Text {
		t.Errorf("Ana sees %q", sentTexts[len(sentTexts)-1])
	}
}

// TestEntitiesTurnedDown proves that a text whose marks Telegram does not take is
// read without them.
func TestEntitiesTurnedDown(t *testing.T) {
	r := newRig(t)
	r.server.Order("sendMessage", platform.Fault{Kind: platform.BadEntities})
	if _, err := r.Notify(t.Context(), r.note("k", "**bold**")); err != nil {
		t.Fatal(err)
	}
	if sentTexts := r.server.Lines(r.chat); len(sentTexts) != 1 || sentTexts[0].Text != "bold" || len(sentTexts[0].Entities) != 0 {
		t.Errorf("Ana sees %+v", sentTexts)
	}
}

// TestKilledInTheMiddle proves that after a crash a long text goes on where it was:
// at most the part in doubt is repeated, marked, and never longer than a message. If
// all parts had arrived, nothing is sent. Another account, or a text that is cut
// otherwise, begins anew.
func TestKilledInTheMiddle(t *testing.T) {
	text := strings.Repeat("**bold** word\n\n", 800)
	for arrived := range 6 {
		r, kept := newRig(t), new(notifiertest.Parts)
		first := r.restartWith(kept)
		faults := append(make([]platform.Fault, arrived), platform.Fault{Kind: platform.DieAfter})
		r.server.Order("sendMessage", faults...)
		n := r.note("k", text)
		first.Notify(t.Context(), n)
		parts := len(r.sentTexts())
		after := r.restartWith(kept)
		receipt, ok, err := after.Delivered(t.Context(), kept.On(n))
		if !errors.Is(err, notifiers.ErrCannotCheck) && !ok {
			t.Fatalf("Delivered: %v", err)
		}
		if !ok {
			n.Repeated = true
			if receipt, err = after.Notify(t.Context(), kept.On(n)); err != nil {
				t.Fatal(err)
			}
		}
		sentTexts, marks := r.server.Lines(r.chat), 0
		for i, l := range sentTexts {
			if strings.HasPrefix(l.Text, core.Repeating+"\n") {
				marks++
				if want := strings.TrimPrefix(l.Text, core.Repeating+"\n"); i == 0 || want != sentTexts[i-1].Text {
					t.Errorf("after %d parts it repeats %.80q", arrived, l.Text)
				}
				if len(l.Entities) == 0 || l.Entities[0].Offset != len(core.Repeating)+1 {
					t.Errorf("its entities are %+v", l.Entities)
				}
			}
			if units := len(utf16.Encode([]rune(l.Text))); units > 4096 {
				t.Errorf("a message has %d units", units)
			}
		}
		if marks != 1 || len(receipt.IDs) != len(sentTexts)-1 || parts != arrived+1 {
			t.Errorf("after %d parts Ana sees %d messages, %d of them marked", arrived, len(sentTexts), marks)
		}
		if _, ok, err := r.restartWith(kept).Delivered(t.Context(), kept.On(n)); !ok || err != nil {
			t.Errorf("that all have arrived is not known: %v", err)
		}
		n.Route.Account = "finn"
		if _, _, err := after.Delivered(t.Context(), kept.On(n)); err == nil {
			t.Error("another account has sent it")
		}
	}
}

// TestPartsUnnoted proves that a long text is sent also when it cannot be noted how
// far it has come, and that the log says so, without its words.
func TestPartsUnnoted(t *testing.T) {
	r, log := newRig(t), new(strings.Builder)
	n, err := telegram.New(telegram.Options{Accounts: map[string]string{"main": r.bot.Token}, URL: r.url, Rates: telegram.Rates{Chat: 1, All: 1},
		Parts: &notifiertest.Parts{Err: errors.New("the disk is full")}, Logger: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	receipt, err := n.Notify(t.Context(), r.note("k", strings.Repeat("secret ", 1000)))
	if err != nil || len(receipt.IDs) != 2 || strings.Count(log.String(), "the disk is full") != 2 || strings.Contains(log.String(), "secret") {
		t.Errorf("%+v, %v; log:\n%s", receipt, err, log)
	}
}

// TestHostileText proves that whatever a model writes either arrives or is
// refused, and that a message is never blank.
func TestHostileText(t *testing.T) {
	r := newRig(t)
	for i, text := range []string{"", " \n\t", "\u200b\u200b", "مرحبا 👩‍👩‍👧 e\u0301", "@everyone <b>&amp;</b> [x](javascript:1)", strings.Repeat("😀", 5000), strings.Repeat("x", 9000),
		strings.Repeat("\n", 5000) + "end"} {
		if _, err := r.Notify(t.Context(), r.note(fmt.Sprint(i), text)); err != nil {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	for _, sentTexts := range r.sentTexts() {
		if !utf8.ValidString(sentTexts) || strings.TrimSpace(sentTexts) == "" {
			t.Errorf("Ana sees %q", sentTexts)
		}
	}
}

// TestNoRetryInside proves that the library asks once for each attempt.
func TestNoRetryInside(t *testing.T) {
	r := newRig(t)
	r.server.Order("sendMessage", platform.Fault{Kind: platform.DieAfter}, platform.Fault{Kind: platform.BadGateway})
	for i := range 2 {
		if _, err := r.Notify(t.Context(), r.note(fmt.Sprint(i), "x")); err == nil {
			t.Error("the fault was not met")
		}
	}
	if calls := len(r.server.Calls("sendMessage")); calls != 2 {
		t.Errorf("two attempts were %d calls", calls)
	}
}

// TestRefusedMidway proves that of a long text it is known that its first parts have
// arrived when the next is refused.
func TestRefusedMidway(t *testing.T) {
	for _, arrived := range []int{0, 1} {
		r := newRig(t)
		faults := append(make([]platform.Fault, arrived), platform.Fault{Kind: platform.Refuse})
		r.server.Order("sendMessage", faults...)
		_, err := r.Notify(t.Context(), r.note("k", longText(300)))
		if send := sendError(t, err); send.Outcome != notifiers.Refused || send.Started != (arrived > 0) {
			t.Errorf("after %d parts: %s, begun: %v", arrived, send, send.Started)
		}
	}
}
