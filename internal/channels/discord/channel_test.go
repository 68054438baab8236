package discord_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"errand/internal/channels"
	"errand/internal/intake"
	platform "errand/internal/test/sim/discord"
)

func show(in intake.Inbound) string {
	s := fmt.Sprintf("%s: %s", in.Sender.Name, in.Text)
	if in.Group {
		s = "group " + s
	}
	for _, a := range in.Attachments {
		s += " [" + a.Name + "]"
	}
	if in.Unreadable != "" {
		s += " [has " + string(in.Unreadable) + "]"
	}
	if in.Deleted {
		s += " [deleted]"
	}
	return s
}

// TestArrivals proves what is taken in, and as what, whether it is told or
// fetched.
func TestArrivals(t *testing.T) {
	t.Parallel()
	us := func(r *rig) string { return platform.Mention(r.bot) }
	tests := []struct {
		name string
		do   func(r *rig, general *platform.Channel)
		want []string
	}{
		{"text", func(r *rig, _ *platform.Channel) { r.server.Write(r.dm, r.ana, " hello 😀 ") }, []string{"Ana: hello 😀"}},
		{"command", func(r *rig, _ *platform.Channel) { r.server.Write(r.dm, r.ana, "/tasks") }, []string{"Ana: /tasks"}},
		{"sticker", func(r *rig, _ *platform.Channel) { r.server.Post(r.dm, r.ana, platform.Post{Sticker: "wave"}) }, []string{"Ana:  [has sticker]"}},
		{"poll", func(r *rig, _ *platform.Channel) {
			r.server.Post(r.dm, r.ana, platform.Post{Poll: "?", Answers: []string{"a"}})
		}, []string{"Ana:  [has other]"}},
		{"what the library does not know", func(r *rig, g *platform.Channel) {
			theirs := r.server.Post(g, r.robot, platform.Post{Text: "look", Component: 99})
			r.server.Reply(g, r.ana, theirs, us(r)+" what is that?")
		}, []string{"group Ana: what is that?"}},
		{"file with words", func(r *rig, _ *platform.Channel) {
			r.server.Post(r.dm, r.ana, platform.Post{Text: "what is it?", Files: []platform.File{{Name: "a.txt", Data: []byte("x")}, {Name: "b.txt", Data: []byte("y")}}})
		}, []string{"Ana: what is it? [a.txt] [b.txt]"}},
		{"group, not for us", func(r *rig, g *platform.Channel) {
			r.server.Write(g, r.ana, "lunch?")
			r.server.Write(g, r.ana, "@errand lunch?")
			r.server.Write(g, r.ana, "@everyone lunch?")
			r.server.Write(g, r.ana, platform.Mention(r.robot)+" lunch?")
			r.server.Reply(g, r.ana, r.server.Write(g, r.robot, "spam"), "stop it")
		}, nil},
		{"group, named", func(r *rig, g *platform.Channel) {
			r.server.Write(g, r.ana, us(r)+", lunch?")
			r.server.Write(g, r.ana, "hey "+us(r)+" ask "+platform.Mention(r.robot))
			r.server.Write(g, r.ana, us(r)+" /tasks")
			r.server.Write(g, r.ana, us(r))
		}, []string{"group Ana: lunch?", "group Ana: hey @errand ask @Robot", "group Ana: /tasks", "group Ana: @errand"}},
		{"a thread", func(r *rig, g *platform.Channel) {
			r.server.Write(r.server.AddThread(g, r.ana, "trains"), r.ana, us(r)+" go")
		}, []string{"group Ana: go"}},
		{"a bot", func(r *rig, g *platform.Channel) {
			r.server.Write(g, r.robot, us(r)+" hello")
			r.server.Write(r.server.DM(r.robot, r.bot), r.robot, "hello")
		}, nil},
	}
	for _, tt := range tests {
		for _, fetched := range []bool{false, true} {
			t.Run(fmt.Sprint(tt.name, ", fetched ", fetched), func(t *testing.T) {
				r := newRig(t)
				general := r.server.General(r.guild)
				stop := r.start()
				r.connected()
				r.server.Write(r.dm, r.ana, "first")
				r.server.Write(general, r.ana, us(r)+" first")
				r.Until("the first have come", func() bool { return len(r.Arrivals()) == 2 })
				if fetched {
					stop()
				}
				tt.do(r, general)
				if fetched {
					stop = r.start()
				}
				r.server.Write(r.dm, r.ana, "last")
				r.server.Write(general, r.ana, us(r)+" last")
				var got []string
				r.Until("the last have come", func() bool {
					got = nil
					last, came := 0, map[string]bool{}
					for _, in := range r.Arrivals()[2:] {
						// What is written while it connects may be told and fetched.
						switch again := came[in.MessageID]; {
						case again:
						case in.Text == "last":
							last++
						default:
							got = append(got, show(in))
						}
						came[in.MessageID] = true
					}
					return last == 2
				})
				if tt.name == "a thread" { // it is a chat of its own
					r.Until("it comes", func() bool {
						for _, in := range r.Arrivals() {
							if in.Text == "go" {
								got = []string{show(in)}
							}
						}
						return len(got) == 1
					})
				}
				if !slices.Equal(got, tt.want) {
					t.Errorf("came %q, want %q", got, tt.want)
				}
				stop()
			})
		}
	}
}

