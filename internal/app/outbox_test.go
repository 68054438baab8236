package app_test

import (
	"fmt"
	"net/http/httptest"
	"reflect"
	"testing"

	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/store"
	"errand/internal/test/notifiertest"
	"errand/notifiers"
)

// A platformChat is a chat on a platform with faults to order.
type platformChat struct {
	*installation
	*stage
	platform *notifiertest.Platform
}

func playOn(t *testing.T, dedupe, readBack bool, tune ...func(*config.Config)) *platformChat {
	t.Helper()
	p := &platformChat{platform: notifiertest.NewPlatform(dedupe)}
	server := httptest.NewServer(p.platform)
	t.Cleanup(server.Close)
	p.installation, p.stage = play(t, func(o *app.Options) {
		o.Notifiers = func(r *notifiers.Router) {
			r.Handle("test", &notifiertest.Notifier{URL: server.URL, ReadBack: readBack})
		}
	}, tune...)
	return p
}

func (p *platformChat) write(chat, thread, text string) {
	p.t.Helper()
	_, err := p.Intake.Accept(p.t.Context(), intake.Inbound{
		Route:  core.Route{Channel: "test", Account: "main", Chat: chat, Thread: thread},
		Person: app.Owner, Role: core.MasterAdmin, Text: text})
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *platformChat) outbox(chat string) []core.Notification {
	p.t.Helper()
	all, err := p.Store.Deliveries(p.t.Context(), nil, store.Page{})
	if err != nil {
		p.t.Fatal(err)
	}
	var list []core.Notification
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Route.Chat == chat {
			list = append(list, all[i])
		}
	}
	return list
}

// reaches waits until the rows of chat are in these states.
func (p *platformChat) reaches(chat string, want ...core.OutboxState) {
	p.t.Helper()
	eventually(p.t, fmt.Sprintf("deliveries of %s to be %v", chat, want), func() bool {
		var got []core.OutboxState
		for _, n := range p.outbox(chat) {
			got = append(got, n.State)
		}
		return reflect.DeepEqual(got, want)
	})
}

const repeated = core.Repeating + "\n"

// TestDeliveryOrder proves that what a platform takes longer for than a turn waits
// arrives once, and that a chat is told things in order, while another one and another
// thread do not wait for it.
func TestDeliveryOrder(t *testing.T) {
	t.Parallel()
	p := playOn(t, false, true)
	p.platform.Order(notifiertest.Slow)
	p.write("slow", "", "hello")
	p.reaches("slow", core.Sent)
	if got := p.platform.Seen("slow"); !reflect.DeepEqual(got, []string{"you said hello"}) {
		t.Errorf("the person sees %q", got)
	}
	if n := p.outbox("slow")[0]; len(n.Receipts) != 1 {
		t.Errorf("the receipts are %q", n.Receipts)
	}

	before := p.platform.Calls()
	p.platform.Order(notifiertest.Broken, notifiertest.Slow)
	p.write("c1", "", "m1")
	eventually(t, "the second attempt", func() bool { return p.platform.Calls() == before+2 })
	for i := 2; i <= 5; i++ {
		p.write("c1", "", fmt.Sprintf("m%d", i))
		p.until(p.key("c1"), hasText(fmt.Sprintf("you said m%d", i)))
	}
	p.write("c2", "", "m1")
	p.reaches("c2", core.Sent)
	p.platform.Order(notifiertest.Broken)
	p.write("c1", "th1", "in the thread")
	eventually(t, "the thread's message", func() bool {
		got := p.platform.Seen("c1")
		return len(got) == 1 && got[0] == "you said in the thread"
	})
	p.platform.Release()
	p.reaches("c1", core.Sent, core.Sent, core.Sent, core.Sent, core.Sent, core.Sent)
	want := []string{"you said in the thread", "you said m1", "you said m2", "you said m3", "you said m4", "you said m5"}
	if got := p.platform.Seen("c1"); !reflect.DeepEqual(got, want) {
		t.Errorf("the person sees %q, want %q", got, want)
	}
}

func (p *platformChat) key(chat string) core.SessionKey {
	return core.NewSessionKey(core.Route{Channel: "test", Account: "main", Chat: chat}, app.Owner)
}
