package discord_test

import (
	"testing"

	"errand/internal/discord"
)

// TestResume proves that a client that lost its connection is told what it has
// missed, once.
func TestResume(t *testing.T) {
	r := newRig(t, free)
	c := r.open()
	r.Write(r.general, r.ana, "one")
	if text := c.heard(); text != "one" {
		t.Fatalf("heard %q", text)
	}
	mend := r.Cut(discord.Connect)
	r.Drop(r.bot)
	r.Write(r.general, r.ana, "two")
	r.Write(r.general, r.ana, "three")
	r.await("the client tries", func() bool { return r.Count()[discord.Connect] > 1 })
	mend()
	for _, want := range []string{"two", "three"} {
		if text := c.heard(); text != want {
			t.Errorf("after the break it hears %q, want %q", text, want)
		}
	}
	c.next("RESUMED")
	r.Write(r.general, r.ana, "four")
	if text := c.heard(); text != "four" {
		t.Errorf("then it hears %q", text)
	}
	if n := r.Count(); n[discord.Identify] != 1 || n[discord.Resume] != 1 {
		t.Errorf("identified %d times, resumed %d times", n[discord.Identify], n[discord.Resume])
	}
}
