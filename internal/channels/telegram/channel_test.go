package telegram_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"errand/internal/channels"
	"errand/internal/channels/telegram"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/service"
	"errand/internal/store"
	platform "errand/internal/test/sim/telegram"
	notifier "errand/notifiers/telegram"
)

func show(in intake.Inbound, c *platform.Chat) string {
	s := fmt.Sprintf("%s: %s", in.Sender.Name, in.Text)
	if in.Group {
		s = "group " + s
	}
	for _, extra := range []struct{ name, value string }{{"reply to", in.ReplyTo}, {"thread", in.Route.Thread}, {"has", string(in.Unreadable)}} {
		if extra.value != "" {
			s += fmt.Sprintf(" [%s %s]", extra.name, extra.value)
		}
	}
	if in.Forwarded {
		s += " [forwarded]"
	}
	for _, a := range in.Attachments {
		s += fmt.Sprintf(" [brings %s %s %d", a.Name, a.Type, a.Size)
		if a.Voice {
			s += " spoken"
		}
		s += "]"
	}
	if in.Album != "" {
		s += " [of " + in.Album + "]"
	}
	if in.Revision > 0 {
		s += " [edited]"
	}
	return s
}

// TestArrivals proves what is taken in, and as what.
func TestArrivals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		do   func(r *rig, group *platform.Chat, topic int)
		want []string
	}{
		{"text", func(r *rig, _ *platform.Chat, _ int) { r.server.Write(r.chat, r.ana, " hello 😀 ") }, []string{"Ana: hello 😀"}},
		{"the first button", func(r *rig, _ *platform.Chat, _ int) { r.server.Write(r.chat, r.ana, "/start ref123") }, []string{"Ana: /help"}},
		{"command", func(r *rig, _ *platform.Chat, _ int) { r.server.Write(r.chat, r.ana, "/tasks@Errand_bot") }, []string{"Ana: /tasks"}},
		{"edit", func(r *rig, _ *platform.Chat, _ int) {
			r.server.Edit(r.chat, r.server.Write(r.chat, r.ana, "helo"), "hello")
		}, []string{"Ana: helo", "Ana: hello [edited]"}},
		{"reply", func(r *rig, _ *platform.Chat, _ int) {
			r.server.Post(r.chat, r.ana, platform.Post{Text: "yes", ReplyTo: r.server.Write(r.chat, r.ana, "shall I?")})
		}, []string{"Ana: shall I?", "Ana: yes [reply to 1]"}},
		{"passed on from what the library does not know", func(r *rig, g *platform.Chat, _ int) {
			r.server.Post(r.chat, r.ana, platform.Post{Text: "read this", Forwarded: "asteroid"})
			r.server.Post(r.chat, r.ana, platform.Post{Text: "and?", ReplyTo: r.server.Post(r.chat, r.ana, platform.Post{Text: "this too", Forwarded: "asteroid"})})
		}, []string{"Ana: read this [forwarded]", "Ana: this too [forwarded]", "Ana: and? [reply to 2]"}},
		{"sticker", func(r *rig, _ *platform.Chat, _ int) { r.server.Post(r.chat, r.ana, platform.Post{Sticker: "😀"}) }, []string{"Ana:  [has sticker]"}},
		{"voice", func(r *rig, _ *platform.Chat, _ int) { r.server.Post(r.chat, r.ana, platform.Post{Voice: []byte("x")}) }, []string{"Ana:  [brings voice.ogg audio/ogg 1 spoken]"}},
		{"picture with words", func(r *rig, _ *platform.Chat, _ int) {
			r.server.Post(r.chat, r.ana, platform.Post{Photo: []byte("xyz"), Text: "what is it?"})
		}, []string{"Ana: what is it? [brings photo.jpg image/jpeg 3]"}},
		{"video and music", func(r *rig, _ *platform.Chat, _ int) {
			r.server.Post(r.chat, r.ana, platform.Post{Video: []byte("x"), Name: "a.mp4", Size: 50_000_000})
			r.server.Post(r.chat, r.ana, platform.Post{Audio: []byte("x"), Name: "b.mp3"})
		}, []string{"Ana:  [brings a.mp4 video/mp4 50000000]", "Ana:  [brings b.mp3 audio/mpeg 1]"}},
		{"an album", func(r *rig, _ *platform.Chat, _ int) {
			r.server.Post(r.chat, r.ana, platform.Post{Photo: []byte("x"), Album: "7", Text: "which?"})
			r.server.Post(r.chat, r.ana, platform.Post{Photo: []byte("y"), Album: "7"})
		}, []string{"Ana: which? [brings photo.jpg image/jpeg 1] [brings photo.jpg image/jpeg 1] [of 7]"}},
		{"group, an album for us", func(r *rig, g *platform.Chat, _ int) {
			r.server.Post(g, r.ana, platform.Post{Photo: []byte("x"), Album: "6", Text: "holidays"})
			r.server.Post(g, r.ana, platform.Post{Photo: []byte("x"), Album: "7", Text: "@errand_bot which?"})
			r.server.Post(g, r.ana, platform.Post{Photo: []byte("y"), Album: "7"})
			r.server.Post(g, r.ana, platform.Post{Photo: []byte("z")})
		}, []string{"group Ana: which? [brings photo.jpg image/jpeg 1] [brings photo.jpg image/jpeg 1] [of 7]"}},
		{"document", func(r *rig, _ *platform.Chat, _ int) {
			r.server.Post(r.chat, r.ana, platform.Post{Document: []byte("x"), Name: "plan.pdf"})
		}, []string{"Ana:  [brings plan.pdf application/octet-stream 1]"}},
		{"contact", func(r *rig, _ *platform.Chat, _ int) { r.server.Post(r.chat, r.ana, platform.Post{Contact: "+49"}) }, []string{"Ana:  [has other]"}},
		{"poll", func(r *rig, _ *platform.Chat, _ int) { r.server.Post(r.chat, r.ana, platform.Post{Poll: "?"}) }, []string{"Ana:  [has other]"}},
		{"nothing that is known", func(r *rig, _ *platform.Chat, _ int) { r.server.Post(r.chat, r.ana, platform.Post{Unknown: true}) }, nil},
		{"group, not for us", func(r *rig, g *platform.Chat, _ int) {
			r.server.Write(g, r.ana, "lunch?")
			r.server.Write(g, r.ana, "/tasks@other_bot")
			r.server.Write(g, r.ana, "mail me at x@errand_bot.org")
			r.server.Write(g, r.ana, "@errand_bots are many")
		}, nil},
		{"group, named", func(r *rig, g *platform.Chat, _ int) {
			r.server.Write(g, r.ana, "😀 hey @Errand_Bot help")
			r.server.Write(g, r.ana, "@errand_bot, lunch?")
			r.server.Write(g, r.ana, "@errand_bot /tasks")
			r.server.Write(g, r.ana, "@errand_bot")
		}, []string{"group Ana: 😀 hey @Errand_Bot help", "group Ana: lunch?", "group Ana: /tasks", "group Ana: @errand_bot"}},
		{"group, command", func(r *rig, g *platform.Chat, _ int) { r.server.Write(g, r.ana, "/tasks") }, []string{"group Ana: /tasks"}},
		{"group, a topic", func(r *rig, g *platform.Chat, topic int) {
			r.server.Post(g, r.ana, platform.Post{Text: "@errand_bot go", Thread: topic})
		}, []string{"group Ana: go [thread 1]"}},
		{"a bot", func(r *rig, g *platform.Chat, _ int) {
			other := r.server.AddPerson(platform.Person{Name: "Other", IsBot: true})
			r.server.Write(g, other, "@errand_bot hello")
			r.server.Write(r.server.Private(other, r.bot), other, "hello")
		}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, service.AccessOpen)
			r.bot.ReadsAll = true
			group := r.server.AddGroup("Team", true, r.bot)
			topic := r.server.AddTopic(group)
			tt.do(r, group, topic)
			r.start()
			r.confirmed()
			var got []string
			for _, in := range r.gate.Arrivals() {
				got = append(got, show(in, r.chat))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("came %q, want %q", got, tt.want)
			}
		})
	}
}

