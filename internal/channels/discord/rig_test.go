package discord_test

import (
	"context"
	"testing"
	"time"

	"errand/internal/channels"
	"errand/internal/channels/discord"
	"errand/internal/core"
	"errand/internal/service"
	"errand/internal/test/channeltest"
	platform "errand/internal/test/sim/discord"
	notifier "errand/notifiers/discord"
)

// A rig is the platform, with Ana in a server with the bot and in its direct
// messages, and what the channel hands over to.
type rig struct {
	t      *testing.T
	server *platform.Server
	bot    *platform.Bot
	ana    *platform.Person
	robot  *platform.Person
	guild  *platform.Guild
	dm     *platform.Channel
	*channeltest.Errand
	patience time.Duration
	people   discord.People
}

func newRig(t *testing.T) *rig { return rigWith(t, platform.Options{}) }

// rigWith has no limits: those have tests of their own.
func rigWith(t *testing.T, o platform.Options) *rig {
	t.Helper()
	o.PerRoute, o.Global, o.IdentifyEvery = -1, -1, -1
	server, err := platform.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	r := &rig{t: t, server: server, bot: server.AddBot(platform.Bot{Name: "errand", Intents: platform.MessageContent}),
		ana: server.AddPerson(platform.Person{Name: "Ana", Locale: "es-ES"}), robot: server.AddPerson(platform.Person{Name: "Robot", IsBot: true})}
	r.guild = server.AddGuild("Team", r.ana, r.robot, r.bot)
	r.dm = server.DM(r.ana, r.bot)
	r.Errand = channeltest.New(t, "discord", service.AccessOpen)
	return r
}

// start runs a channel, as a process does.
func (r *rig) start() (stop func()) {
	r.t.Helper()
	return r.startOn(r.t, r.Errand)
}

func (r *rig) startOn(t *testing.T, e *channeltest.Errand) (stop func()) {
	t.Helper()
	c, err := discord.New(discord.Options{Account: "main", Token: r.bot.Token, Receiver: e, Memory: e, Logger: e.Logger(), Client: r.server.Client(), Dialer: r.server.Dialer(),
		Commands: e.Commands.Menu(), Suggest: e.House, Changed: e.Changed, People: r.people, Pause: time.Millisecond, Patience: r.patience, LongestPause: 20 * time.Millisecond,
		Words: map[string]discord.Words{"": {Failed: "not now"}, "es": {Failed: "ahora no", Pressed: "Has dicho: {answer}"}}})
	if err != nil {
		t.Fatal(err)
	}
	e.Changed(channels.Status{State: channels.Connecting})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); c.Run(ctx) }()
	stop = func() {
		cancel()
		<-done
		e.Until("the platform knows", func() bool { return !r.server.Connected(r.bot) })
	}
	t.Cleanup(stop)
	return stop
}

func (r *rig) route(c *platform.Channel) core.Route {
	return core.Route{Channel: "discord", Account: "main", Chat: c.ID}
}

// connected waits until the platform has a connection of ours.
func (r *rig) connected() {
	r.t.Helper()
	r.Until("it is connected", func() bool { return r.server.Connected(r.bot) && r.Status().State == "connected" })
}

// A driver lets the suite drive Discord.
type driver struct{ *rig }

func (d driver) Channel() string   { return "discord" }
func (d driver) Connected() bool   { return d.server.Connected(d.bot) }
func (d driver) Direct() string    { return d.dm.ID }
func (d driver) Secrets() []string { return []string{d.bot.Token} }
func (d driver) Group() string     { return d.server.General(d.guild).ID }

func (d driver) Addressed(text string) string { return platform.Mention(d.bot) + " " + text }

func (d driver) Connect(t *testing.T, e *channeltest.Errand) func() { return d.startOn(t, e) }

func (d driver) in(chat string, who channeltest.Who) (*platform.Channel, *platform.Person) {
	by := map[channeltest.Who]*platform.Person{channeltest.Ana: d.ana, channeltest.Robot: d.robot}[who]
	if chat == d.Group() {
		return d.server.General(d.guild), by
	}
	return d.server.DM(by, d.bot), by
}

func (d driver) Write(chat string, who channeltest.Who, text string) string {
	c, by := d.in(chat, who)
	return d.server.Write(c, by, text)
}

func (d driver) Reply(chat string, who channeltest.Who, to, text string) string {
	c, by := d.in(chat, who)
	return d.server.Reply(c, by, to, text)
}

func (d driver) Edit(chat, id, text string) {
	c, _ := d.in(chat, channeltest.Ana)
	d.server.Edit(c, id, text)
}

func (d driver) Delete(chat, id string) {
	c, _ := d.in(chat, channeltest.Ana)
	d.server.Delete(c, id)
}

func (d driver) Disturb(do func()) {
	release := d.server.Hold(d.bot)
	do()
	d.server.Shuffle(d.bot)
	release()
	d.server.Repeat(d.bot, 7)
}

func (d driver) Break() (mend func()) {
	mend = d.server.Cut(platform.Connect)
	d.server.Drop(d.bot)
	return mend
}

func (d driver) Revoke() { d.server.Revoke(d.bot) }

// TestPromises holds the channel against what every channel promises.
func TestPromises(t *testing.T) {
	t.Parallel()
	channeltest.Run(t, func(t *testing.T) channeltest.Platform { return driver{newRig(t)} })
}

// write is errand saying something in a chat; it returns the id of the message.
func (r *rig) write(c *platform.Channel, text string, options ...string) string {
	r.t.Helper()
	n, err := notifier.New(notifier.Options{Accounts: map[string]string{"main": r.bot.Token}, Client: r.server.Client()})
	if err != nil {
		r.t.Fatal(err)
	}
	receipt, err := n.Notify(r.t.Context(), core.Notification{Key: c.ID + text, Route: r.route(c), Text: text, Options: options})
	if err != nil {
		r.t.Fatal(err)
	}
	return receipt.IDs[0]
}

func pairing(t *testing.T) *channeltest.Errand {
	return channeltest.New(t, "discord", service.AccessPairing)
}
