package app_test

import (
	"fmt"
	"net/http/httptest"
	"reflect"
	"testing"

	"errand"
	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/intake"
	"errand/notifiers"
	"errand/notifiers/notifiertest"
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
		Route:  errand.Route{Channel: "test", Account: "main", Chat: chat, Thread: thread},
		Person: app.Owner, Role: errand.MasterAdmin, Text: text})
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *platformChat) outbox(chat string) []errand.Notification {
	p.t.Helper()
	all, err := p.Store.Outbox(p.t.Context(), nil, 0)
	if err != nil {
		p.t.Fatal(err)
	}
	var list []errand.Notification
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Route.Chat == chat {
			list = append(list, all[i])
		}
	}
	return list
}

// reaches waits until the rows of chat are in these states.
func (p *platformChat) reaches(chat string, want ...errand.OutboxState) {
	p.t.Helper()
	eventually(p.t, fmt.Sprintf("deliveries of %s to be %v", chat, want), func() bool {
		var got []errand.OutboxState
		for _, n := range p.outbox(chat) {
			got = append(got, n.State)
		}
		return reflect.DeepEqual(got, want)
	})
}

const repeated = errand.Repeating + "\n"

// TestDeliveryOrder proves that what a platform takes longer for than a turn waits
// arrives once, and that a chat is told things in order, while another one and another
// thread do not wait for it.
func TestDeliveryOrder(t *testing.T) {
	t.Parallel()
	p := playOn(t, false, true)
	p.platform.Order(notifiertest.Slow)
	p.write("slow", "", "hello")
	p.reaches("slow", errand.Sent)
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
	p.reaches("c2", errand.Sent)
	p.platform.Order(notifiertest.Broken)
	p.write("c1", "th1", "in the thread")
	eventually(t, "the thread's message", func() bool {
		got := p.platform.Seen("c1")
		return len(got) == 1 && got[0] == "you said in the thread"
	})
	p.platform.Release()
	p.reaches("c1", errand.Sent, errand.Sent, errand.Sent, errand.Sent, errand.Sent, errand.Sent)
	want := []string{"you said in the thread", "you said m1", "you said m2", "you said m3", "you said m4", "you said m5"}
	if got := p.platform.Seen("c1"); !reflect.DeepEqual(got, want) {
		t.Errorf("the person sees %q, want %q", got, want)
	}
}

func (p *platformChat) key(chat string) errand.SessionKey {
	return errand.NewSessionKey(errand.Route{Channel: "test", Account: "main", Chat: chat}, app.Owner)
}
