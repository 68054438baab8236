package telegram_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"errand/notifiers"
	"errand/notifiers/telegram"
)

// moves remembers one chat.
type moves struct{ from, to string }

func (m *moves) MoveChat(_ context.Context, _, _, from, to string) error {
	m.from, m.to = from, to
	return nil
}

func (m *moves) ChatFirst(_ context.Context, _, _, chat string) (string, error) {
	if chat == m.to {
		return m.from, nil
	}
	return chat, nil
}

func (m *moves) ChatNow(_ context.Context, _, _, chat string) (string, error) {
	if chat == m.from && m.to != "" {
		return m.to, nil
	}
	return chat, nil
}

// TestMoved proves that what is for a group that has another id now arrives there,
// is asked for in vain once, also after a restart, and answers no message that only
// has the number of the one that was meant.
func TestMoved(t *testing.T) {
	r := newRig(t)
	group, known := r.server.AddGroup("Team", false, r.bot), &moves{}
	restart := func() *telegram.Notifier {
		n, err := telegram.New(telegram.Options{Accounts: map[string]string{"main": r.bot.Token}, URL: r.url,
			Rates: telegram.Rates{Chat: 1, Group: 1, All: 1}, Moves: known})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	n := restart()
	asked := r.server.Write(group, r.ana, "/tasks")
	shown, err := n.ShowProgress(t.Context(), note(group, "", "").Route, "⏳", "")
	if err != nil {
		t.Fatal(err)
	}
	to := r.server.Migrate(group)
	now := r.server.Write(to, r.ana, "in the new one")
	for i, id := range []string{strconv.Itoa(asked), strconv.Itoa(now), fmt.Sprintf("%d@%d", now, to.ID)} {
		if i > 0 {
			n = restart()
		}
		m := note(group, fmt.Sprint("k", i), fmt.Sprint("answer ", i))
		m.ReplyTo = id
		receipt, err := n.Notify(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		lines := r.server.Lines(to)
		last := lines[len(lines)-1]
		if want := fmt.Sprintf("%d@%d", last.ID, to.ID); len(lines) != i+1 || receipt.IDs[0] != want {
			t.Errorf("the receipt is %v, want %s; said %+v", receipt, want, lines)
		}
		if (last.ReplyTo == now) != strings.Contains(id, "@") {
			t.Errorf("in reply to %s it answers %d", id, last.ReplyTo)
		}
	}
	if calls := len(r.server.Calls("sendMessage")); calls != 1+2+2 {
		t.Errorf("%d calls", calls)
	}
	_, err = n.ShowProgress(t.Context(), note(group, "", "").Route, "✔", shown)
	if send := sendError(t, err); send.Outcome != notifiers.Refused {
		t.Errorf("what showed progress in the old one: %v", send)
	}
}