// TestReplyInGroup proves that a reply to us is for us, and one to somebody else
// is not.
func TestReplyInGroup(t *testing.T) {
	r := newRig(t, service.AccessOpen)
	r.bot.ReadsAll = true
	group := r.server.AddGroup("Team", false, r.bot)
	theirs := r.server.Write(group, r.ana, "lunch?")
	n, err := notifier.New(notifier.Options{Accounts: map[string]string{"main": r.bot.Token}, URL: r.url})
	if err != nil {
		t.Fatal(err)
	}
	receipt, err := n.Notify(t.Context(), core.Notification{Route: route(group), Text: "which night train?"})
	if err != nil {
		t.Fatal(err)
	}
	ours, _ := strconv.Atoi(receipt.IDs[0])
	r.server.Post(group, r.ana, platform.Post{Text: "at one", ReplyTo: theirs})
	r.server.Post(group, r.ana, platform.Post{Text: "/x@other_bot", ReplyTo: ours})
	r.server.Post(group, r.ana, platform.Post{Text: "the late one", ReplyTo: ours})
	r.start()
	r.confirmed()
	if came := r.gate.Arrivals(); len(came) != 1 || came[0].Text != "the late one" || came[0].ReplyTo != receipt.IDs[0] {
		t.Errorf("came %+v", came)
	}
}

