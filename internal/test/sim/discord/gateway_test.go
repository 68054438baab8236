package discord_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"errand/internal/test/sim/discord"
)

// TestResume proves that a client that lost its connection is told what it has
// missed, once.
func TestResume(t *testing.T) {
	r := newRig(t, free)
	c := r.open()
	r.receive(c, "one")
	mend := r.Cut(discord.Connect)
	r.Drop(r.bot)
	r.Write(r.general, r.ana, "two")
	r.Write(r.general, r.ana, "three")
	r.await("the client tries", func() bool { return r.Count()[discord.Connect] > 1 })
	mend()
	for _, want := range []string{"two", "three"} {
		if text := c.received(); text != want {
			t.Errorf("after the break it hears %q, want %q", text, want)
		}
	}
	c.next("RESUMED")
	r.receive(c, "four")
	if n := r.Count(); n[discord.Identify] != 1 || n[discord.Resume] != 1 {
		t.Errorf("identified %d times, resumed %d times", n[discord.Identify], n[discord.Resume])
	}
}

// receive proves that a client is connected and up to date.
func (r *rig) receive(c *client, text string) {
	r.t.Helper()
	r.Write(r.general, r.ana, text)
	if got := c.received(); got != text {
		r.t.Errorf("it hears %q, want %q", got, text)
	}
}

// TestReconnect proves that a client that is asked to come back resumes, and
// misses nothing.
func TestReconnect(t *testing.T) {
	r := newRig(t, free)
	c := r.open()
	r.receive(c, "one")
	mend := r.Cut(discord.Connect)
	r.Reconnect(r.bot)
	r.await("the client goes", func() bool { return !r.Connected(r.bot) })
	r.Write(r.general, r.ana, "meanwhile")
	mend()
	if text := c.received(); text != "meanwhile" {
		t.Errorf("it hears %q", text)
	}
	if n := r.Count(); n[discord.Identify] != 1 || n[discord.Resume] != 1 {
		t.Errorf("identified %d times, resumed %d times", n[discord.Identify], n[discord.Resume])
	}
}

// TestInvalidSession proves that a client whose session is gone identifies
// afresh, and can read what it was not told.
func TestInvalidSession(t *testing.T) {
	r := newRig(t, free)
	c := r.open()
	r.receive(c, "one")
	last := r.Sees(r.general, nil)[0].ID
	r.Invalidate(r.bot, false)
	c.next("READY")
	r.receive(c, "two")

	// The same while nobody is connected: the resume is refused, and what was
	// written meanwhile is not told but can be read.
	mend := r.Cut(discord.Connect)
	r.Drop(r.bot)
	r.await("the client tries", func() bool { return r.Count()[discord.Connect] > 1 })
	r.Order(discord.Resume, discord.Fault{Kind: discord.InvalidSession})
	for i := range 3 {
		r.Write(r.general, r.ana, fmt.Sprint("missed ", i))
	}
	mend()
	c.next("READY")
	r.receive(c, "three")
	list, err := c.ChannelMessages(r.general.ID, 100, "", last, "")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, m := range list {
		texts = append(texts, m.Content)
	}
	if got := strings.Join(texts, ", "); got != "three, missed 2, missed 1, missed 0, two" {
		t.Errorf("after the last it knew of it reads %s", got)
	}
	if n := r.Count(); n[discord.Identify] != 3 || n[discord.Resume] != 1 {
		t.Errorf("identified %d times, resumed %d times", n[discord.Identify], n[discord.Resume])
	}
}

// TestOldSession proves that a session waits for its client only so long.
func TestOldSession(t *testing.T) {
	r := newRig(t, free)
	c := r.open()
	r.receive(c, "one")
	mend := r.Cut(discord.Connect)
	r.Drop(r.bot)
	r.Write(r.general, r.ana, "missed")
	r.pass(3 * time.Minute)
	mend()
	c.next("READY")
	r.receive(c, "two")
}

// TestZombie proves that a client notices that its heartbeats are not answered.
// The library then closes with 1000, which ends the session: it identifies.
func TestZombie(t *testing.T) {
	o := free
	o.Heartbeat = 200 * time.Millisecond // after five without an answer the library gives up; a busy machine may be late for some
	r := newRig(t, o)
	c := r.open()
	c.next("READY")
	end := r.Deafen(r.bot)
	r.await("the client gives up", func() bool { return r.Count()[discord.Resume] > 0 })
	end()
	c.next("READY")
	r.receive(c, "back")
}
