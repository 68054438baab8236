package telegram_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"errand/internal/channels/telegram"
	"errand/internal/service"
	platform "errand/internal/test/sim/telegram"
)

func picture(album, text string) platform.Post {
	return platform.Post{Photo: []byte("x"), Album: album, Text: text}
}

// albums are the messages that came with pictures, as "chat text pictures", in
// order, each once.
func (r *rig) albums() []string {
	var list []string
	for _, in := range r.gate.Arrivals() {
		if s := fmt.Sprint(in.Album, ": ", in.Text, " ", len(in.Attachments)); in.Album != "" && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// TestAlbums proves that an album is one message with all its pictures, wherever
// its words are, and whatever else comes in between.
func TestAlbums(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		do   func(r *rig, one, two *platform.Chat)
		want []string
	}{
		{"two groups at once", func(r *rig, one, two *platform.Chat) {
			r.server.Post(one, r.ana, picture("1", "@errand_bot this?"))
			r.server.Post(two, r.ana, picture("2", "@errand_bot that?"))
			r.server.Post(one, r.ana, picture("1", ""))
			r.server.Post(two, r.ana, picture("2", ""))
			r.server.Post(one, r.ana, picture("1", ""))
		}, []string{"2: that? 2", "1: this? 3"}},
		{"the words come last", func(r *rig, one, _ *platform.Chat) {
			r.server.Post(one, r.ana, picture("1", ""))
			r.server.Post(one, r.ana, picture("1", ""))
			r.server.Post(r.chat, r.ana, picture("2", ""))
			r.server.Post(one, r.ana, picture("1", "@errand_bot which?"))
			r.server.Post(r.chat, r.ana, picture("2", "mine"))
		}, []string{"1: which? 3", "2: mine 2"}},
		{"more words than one", func(r *rig, _, _ *platform.Chat) {
			r.server.Post(r.chat, r.ana, picture("1", "one"))
			r.server.Post(r.chat, r.ana, picture("1", "two"))
		}, []string{"1: one\ntwo 2"}},
		{"another group's of the same name is not for us", func(r *rig, one, two *platform.Chat) {
			r.server.Post(one, r.ana, picture("1", "@errand_bot this?"))
			r.server.Post(two, r.ana, picture("1", "lunch"))
		}, []string{"1: this? 1"}},
		{"behind as much as one answer has", func(r *rig, _, _ *platform.Chat) {
			r.server.Post(r.chat, r.ana, picture("0", ""))
			for i := range 98 {
				r.server.Write(r.chat, r.ana, fmt.Sprint("message ", i))
			}
			r.server.Post(r.chat, r.ana, picture("1", ""))
			r.server.Post(r.chat, r.ana, picture("1", ""))
			r.server.Post(r.chat, r.ana, picture("1", "which?"))
		}, []string{"0:  1", "1: which? 3"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, service.AccessOpen)
			r.bot.ReadsAll = true
			tt.do(r, r.server.AddGroup("One", true, r.bot), r.server.AddGroup("Two", true, r.bot))
			r.start()
			r.confirmed()
			if got := r.albums(); !slices.Equal(got, tt.want) {
				t.Errorf("came %q, want %q", got, tt.want)
			}
		})
	}
}

// TestAlbumOverARestart proves that no part of an album is confirmed before all
// are there: a process that dies meanwhile leaves it whole to the next.
func TestAlbumOverARestart(t *testing.T) {
	r := newRig(t, service.AccessOpen)
	r.bot.ReadsAll = true
	group := r.server.AddGroup("Team", true, r.bot)
	r.server.Write(r.chat, r.ana, "hello")
	r.server.Post(group, r.ana, picture("1", "@errand_bot which?"))
	r.tune = func(o *telegram.Options) { o.Settle = time.Hour }
	r.start()
	r.until("what came before it is taken", func() bool { return len(r.gate.Arrivals()) == 1 })
	r.stop()
	if n := r.server.Unconfirmed(r.bot); n != 2 {
		t.Errorf("%d are not confirmed", n)
	}
	r.server.Post(group, r.ana, picture("1", ""))
	r.tune = nil
	r.start()
	r.confirmed()
	if got := r.albums(); !slices.Equal(got, []string{"1: which? 2"}) {
		t.Errorf("came %q", got)
	}
}

// TestAlbumTwice proves that an album that is delivered again, and in another
// batch than before, is one message with each picture once.
func TestAlbumTwice(t *testing.T) {
	r := newRig(t, service.AccessOpen)
	for i := range 3 {
		r.server.Post(r.chat, r.ana, picture("1", strings.Repeat("look", i/2)))
	}
	r.start()
	r.confirmed()
	r.stop()
	r.server.Repeat(r.bot, 3)
	r.start()
	r.until("it came again", func() bool { return len(r.gate.Arrivals()) == 2 })
	r.confirmed()
	if read := r.reads(); len(read) != 1 || strings.Count(read[0], "[attached: photo.jpg") != 3 {
		t.Errorf("the agent reads %q", read)
	}
}

// TestEditedAlbum proves that an edit of the words of an album leaves its pictures.
func TestEditedAlbum(t *testing.T) {
	r := newRig(t, service.AccessOpen)
	r.server.Post(r.chat, r.ana, picture("1", ""))
	words := r.server.Post(r.chat, r.ana, picture("1", "whihc?"))
	r.server.Edit(r.chat, words, "which?")
	r.start()
	r.confirmed()
	if read := r.reads(); len(read) != 1 || !strings.HasPrefix(read[0], "which?\n") || strings.Count(read[0], "[attached: photo.jpg") != 2 {
		t.Errorf("the agent reads %q", read)
	}
}

// TestAlbumByWebhook proves that no picture is lost where Telegram tells of the
// next only when one is confirmed: also of a group, whatever comes first.
func TestAlbumByWebhook(t *testing.T) {
	r, behind, _ := hooked(t)
	r.bot.ReadsAll = true
	one, two := r.server.AddGroup("One", true, r.bot), r.server.AddGroup("Two", true, r.bot)
	for _, text := range []string{"", "", "@errand_bot which?", ""} {
		r.server.Post(one, r.ana, picture("1", text))
		r.server.Post(two, r.ana, picture("2", strings.TrimPrefix(text, "@errand_bot ")))
		r.server.Post(r.chat, r.ana, picture("3", text))
	}
	behind.Store(r.start())
	r.confirmed()
	pictures := map[string]int{}
	for _, in := range r.gate.Arrivals() {
		pictures[in.Album] += len(in.Attachments)
	}
	if pictures["1"] != 4 || pictures["2"] != 0 || pictures["3"] != 4 {
		t.Errorf("came %v: %+v", pictures, r.gate.Arrivals())
	}
}