// TestKilledBeforeConfirming proves that a process that dies when a message is
// committed, and before Telegram knows, leaves it to be answered once.
func TestKilledBeforeConfirming(t *testing.T) {
	for _, text := range []string{"hello", "/whoami", "/language es"} {
		t.Run(text, func(t *testing.T) {
			r := newRig(t, service.AccessOpen)
			r.server.Write(r.chat, r.ana, text)
			dead := make(chan struct{})
			r.gate.After(func() { r.kill(); close(dead) })
			// Whatever it would still have sent is lost on the way.
			r.server.Order("getUpdates", platform.Fault{}, platform.Fault{Kind: platform.DieBefore})
			r.start()
			<-dead
			r.stop()
			if r.server.Unconfirmed(r.bot) != 1 {
				t.Fatal("it was confirmed")
			}
			r.start()
			r.confirmed()
			if came := r.gate.Arrivals(); len(came) != 2 {
				t.Errorf("it came %d times, want 2", len(came))
			}
			person := r.gate.Outcomes()[0].Person
			if strings.HasPrefix(text, "/") {
				if lines := r.delivered(r.chat); len(lines) != 1 {
					t.Errorf("Ana is answered %+v", lines)
				}
			} else if got := r.inbox(r.chat, person); !slices.Equal(got, []string{text}) {
				t.Errorf("the session has %q", got)
			}
		})
	}
}

// TestNothingIsConfirmedThatWasNotCommitted proves that while errand cannot take
// messages in they stay with Telegram, and are taken in order later.
func TestNothingIsConfirmedThatWasNotCommitted(t *testing.T) {
	r := newRig(t, service.AccessOpen)
	r.gate.Fail(errors.New("the disk is full"))
	for i := range 3 {
		r.server.Write(r.chat, r.ana, fmt.Sprint("message ", i))
	}
	c := r.start()
	r.until("it tries again and again", func() bool { return len(r.server.Calls("getUpdates")) > 5 })
	if n := r.server.Unconfirmed(r.bot); n != 3 {
		t.Fatalf("%d of 3 are left", n)
	}
	if s := c.Status(); s.State != channels.Degraded || !strings.Contains(s.Detail, "the disk is full") {
		t.Errorf("the status is %+v", s)
	}
	r.gate.Fail(nil)
	r.confirmed()
	if got := r.inbox(r.chat, r.gate.Outcomes()[0].Person); !slices.Equal(got, []string{"message 0", "message 1", "message 2"}) {
		t.Errorf("the session has %q", got)
	}
	if n := strings.Count(r.gate.Log(), `msg="not connected"`); n != 1 {
		t.Errorf("it was said %d times", n)
	}
}