// TestReplyInGroup proves that a reply to us is for us, whether it pings or not.
func TestReplyInGroup(t *testing.T) {
	r := newRig(t)
	general := r.server.General(r.guild)
	r.start()
	r.connected()
	r.server.Write(general, r.ana, platform.Mention(r.bot)+" hello")
	ours := r.write(general, "which night train?")
	r.server.Reply(general, r.ana, ours, "the late one")
	r.server.Post(general, r.ana, platform.Post{Text: "or the early one", ReplyTo: ours, Quiet: true})
	r.Until("all have come", func() bool {
		return slices.ContainsFunc(r.Arrivals(), func(in intake.Inbound) bool { return in.Text == "or the early one" && in.ReplyTo == ours })
	})
}

// TestAttachment proves that what comes along can be read, also when its address
// is too old, and that one that is deleted is gone.
func TestAttachment(t *testing.T) {
	r := newRig(t)
	r.start()
	r.connected()
	r.server.Post(r.dm, r.ana, platform.Post{Files: []platform.File{{Name: "a.txt", Data: []byte("the words")}}})
	r.Until("it has come", func() bool { return len(r.Arrivals()) == 1 })
	in := r.Arrivals()[0]
	body, err := in.Attachments[0].Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	if raw, err := io.ReadAll(body); err != nil || string(raw) != "the words" || in.Attachments[0].Size != 9 || in.Attachments[0].Voice {
		t.Errorf("it says %q, %v", raw, err)
	}
}

// TestDisconnected proves what is seen and said however a connection ends, and
// that nothing is lost by it.
func TestDisconnected(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		do   func(r *rig)
	}{
		{"dropped", func(r *rig) { r.server.Drop(r.bot) }},
		{"asked to come back", func(r *rig) { r.server.Reconnect(r.bot) }},
		{"invalid, to be resumed", func(r *rig) { r.server.Invalidate(r.bot, true) }},
		{"invalid", func(r *rig) { r.server.Invalidate(r.bot, false) }},
		{"closed", func(r *rig) { r.server.CloseWith(r.bot, 4000) }},
		{"timed out", func(r *rig) { r.server.CloseWith(r.bot, 4009) }},
		{"resume refused", func(r *rig) {
			r.server.Order(platform.Resume, platform.Fault{Kind: platform.InvalidSession})
			r.server.Drop(r.bot)
		}},
		{"resume broken", func(r *rig) {
			r.server.Order(platform.Resume, platform.Fault{Kind: platform.DieAfter}, platform.Fault{Kind: platform.DieBefore})
			r.server.Drop(r.bot)
		}},
		{"gateway down", func(r *rig) {
			r.server.Order(platform.Connect, platform.Fault{Kind: platform.BadGateway}, platform.Fault{Kind: platform.DieBefore})
			r.server.Drop(r.bot)
		}},
		{"identify refused", func(r *rig) {
			r.server.Order(platform.Identify, platform.Fault{Kind: platform.InvalidSession}, platform.Fault{Kind: platform.DieAfter})
			r.server.Invalidate(r.bot, false)
		}},
		{"silent", func(r *rig) {
			r.Until("it beats", func() bool { return r.server.Heartbeats(r.bot) > 0 })
			end := r.server.Deafen(r.bot)
			r.Until("it is noticed", func() bool { return len(r.server.Calls(platform.Resume)) > 0 })
			end()
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := platform.Options{}
			if tt.name == "silent" {
				// Little more than twice as long without an answer, and a connection is
				// given up; here it may be given up more than once.
				o.Heartbeat = 500 * time.Millisecond
			}
			r := rigWith(t, o)
			stop := r.start()
			r.connected()
			r.server.Write(r.dm, r.ana, "before")
			r.Until("it has come", func() bool { return len(r.Arrivals()) == 1 })
			mend := r.server.Cut(platform.Connect)
			go mend() // sooner or later
			tt.do(r)
			for i := range 5 {
				r.server.Write(r.dm, r.ana, fmt.Sprint("meanwhile ", i))
			}
			r.Until("all has come", func() bool { return slices.Contains(r.Inbox(r.route(r.dm)), "meanwhile 4") })
			r.connected()
			if got := r.Inbox(r.route(r.dm)); !slices.Equal(got, []string{"before", "meanwhile 0", "meanwhile 1", "meanwhile 2", "meanwhile 3", "meanwhile 4"}) {
				t.Errorf("there is to answer %q", got)
			}
			if n := len(r.server.Calls(platform.Identify)); n > 4 {
				t.Errorf("it identified %d times", n)
			}
			stop()
		})
	}
}

