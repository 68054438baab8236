package discord_test

import (
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"errand/internal/test/paralleltest"
	"errand/internal/test/sim/discord"
)

// A rig is a platform with one bot in one guild, and one person.
type rig struct {
	*discord.Server
	t       *testing.T
	past    atomic.Int64 // since the beginning
	bot     *discord.Bot
	ana     *discord.Person
	guild   *discord.Guild
	general *discord.Channel
	dm      *discord.Channel
	opened  []*client
}

// closing is what goes on behind the tests that are over: discordgo takes a
// second to close.
var closing sync.WaitGroup

func newRig(t *testing.T, o discord.Options) *rig {
	t.Parallel()
	return another(t, o)
}

func another(t *testing.T, o discord.Options) *rig {
	r := &rig{t: t}
	o.Now = func() time.Time { return time.Unix(1_800_000_000, r.past.Load()) }
	var err error
	if r.Server, err = discord.Start(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		closing.Go(func() {
			for _, c := range r.opened { // first: they would come back
				c.Session.Close()
			}
			r.Close()
		})
	})
	r.ana = r.AddPerson(discord.Person{Name: "Ana", Locale: "es-ES"})
	r.bot = r.AddBot(discord.Bot{Name: "errand", Intents: discord.MessageContent | discord.Members, Owner: r.ana})
	r.guild = r.AddGuild("Home", r.ana, r.bot)
	r.general, r.dm = r.General(r.guild), r.DM(r.ana, r.bot)
	return r
}

// free is a platform without limits on how often.
var free = discord.Options{PerRoute: -1, Global: -1, IdentifyEvery: -1}

func (r *rig) pass(d time.Duration) { r.past.Add(int64(d)) }

func (r *rig) await(what string, cond func() bool) {
	r.t.Helper()
	deadline := time.After(time.Minute)
	for {
		changed := r.Changed()
		if cond() {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			r.t.Fatalf("it did not happen: %s", what)
		}
	}
}

const intents = discordgo.IntentsAllWithoutPrivileged | discordgo.IntentsMessageContent | discordgo.IntentsGuildMembers

type client struct {
	*discordgo.Session
	t      *testing.T
	events chan *discordgo.Event
}

// rest is a client that calls and does not listen.
func (r *rig) rest(token string) *client {
	r.t.Helper()
	s, err := discordgo.New("Bot " + token)
	if err != nil {
		r.t.Fatal(err)
	}
	s.Client, s.Dialer = r.Client(), r.Dialer()
	s.Identify.Intents = intents
	s.SyncEvents = true
	c := &client{s, r.t, make(chan *discordgo.Event, 1000)}
	s.AddHandler(func(_ *discordgo.Session, e *discordgo.Event) { c.events <- e })
	return c
}

func (r *rig) open() *client {
	r.t.Helper()
	c := r.rest(r.bot.Token)
	r.start(c)
	return c
}

func (r *rig) start(c *client) {
	r.t.Helper()
	if err := c.Open(); err != nil {
		r.t.Fatal(err)
	}
	r.opened = append(r.opened, c)
	// The library beats at once, in a goroutine of its own. A test that breaks
	// the connection earlier than that sees the library mend it twice, and the
	// second time end the session of the first.
	deadline := time.After(time.Minute)
	for !c.beats() {
		select {
		case <-time.After(time.Millisecond):
		case <-deadline:
			r.t.Fatal("there was no heartbeat")
		}
	}
}

func (c *client) beats() bool {
	c.RLock()
	defer c.RUnlock()
	return c.DataReady
}

func (c *client) next(kind string) any {
	c.t.Helper()
	deadline := time.After(time.Minute)
	for {
		select {
		case e := <-c.events:
			if e.Type == kind {
				return e.Struct
			}
		case <-deadline:
			c.t.Fatalf("there was no %s", kind)
		}
	}
}

func (c *client) received() string {
	c.t.Helper()
	return c.next("MESSAGE_CREATE").(*discordgo.MessageCreate).Content
}

func (r *rig) texts(c *discord.Channel) (texts []string) {
	for _, l := range r.Sees(c, r.ana) {
		texts = append(texts, l.From+": "+l.Text)
	}
	return texts
}

func TestMain(m *testing.M) {
	paralleltest.Set(6)
	discordgo.Logger = func(int, int, string, ...any) {} // it writes what every test provokes
	code := m.Run()
	closing.Wait()
	os.Exit(code)
}