// TestAsksNothingOfAnothersAccount proves that who has lost the account asks for no updates,
// also before anybody has ended the channel, reports no failure when the new owner ends its
// poll, and goes on when it has the account again.
func TestAsksNothingOfAnothersAccount(t *testing.T) {
	t.Parallel()
	r := newRig(t, service.AccessOpen)
	var lost atomic.Bool
	looked := make(chan int64)
	r.tune = func(o *telegram.Options) {
		o.Holds = func() bool {
			if !lost.Load() {
				return true
			}
			select {
			case looked <- r.sent.Load():
			case <-t.Context().Done():
			}
			return false
		}
	}
	c := r.start()
	r.until("it is connected", func() bool { return c.Status().State == channels.Connected })
	r.until("it polls", func() bool { return len(r.server.Calls("getUpdates")) > 1 && r.server.Polling(r.bot) })
	lost.Store(true)
	poll(r, `{"offset": 0}`) // the new owner's
	before := <-looked
	<-looked
	if after := <-looked; after != before {
		t.Errorf("it sends %d requests for an account that is another's", after-before)
	}
	if s := c.Status(); s.State != channels.Connected {
		t.Errorf("the status is %+v", s)
	}
	lost.Store(false)
	r.server.Write(r.chat, r.ana, "one")
	r.server.Write(r.chat, r.ana, "two")
	r.until("both have come", func() bool {
		select {
		case <-looked:
		default:
		}
		return len(r.gate.Arrivals()) == 2
	})
}

// TestPanic proves that a message is not lost to one that passes, and that one
// that does not pass keeps no other message from coming in.
func TestPanic(t *testing.T) {
	for panics, want := range map[int][]string{3: {"one", "two"}, 5: {"two"}} {
		r := newRig(t, service.AccessOpen)
		r.gate.Trip(panics, "one", func() error { panic("a nil pointer") })
		r.server.Write(r.chat, r.ana, "one")
		r.server.Write(r.chat, r.ana, "two")
		r.start()
		r.confirmed()
		if got := r.inbox(r.chat, r.gate.Outcomes()[0].Person); !slices.Equal(got, want) {
			t.Errorf("after %d panics the session has %q, want %q", panics, got, want)
		}
	}
}

// TestDeliveredAgain proves that updates that come twice, late, or in another
// order are each taken once.
func TestDeliveredAgain(t *testing.T) {
	r := newRig(t, service.AccessOpen)
	var want []string
	for i := range 100 {
		want = append(want, fmt.Sprint("message ", i))
		r.server.Write(r.chat, r.ana, want[i])
	}
	r.server.Shuffle(r.bot)
	r.start()
	r.confirmed()
	r.server.Repeat(r.bot, 10)
	r.until("ten come again", func() bool { return len(r.gate.Arrivals()) == 110 })
	release := r.server.Hold(r.bot)
	r.server.Write(r.chat, r.ana, "late")
	release()
	r.confirmed()
	if got := r.inbox(r.chat, r.gate.Outcomes()[0].Person); !slices.Equal(got, append(want, "late")) {
		t.Errorf("the session has %d messages: %q", len(got), got)
	}
}