// TestLoggedOut proves that what a person has to do something about says what, and
// that it goes on when that is done.
func TestLoggedOut(t *testing.T) {
	r := newRig(t)
	r.bot.Intents = 0
	r.start()
	r.Until("it is seen", func() bool { return r.Status().State == channels.LoggedOut })
	if s := r.Status(); !strings.Contains(s.Advice, "Message Content Intent") {
		t.Errorf("the status is %+v", s)
	}
	attempts := len(r.server.Calls(platform.Identify))
	r.Until("it tries again", func() bool { return len(r.server.Calls(platform.Identify)) > attempts+1 })
	if n := r.Logged(`msg="not connected"`); n != 1 {
		t.Errorf("it is said %d times", n)
	}
	revoked := newRig(t)
	revoked.bot.Token += "x"
	token := revoked.bot.Token
	revoked.start()
	revoked.server.Revoke(revoked.bot)
	revoked.Until("it is seen", func() bool { return revoked.Status().State == channels.LoggedOut })
	if s := revoked.Status(); !strings.Contains(s.Advice, "under Bot, give the new one to `errand channels add discord`") || strings.Contains(revoked.Log(), token) {
		t.Errorf("the status is %+v", s)
	}
}

// TestOneChatHoldsUpNoOther proves that a chat whose messages cannot be committed
// keeps neither others' from coming in, nor heartbeats from being sent.
func TestOneChatHoldsUpNoOther(t *testing.T) {
	r := newRig(t)
	bea := r.server.AddPerson(platform.Person{Name: "Bea"})
	r.server.Join(r.guild, bea)
	r.start()
	r.connected()
	held, released := make(chan struct{}), make(chan struct{})
	release := sync.OnceFunc(func() { close(released) })
	t.Cleanup(release) // a channel does not end before what it hands over is taken
	r.After(func() { close(held); <-released })
	r.server.Write(r.dm, r.ana, "slow")
	<-held
	r.server.Write(r.dm, r.ana, "behind it")
	hers := r.server.DM(bea, r.bot)
	for i := range 20 {
		r.server.Write(hers, bea, fmt.Sprint("message ", i))
	}
	r.Until("hers have come", func() bool { return len(r.Inbox(r.route(hers))) == 20 })
	if got := r.Inbox(r.route(r.dm)); !slices.Equal(got, []string{"slow"}) {
		t.Errorf("there is to answer %q", got)
	}
	beats := r.server.Heartbeats(r.bot)
	r.server.AskHeartbeat(r.bot)
	r.Until("heartbeats go on", func() bool { return r.server.Heartbeats(r.bot) > beats })
	release()
	r.Until("the rest has come", func() bool { return len(r.Inbox(r.route(r.dm))) == 2 })
	if n := len(r.server.Calls(platform.Connect)); n != 1 {
		t.Errorf("it connected %d times", n)
	}
}

