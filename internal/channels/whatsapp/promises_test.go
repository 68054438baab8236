package whatsapp_test

import (
	"strings"
	"testing"

	"errand/internal/channels/whatsapp"
	"errand/internal/service"
	"errand/internal/test/channeltest"
	platform "errand/internal/test/sim/whatsapp"
)

// A driver is WhatsApp, for the promises that every channel keeps.
type driver struct {
	*rig
	robot *platform.Person
	group *platform.Group
}

var _ interface {
	channeltest.Platform
	channeltest.Grouper
	channeltest.Editor
	channeltest.Deleter
	channeltest.Replier
	channeltest.Disturber
	channeltest.Breaker
	channeltest.Revoker
} = driver{}

func TestChannel(t *testing.T) {
	t.Parallel()
	channeltest.Run(t, func(t *testing.T) channeltest.Platform {
		r := newRig(t, service.AccessOpen)
		robot := r.person("Robot", "+13135550099") // the numbers of WhatsApp's own assistants
		return driver{r, robot, r.server.AddGroup("Team", r.account.Person, r.ana, robot)}
	})
}

func (d driver) Channel() string   { return "whatsapp" }
func (d driver) Direct() string    { return anasChat }
func (d driver) Group() string     { return d.group.JID.String() }
func (d driver) Secrets() []string { return nil }

func (d driver) Connect(t *testing.T, e *channeltest.Errand) func() {
	d.options = func(o *whatsapp.Options) { o.Receiver, o.Logger, o.Changed = e, e.Logger(), e.Changed }
	d.start()
	return d.stop
}

func (d driver) Connected() bool {
	cli := d.clients.Client("main")
	return cli != nil && cli.IsConnected() && cli.IsLoggedIn()
}

func (d driver) Addressed(text string) string { return "@" + d.account.LID().User + " " + text }

func (d driver) Write(chat string, who channeltest.Who, text string) string {
	d.t.Helper()
	by, to := d.ana, d.account.JID()
	if who == channeltest.Robot {
		by = d.robot
	}
	if chat == d.Group() {
		to = d.group.JID
	}
	var id string
	var err error
	if strings.HasPrefix(text, d.Addressed("")) {
		id, err = by.Mention(d.t.Context(), to, text, d.account.Person)
	} else {
		id, err = by.Write(d.t.Context(), to, text)
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return id
}

func (d driver) Reply(_ string, _ channeltest.Who, to, text string) string {
	d.t.Helper()
	id, err := d.ana.Reply(d.t.Context(), d.account.JID(), to, text)
	if err != nil {
		d.t.Fatal(err)
	}
	return id
}

func (d driver) Edit(_, id, text string) {
	d.t.Helper()
	if _, err := d.ana.Edit(d.t.Context(), d.account.JID(), id, text); err != nil {
		d.t.Fatal(err)
	}
}

func (d driver) Delete(_, id string) {
	d.t.Helper()
	if _, err := d.ana.Revoke(d.t.Context(), d.account.JID(), id); err != nil {
		d.t.Fatal(err)
	}
}

func (d driver) Disturb(do func()) {
	release := d.account.Hold()
	defer release()
	d.account.Twice(10)
	do()
	d.account.Shuffle()
}

func (d driver) Break() func() { return d.server.Unreachable() }
func (d driver) Revoke()       { d.account.Unlink() }
