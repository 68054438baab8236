package app_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"errand"
	"errand/internal/app"
	"errand/internal/intake"
	"errand/internal/service"
	"errand/notifiers"
	"errand/notifiers/notifiertest"
)

// A platformChat is a chat on a platform with faults to order.
type platformChat struct {
	*installation
	*stage
	platform *notifiertest.Platform
}

func playOn(t *testing.T, dedupe, readBack bool) *platformChat {
	t.Helper()
	p := &platformChat{platform: notifiertest.NewPlatform(dedupe)}
	server := httptest.NewServer(p.platform)
	t.Cleanup(server.Close)
	p.installation, p.stage = play(t, func(o *app.Options) {
		o.Notifiers = func(r *notifiers.Router) {
			r.Handle("test", &notifiertest.Notifier{URL: server.URL, ReadBack: readBack})
		}
	})
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

// outbox returns the rows of a chat, in order.
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

// sees returns what the person sees in chat, in order.
func (p *platformChat) sees(chat string) []string {
	var texts []string
	for _, m := range p.platform.Messages() {
		if m.Chat == chat {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

const repeated = errand.Repeating + "\n"

// TestDelivery proves what a person sees of an answer when the platform fails.
func TestDelivery(t *testing.T) {
	tests := []struct {
		name             string
		dedupe, readBack bool
		faults           []notifiertest.Fault
		want             []string
	}{
		{name: "no fault", want: []string{"you said hello"}},
		{name: "slow down", faults: []notifiertest.Fault{notifiertest.Busy}, want: []string{"you said hello"}},
		{name: "broken twice", faults: []notifiertest.Fault{notifiertest.Broken, notifiertest.Broken}, want: []string{"you said hello"}},
		{name: "dies before, read back", readBack: true, faults: []notifiertest.Fault{notifiertest.DieBefore}, want: []string{"you said hello"}},
		{name: "dies after, read back", readBack: true, faults: []notifiertest.Fault{notifiertest.DieAfter}, want: []string{"you said hello"}},
		{name: "dies after, with keys", dedupe: true, faults: []notifiertest.Fault{notifiertest.DieAfter}, want: []string{"you said hello"}},
		{name: "dies after, cannot tell", faults: []notifiertest.Fault{notifiertest.DieAfter},
			want: []string{"you said hello", repeated + "you said hello"}},
		{name: "dies after, then slow down, cannot tell", faults: []notifiertest.Fault{notifiertest.DieAfter, notifiertest.Busy},
			want: []string{"you said hello", repeated + "you said hello"}},
		{name: "dies twice, cannot tell", faults: []notifiertest.Fault{notifiertest.DieBefore, notifiertest.DieBefore},
			want: []string{repeated + "you said hello"}},
		{name: "too slow for the turn, read back", readBack: true, faults: []notifiertest.Fault{notifiertest.Slow}, want: []string{"you said hello"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := playOn(t, test.dedupe, test.readBack)
			p.platform.Order(test.faults...)
			p.write("c1", "", "hello")
			p.reaches("c1", errand.Sent)
			if got := p.sees("c1"); !reflect.DeepEqual(got, test.want) {
				t.Errorf("the person sees %q, want %q", got, test.want)
			}
			if n := p.outbox("c1")[0]; len(n.Receipts) != 1 {
				t.Errorf("the receipts are %q", n.Receipts)
			}
		})
	}
}

// A metered notifier notes when it is called, and tells the first caller to wait.
type metered struct {
	mu    sync.Mutex
	calls []time.Time
}

const asksToWait = 2 * time.Second

func (m *metered) Notify(context.Context, errand.Notification) (notifiers.Receipt, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls = append(m.calls, time.Now())
	if len(m.calls) == 1 {
		return notifiers.Receipt{}, &notifiers.SendError{Outcome: notifiers.NotSent, RetryAfter: asksToWait, Err: errors.New("too many")}
	}
	return notifiers.Receipt{IDs: []string{"1"}}, nil
}

// TestRetryAfter proves that what a platform asks the turn's own attempt to wait
// is waited for by the Outbox workflow too, whose first attempt follows at once.
func TestRetryAfter(t *testing.T) {
	m := &metered{}
	p := &platformChat{}
	p.installation, p.stage = play(t, func(o *app.Options) {
		o.Notifiers = func(r *notifiers.Router) { r.Handle("test", m) }
	})
	p.write("c1", "", "hello")
	p.reaches("c1", errand.Sent)
	if len(m.calls) != 2 || m.calls[1].Sub(m.calls[0]) < asksToWait {
		t.Errorf("it is called at %v", m.calls)
	}
}

// TestRefusedDelivery proves that what a platform refuses is visible, and arrives
// when a person lets it be tried again; and that a task is not less completed for
// it.
func TestRefusedDelivery(t *testing.T) {
	p := playOn(t, true, true)
	p.write("c1", "", do(send("sasha", "wait late")))
	p.reaches("c1", errand.Sent)
	p.platform.Order(notifiertest.Refuse)
	p.open("late")
	p.reaches("c1", errand.Sent, errand.Blocked)
	blocked := p.outbox("c1")[1]
	if !strings.Contains(blocked.Error, "403") {
		t.Errorf("the reason is %q", blocked.Error)
	}
	task := p.ended(tasks(p.installation)[0].ID)
	if task.State != errand.Completed || task.Delivery != errand.Blocked {
		t.Errorf("the task is %s and its delivery %q", task.State, task.Delivery)
	}
	if err := p.Service.RetryOutbox(t.Context(), p.owner(), blocked.ID); err != nil {
		t.Fatal(err)
	}
	p.reaches("c1", errand.Sent, errand.Sent)
	if got := p.sees("c1"); len(got) != 2 || !strings.Contains(got[1], "done late") {
		t.Errorf("the person sees %q", got)
	}
	// What has arrived can neither be retried nor dismissed, and that is said.
	for verb, again := range map[string]error{"retried": p.Service.RetryOutbox(t.Context(), p.owner(), blocked.ID), "dismissed": p.Service.DismissOutbox(t.Context(), p.owner(), blocked.ID)} {
		var no *service.Error
		if !errors.As(again, &no) || no.Status != http.StatusConflict || no.Message != fmt.Sprintf("delivery %d has arrived already", blocked.ID) {
			t.Errorf("what was sent, %s: %v", verb, again)
		}
	}
}

// TestOpenAgain proves that what a chat refused holds up nothing, and arrives by
// itself, in order, when the chat takes messages again.
func TestOpenAgain(t *testing.T) {
	p := playOn(t, true, true)
	p.write("c1", "", do(send("sasha", "wait first"), send("finn", "wait second")))
	p.reaches("c1", errand.Sent)
	for i, gate := range []string{"first", "second"} {
		p.platform.Order(notifiertest.Refuse)
		p.open(gate)
		p.reaches("c1", []errand.OutboxState{errand.Sent, errand.Blocked, errand.Blocked}[:i+2]...)
	}
	p.write("c1", "", "hello")
	p.reaches("c1", errand.Sent, errand.Sent, errand.Sent, errand.Sent)
	got := p.sees("c1")
	if len(got) != 4 || got[1] != "you said hello" || !strings.Contains(got[2], "done first") || !strings.Contains(got[3], "done second") {
		t.Errorf("the person sees %q", got)
	}
}

// TestOpenAgainInDoubt proves that what may have arrived before a chat refused it is
// marked as a repeat when the chat is open again.
func TestOpenAgainInDoubt(t *testing.T) {
	p := playOn(t, false, false)
	p.write("c1", "", do(send("sasha", "wait late")))
	p.reaches("c1", errand.Sent)
	p.platform.Order(notifiertest.DieAfter, notifiertest.Refuse)
	p.open("late")
	p.reaches("c1", errand.Sent, errand.Blocked)
	p.write("c1", "", "hello")
	p.reaches("c1", errand.Sent, errand.Sent, errand.Sent)
	got := p.sees("c1")
	if len(got) != 4 || !strings.Contains(got[1], "done late") || got[2] != "you said hello" || got[3] != errand.Repeating+"\n"+got[1] {
		t.Errorf("the person sees %q", got)
	}
}

// TestDeliveryOrder proves that a chat is told things in order, while another
// one and another thread do not wait for it.
func TestDeliveryOrder(t *testing.T) {
	p := playOn(t, true, true)
	p.platform.Order(notifiertest.Broken, notifiertest.Slow)
	p.write("c1", "", "m1")
	eventually(t, "the second attempt", func() bool { return p.platform.Calls() == 2 })
	for i := 2; i <= 5; i++ {
		p.write("c1", "", fmt.Sprintf("m%d", i))
		p.until(p.key("c1"), heard(fmt.Sprintf("you said m%d", i)))
	}
	p.write("c2", "", "m1")
	p.reaches("c2", errand.Sent)
	p.platform.Order(notifiertest.Broken)
	p.write("c1", "th1", "in the thread")
	eventually(t, "the thread's message", func() bool {
		got := p.sees("c1")
		return len(got) == 1 && got[0] == "you said in the thread"
	})
	p.platform.Release()
	p.reaches("c1", errand.Sent, errand.Sent, errand.Sent, errand.Sent, errand.Sent, errand.Sent)
	want := []string{"you said in the thread", "you said m1", "you said m2", "you said m3", "you said m4", "you said m5"}
	if got := p.sees("c1"); !reflect.DeepEqual(got, want) {
		t.Errorf("the person sees %q, want %q", got, want)
	}
}

func (p *platformChat) key(chat string) errand.SessionKey {
	return errand.NewSessionKey(errand.Route{Channel: "test", Account: "main", Chat: chat}, app.Owner)
}

// TestUnknownChannel proves that an answer for a channel that is not set up
// waits, visible, for somebody who sets it up.
func TestUnknownChannel(t *testing.T) {
	in, _ := play(t, nil)
	route := errand.Route{Channel: "pigeon", Account: "main", Chat: "c1"}
	if _, err := in.Intake.Accept(t.Context(), intake.Inbound{Route: route, Person: app.Owner, Role: errand.MasterAdmin, Text: "hello"}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a delivery that waits", func() bool {
		if err := in.Reconciler.Once(t.Context(), time.Now()); err != nil {
			t.Fatal(err)
		}
		list, err := in.Store.Outbox(t.Context(), []errand.OutboxState{errand.Pending}, 0)
		return err == nil && len(list) == 1 && list[0].AwaitsAccount() && strings.Contains(list[0].Error, "pigeon/main")
	})
}
