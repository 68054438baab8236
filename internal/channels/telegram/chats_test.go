package telegram_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"errand/internal/channels/telegram"
	"errand/internal/service"
	platform "errand/internal/test/sim/telegram"
)

// TestMovedGroup proves that people of a group that becomes a supergroup go on
// with the conversations they had, and that no message of theirs is lost because
// the messages are counted from 1 again.
func TestMovedGroup(t *testing.T) {
	r := newRig(t, service.AccessOpen)
	r.tune = func(o *telegram.Options) { o.Moves = r.gate.Store }
	r.start()
	group := r.server.AddGroup("Team", false, r.bot)
	var want []string
	write := func(c *platform.Chat, text string) int {
		want = append(want, text)
		return r.server.Write(c, r.ana, "@errand_bot "+text)
	}
	for i := range 4 {
		write(group, fmt.Sprint("before ", i))
	}
	to := r.server.Migrate(group)
	r.stop()
	r.start() // who moved where is kept
	asked := 0
	for i := range 4 {
		asked = write(to, fmt.Sprint("after ", i))
	}
	r.confirmed()
	person := r.gate.Outcomes()[0].Person
	if got := r.inbox(group, person); !slices.Equal(got, want) {
		t.Errorf("the inbox has %q, want %q", got, want)
	}
	r.server.Post(to, r.ana, platform.Post{Text: "@errand_bot about that", ReplyTo: asked})
	r.confirmed()
	came := r.gate.Arrivals()
	last := came[len(came)-1]
	if suffix := fmt.Sprintf("@%d", to.ID); last.ReplyTo != fmt.Sprint(asked)+suffix || !strings.HasSuffix(last.MessageID, suffix) || last.Route.Chat != route(group).Chat {
		t.Errorf("it came as %+v", last)
	}
}

// TestPutOut proves that it is said when nothing can be told in a chat any more.
func TestPutOut(t *testing.T) {
	r := newRig(t, service.AccessOpen)
	r.start()
	r.server.Block(r.ana, r.bot)
	r.server.Kick(r.server.AddGroup("Team", false, r.bot), r.bot)
	r.until("it is said", func() bool {
		return strings.Contains(r.gate.Log(), "blocked by a person") && strings.Contains(r.gate.Log(), "removed from a group")
	})
}