// TestButton proves that a button is an answer, given once, and that whoever
// presses it need not wait.
func TestButton(t *testing.T) {
	r := newRig(t, service.AccessOpen)
	r.start()
	long := strings.Repeat("long ", 20) + "answer"
	ask := func(options ...string) int {
		n, err := notifier.New(notifier.Options{Accounts: map[string]string{"main": r.bot.Token}, URL: r.url})
		if err != nil {
			t.Fatal(err)
		}
		receipt, err := n.Notify(t.Context(), core.Notification{Route: route(r.chat), Text: "which?", Options: options})
		if err != nil {
			t.Fatal(err)
		}
		id, _ := strconv.Atoi(receipt.IDs[0])
		return id
	}
	first := ask("Yes", long)
	presses := []string{r.server.Press(r.chat, r.ana, first, "Yes"), r.server.Press(r.chat, r.ana, first, "Yes")}
	r.confirmed()
	for _, p := range presses {
		r.until("the press is answered", func() bool { _, ok := r.server.Answered(p); return ok })
	}
	r.until("the buttons are gone", func() bool { return len(r.server.Lines(r.chat)[0].Buttons) == 0 })
	second := ask("No", long)
	r.server.Press(r.chat, r.ana, second, long)
	r.confirmed()
	came := r.gate.Arrivals()
	if got := r.inbox(r.chat, r.gate.Outcomes()[0].Person); !slices.Equal(got, []string{"Yes", long}) {
		t.Errorf("the session has %q", got)
	}
	if came[0].ReplyTo != strconv.Itoa(first) || came[len(came)-1].ReplyTo != strconv.Itoa(second) {
		t.Errorf("they answer %q and %q", came[0].ReplyTo, came[len(came)-1].ReplyTo)
	}
}

// TestStrangerAndSorry proves that who is not known is told a code, who is let in
// is answered, and who sends what cannot be read is told so, each in the chat.
func TestStrangerAndSorry(t *testing.T) {
	r := newRig(t, service.AccessPairing)
	r.start()
	r.server.Write(r.chat, r.ana, "/start")
	r.confirmed()
	if lines := r.delivered(r.chat); len(lines) != 1 || !strings.Contains(lines[0].Text, "I don't know you yet") {
		t.Fatalf("Ana reads %+v", lines)
	}
	if _, _, err := r.gate.Store.Approve(t.Context(), store.ApprovePairing{Code: r.gate.Outcomes()[0].Code, Role: core.Member}); err != nil {
		t.Fatal(err)
	}
	asked := r.server.Write(r.chat, r.ana, "/whoami")
	r.server.Post(r.chat, r.ana, platform.Post{Sticker: "😀"})
	r.server.Write(r.chat, r.ana, strings.Repeat("x", 70<<10))
	r.confirmed()
	lines := r.delivered(r.chat)[1:]
	if len(lines) != 3 || lines[0].ReplyTo != asked || !strings.Contains(lines[0].Text, "You are Ana") ||
		!strings.Contains(lines[1].Text, "I cannot take stickers") || !strings.Contains(lines[2].Text, "too long") {
		t.Errorf("Ana reads %+v", lines)
	}
}

