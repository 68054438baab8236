package whatsapp_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
)

// TestGroupWhileSomebodyWrites proves that an account which sends to a group, and is written
// to by one of its members all the time, comes to no standstill: what it sends arrives, and
// all that it is sent is taken.
func TestGroupWhileSomebodyWrites(t *testing.T) {
	r := newRig(t)
	ben := must(r.server.AddPerson("Ben", "+491722222222"))(t)
	group := r.server.AddGroup("Team", r.account.Person, r.ana, ben)
	writes, stop := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	defer writing.Wait()
	defer stop()
	writing.Go(func() {
		for n := 0; writes.Err() == nil; n++ {
			if _, err := r.ana.Write(t.Context(), r.account.JID(), fmt.Sprint("and ", n)); err != nil {
				t.Error(err)
				return
			}
		}
	})
	const messages = 10
	for i := range messages {
		n := r.note(fmt.Sprint("k", i), fmt.Sprint("answer ", i))
		n.Route.Chat = group.JID.String()
		for attempts := 1; ; attempts++ {
			_, err := r.Notify(t.Context(), n)
			if err == nil {
				break
			}
			if attempts == 5 {
				t.Fatalf("answer %d, sent for the fifth time: %v", i, err)
			}
		}
	}
	stop()
	writing.Wait()
	r.until("Ben reads all", func() bool { return len(ben.Sees(group.JID)) == messages })
	r.until("all that Ana wrote is taken", func() bool { return r.account.Waiting() == 0 })
}