// TestMoreThanWaits proves that more than is kept in memory while nothing can be
// committed comes in all the same, once and in order.
func TestMoreThanWaits(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.start()
	r.connected()
	r.server.Write(r.dm, r.ana, "first")
	r.Until("it has come", func() bool { return len(r.Arrivals()) == 1 })
	r.Fail(errors.New("the disk is full"))
	want := []string{"first"}
	for i := range 1300 {
		want = append(want, fmt.Sprint("message ", i))
		r.server.Write(r.dm, r.ana, want[i+1])
	}
	r.Fail(nil)
	r.Until("all has come", func() bool { return len(r.Arrivals()) >= len(want) })
	if got := r.Inbox(r.route(r.dm)); !slices.Equal(got, want) {
		t.Errorf("there is to answer %d, want %d", len(got), len(want))
	}
}

// TestNewChannel proves that a channel in which we were named for the first time
// while errand was away is looked at, and that nothing is before errand was there.
func TestNewChannel(t *testing.T) {
	var back atomic.Int64 // how far Discord's clock is behind
	back.Store(int64(time.Hour))
	r := rigWith(t, platform.Options{Now: func() time.Time { return time.Now().Add(-time.Duration(back.Load())) }})
	general := r.server.General(r.guild)
	r.server.Write(general, r.ana, platform.Mention(r.bot)+" long ago")
	back.Store(0)
	stop := r.start()
	r.connected()
	r.server.Write(r.dm, r.ana, "hello")
	r.Until("it has come", func() bool { return len(r.Arrivals()) == 1 })
	stop()
	side := r.server.AddChannel(r.guild, "side")
	r.server.Write(side, r.ana, platform.Mention(r.bot)+" are you there?")
	r.start()
	r.Until("it has come", func() bool { return slices.Contains(r.Inbox(r.route(side)), "are you there?") })
	if got := r.Inbox(r.route(general)); len(got) > 0 {
		t.Errorf("there is to answer %q", got)
	}
}

// TestUnreadable proves that a chat whose past may not be read, or that is gone,
// keeps nothing from coming in.
func TestUnreadable(t *testing.T) {
	r := newRig(t)
	general, gone := r.server.General(r.guild), r.server.AddChannel(r.guild, "gone")
	stop := r.start()
	r.connected()
	r.server.Write(general, r.ana, platform.Mention(r.bot)+" one")
	r.server.Write(gone, r.ana, platform.Mention(r.bot)+" one")
	r.Until("they have come", func() bool { return len(r.Arrivals()) == 2 })
	stop()
	r.server.Deny(general, r.bot, platform.ViewChannel)
	r.server.RemoveChannel(gone)
	r.start()
	r.connected()
	r.server.Allow(general, r.bot, platform.ViewChannel)
	r.server.Write(general, r.ana, platform.Mention(r.bot)+" two")
	r.Until("it has come", func() bool { return slices.Contains(r.Inbox(r.route(general)), "two") })
}

// TestDeletedAfterRestart proves that what somebody took back who is alone with us
// is known to be theirs by a process that has not seen it.
func TestDeletedAfterRestart(t *testing.T) {
	r := newRig(t)
	stop := r.start()
	r.connected()
	id := r.server.Write(r.dm, r.ana, "hello")
	r.Until("it has come", func() bool { return len(r.Arrivals()) == 1 })
	stop()
	r.start()
	r.connected()
	r.server.Delete(r.dm, id)
	r.Until("it is known", func() bool { return len(r.Arrivals()) == 2 })
	if in := r.Arrivals()[1]; !in.Deleted || in.MessageID != id || !slices.Equal(in.Sender.IDs, []string{r.ana.ID}) {
		t.Errorf("came %+v", in)
	}
}

// TestUnfurled proves that a preview that Discord adds is no edit.
func TestUnfurled(t *testing.T) {
	r := newRig(t)
	r.start()
	r.connected()
	id := r.server.Write(r.dm, r.ana, "see https://example.org")
	r.server.Unfurl(r.dm, id, "Example")
	r.server.Write(r.dm, r.ana, "last")
	r.Until("all has come", func() bool {
		return slices.ContainsFunc(r.Arrivals(), func(in intake.Inbound) bool { return in.Text == "last" })
	})
	if n := len(r.Arrivals()); n != 2 {
		t.Errorf("%d came", n)
	}
}