// TestStates proves that what is wrong with a connection is seen, with what to do
// about it, is said once, and heals.
func TestStates(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		break_ func(*rig)
		state  channels.State
		advice string
		heal   func(*rig)
	}{
		{"revoked", func(r *rig) { r.server.Revoke(r.bot) }, channels.LoggedOut, "give it to `errand channels add telegram`", nil},
		{"another program", func(r *rig) {
			// The first poll does not wait.
			r.until("it polls", func() bool { return len(r.server.Calls("getUpdates")) > 1 && r.server.Polling(r.bot) })
			poll(r, `{"offset": 0}`)
		}, channels.Replaced, "another program polls", func(*rig) {}},
		{"a webhook, and again", func(r *rig) {
			call(r, "setWebhook", `{"url": "http://127.0.0.1:1/"}`)
			// A call is noted before it is done.
			r.until("it is removed", func() bool { return strings.Contains(r.gate.Log(), "removed the webhook") })
			call(r, "setWebhook", `{"url": "http://127.0.0.1:1/"}`)
		}, channels.Degraded, "another program sets a webhook",
			func(r *rig) { call(r, "deleteWebhook", `{}`) }},
		{"broken", func(r *rig) {
			for range 20 {
				r.server.Order("getUpdates", platform.Fault{Kind: platform.BadGateway})
				r.server.Order("getMe", platform.Fault{Kind: platform.Broken})
			}
			r.server.Write(r.chat, r.ana, "wake up")
		}, channels.Degraded, "", func(*rig) {}},
		{"dropped", func(r *rig) {
			for range 20 {
				r.server.Order("getUpdates", platform.Fault{Kind: platform.DieBefore})
			}
			r.server.Write(r.chat, r.ana, "wake up")
		}, channels.Degraded, "", func(*rig) {}},
		{"too many", func(r *rig) {
			r.server.Order("getUpdates", platform.Fault{Kind: platform.TooMany, RetryAfter: 1})
			r.server.Write(r.chat, r.ana, "wake up")
		}, channels.Degraded, "", func(*rig) {}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, service.AccessOpen)
			token := r.bot.Token
			c := r.start()
			r.until("it is connected", func() bool { return c.Status().State == channels.Connected })
			tt.break_(r)
			var broken channels.Status
			r.until("it is "+string(tt.state), func() bool {
				for _, s := range r.gate.States() {
					if s.State == tt.state {
						broken = s
						return true
					}
				}
				return false
			})
			if !strings.Contains(broken.Advice, tt.advice) || broken.Detail == "" || broken.Since.IsZero() {
				t.Errorf("the status is %+v", broken)
			}
			if tt.heal != nil {
				tt.heal(r)
				r.server.Write(r.chat, r.ana, "still there?")
				r.until("it is connected again", func() bool { return c.Status().State == channels.Connected })
				r.until("the message came", func() bool {
					return slices.ContainsFunc(r.gate.Arrivals(), func(in intake.Inbound) bool { return in.Text == "still there?" })
				})
			} else {
				calls := len(r.server.Calls("getMe")) // none: a token that is not known gets nowhere
				tried := r.sent.Load()
				r.until("it has tried again", func() bool { return r.sent.Load() >= tried+3 })
				if calls != len(r.server.Calls("getMe")) {
					t.Error("a token that was revoked still works")
				}
			}
			r.stop()
			if n := strings.Count(r.gate.Log(), `msg="not connected"`); n != 1 {
				t.Errorf("it was said %d times:\n%s", n, r.gate.Log())
			}
			if strings.Contains(r.gate.Log()+broken.Detail, token) {
				t.Error("the token is told")
			}
		})
	}
}

func poll(r *rig, body string) { call(r, "getUpdates", body) }

func call(r *rig, method, body string) {
	r.t.Helper()
	resp, err := http.Post(r.url+"/bot"+r.bot.Token+"/"+method, "application/json", strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	if answer, _ := io.ReadAll(resp.Body); resp.StatusCode != 200 {
		r.t.Fatalf("%s: %s", method, answer)
	}
}

// TestCommandsAreShown proves that clients list our commands, in each language, in
// the end: what went wrong the first time is tried again.
func TestCommandsAreShown(t *testing.T) {
	r := newRig(t, service.AccessOpen)
	r.server.Order("setMyCommands", platform.Fault{Kind: platform.TooMany, RetryAfter: 1}, platform.Fault{Kind: platform.DieBefore}, platform.Fault{Kind: platform.Broken})
	c := r.start()
	r.until("it is connected", func() bool { return c.Status().State == channels.Connected })
	r.until("they are shown", func() bool {
		r.server.Write(r.chat, r.ana, "wakes who polls")
		return len(r.server.Commands(r.bot, "")) == 1 && len(r.server.Commands(r.bot, "es")) == 1
	})
	if en, es := r.server.Commands(r.bot, ""), r.server.Commands(r.bot, "es"); len(en) != 1 || en[0].Description != "your tasks" || es[0].Description != "tus tareas" {
		t.Errorf("shown are %v and %v", en, es)
	}
	if c.Status().Detail != "as @errand_bot" {
		t.Errorf("connected %q", c.Status().Detail)
	}
}
