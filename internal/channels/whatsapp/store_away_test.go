package whatsapp_test

import (
	"slices"
	"testing"

	"errand/internal/channels"
	"errand/internal/service"
)

// TestStoreOfDevicesAway proves that messages which come while the store of devices
// fails are not acknowledged: they come again, in order, when it is back. whatsmeow
// would ask their sender for them some times, acknowledge them, and forget them.
func TestStoreOfDevicesAway(t *testing.T) {
	for _, table := range []string{"whatsmeow_event_buffer", "whatsmeow_sessions", "whatsmeow_identity_keys"} {
		t.Run(table, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, service.AccessOpen)
			c := r.connect()
			r.write(r.ana, r.account.JID(), "before")
			r.accepted(1)
			rename := func(from, to string) {
				if _, err := r.db.Exec("ALTER TABLE " + from + " RENAME TO " + to); err != nil {
					t.Fatal(err)
				}
			}
			rename(table, "away")
			want := []string{"before", "one", "two", "three"}
			for _, text := range want[1:] {
				r.write(r.ana, r.account.JID(), text)
			}
			r.until("the failure is noticed, or nothing waits", func() bool { return c.Status().State == channels.Degraded || r.account.Waiting() == 0 })
			rename("away", table)
			r.accepted(len(want))
			if in := r.inbox(anasChat, r.gate.Outcomes()[0].Person); !slices.Equal(in, want) {
				t.Errorf("the session has %q", in)
			}
			if notices := r.notices(); len(notices) > 0 {
				t.Errorf("Ana is told %q", notices)
			}
		})
	}
}
